import { type CatalogProvider, type CatalogSource, obtainOverridePlan } from '../../catalog/index.ts';
import {
  type ChangePlanOptions,
  type ChangePlanRequest,
  EntitlementOperation,
  type Ports,
} from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { cancellationOfAll, type EndOfAll, planCancellation } from '../edits/cancellation.ts';
import { checkAddOnChange, decideChange, planChange } from '../edits/change-of-plan.ts';
import type { RunningInBundle, RunningSubscription } from '../edits/running-subscription.ts';
import type { SubscriptionEdit } from '../edits/subscription-edit.ts';
import {
  type BillCycleDayChange,
  planBillCycleDayChange,
  planQuantityChange,
  type QuantityChange,
  requestedBillCycleDay,
  requestedQuantity,
} from '../edits/terms-change.ts';
import { planUncancellation, planUndoChange } from '../edits/undo.ts';
import {
  type CancelSubscriptionRequest,
  type CheckedChange,
  checkChangeRequest,
  withDefaultEnd,
} from '../requests/edit-requests.ts';
import { loadRunning, lockRunning } from '../storing/load-subscriptions.ts';
import { saveEdits } from '../storing/save-changes.ts';
import type { EditTools } from '../timeline/lifecycle-events.ts';
import type { SubscriptionParts } from './creation-service.ts';
import { subscriptionOf, termsOf } from './entitlement-control.ts';

interface RunningEdit extends RunningInBundle {
  readonly session: WriteSession;
  readonly catalogsOf: CatalogSource;
  readonly tools: EditTools;
}

/**
 * Creates the operations on running subscriptions (§7 to §10, §15, §16). Entitlement plugins control some of them
 * (§22).
 */
export function lifecycleOperations(
  ports: Pick<Ports, 'storage' | 'ids'>,
  catalogs: CatalogProvider,
  { control, trials, coupons }: SubscriptionParts,
) {
  async function save(session: WriteSession, edits: readonly SubscriptionEdit[], now: Instant) {
    await saveEdits(session, edits, now);
    await trials.ofEdits(session, edits, now);
  }

  /** Runs a function in a transaction that holds the lock of the subscription's account. */
  async function onRunning<T>(
    context: CallContext,
    named: { readonly subscriptionId: Uuid; readonly planName?: string | null },
    work: (edit: RunningEdit) => Promise<T>,
  ) {
    const { tenant, createdDate: now } = context;
    const catalogsOf = await catalogs.open({
      tenant,
      now,
      accounts: async (session) =>
        (await session.subscriptions.findByIds([named.subscriptionId])).map(({ accountId }) => accountId),
    });
    const tools = { now, nextId: () => ports.ids.next() };
    return ports.storage.write(tenant, authorshipOf(context), async (session) => {
      const locked = await lockRunning(session, { ...named, catalogsOf });
      return work({ ...locked, session, catalogsOf, tools });
    });
  }

  const createUndoOperation =
    (
      operation: typeof EntitlementOperation.UNCANCEL | typeof EntitlementOperation.UNDO_CHANGE_PLAN,
      plan: typeof planUndoChange,
    ) =>
    (context: CallContext, subscriptionId: Uuid): Promise<void> =>
      control(context, {
        operation,
        given: null,
        terms: {},
        subject: subscriptionOf(subscriptionId),
        prepare: () => () =>
          onRunning(context, { subscriptionId }, async ({ session, running, bundle, tools }) => {
            const withdrawn = await session.subscriptions.findWithdrawnEvents([subscriptionId]);
            const edit = plan(running, withdrawn, tools);
            await save(session, [edit, ...followBase({ bundle, edit }, tools)], tools.now);
            if (operation === EntitlementOperation.UNDO_CHANGE_PLAN)
              await coupons.undoPending(session, subscriptionId, { ...running, now: tools.now });
          }),
        resultOf: () => null,
      });

  const changeTerms = (
    context: CallContext,
    subscriptionId: Uuid,
    plan: (running: RunningSubscription, tools: EditTools) => ReturnType<typeof planQuantityChange>,
  ) =>
    onRunning(context, { subscriptionId }, async ({ session, running, tools }) => {
      const { edit, effective } = plan(running, tools);
      await saveEdits(session, [edit], tools.now);
      return { accountId: running.account.id, effective };
    });

  const changePlan = (context: CallContext, subscriptionId: Uuid, request: CheckedChange) =>
    onRunning(
      context,
      { subscriptionId, planName: request.target.planName ?? null },
      async ({ session, running, bundle, catalogsOf, tools }) => {
        const { id: accountId } = running.account;
        const decided = decideChange(running, request, tools.now);
        checkAddOnChange(decided, { running, bundle }, tools.now);
        const overridePlan =
          decided.overrides &&
          (await obtainOverridePlan(session, decided.overrides, {
            nextId: tools.nextId,
            currentCatalog: async () => (await catalogsOf(session, [accountId]))(accountId),
          }));
        const planned = planChange(running, { request, decided, overridePlan }, tools);
        const { edit, effective } = planned;
        const plans = overridePlan === null ? running.catalog : running.catalog.with(overridePlan);
        await save(session, [edit, ...followBase({ bundle, edit, plans }, tools)], tools.now);
        if (planned.coupons !== null)
          await coupons.redeem(session, [planned.coupons], {
            account: running.account,
            now: tools.now,
            isOfPlanChange: true,
          });
        return { accountId, effective };
      },
    );

  return {
    async cancel(context: CallContext, subscriptionId: Uuid, request: CancelSubscriptionRequest = {}) {
      const operation = EntitlementOperation.CANCEL;
      return control(context, {
        operation,
        given: null,
        terms: termsOf(operation, request),
        subject: subscriptionOf(subscriptionId),
        prepare: (terms) => {
          const options = withDefaultEnd(terms, request);
          return () =>
            onRunning(context, { subscriptionId }, async ({ session, running, bundle, tools }) => {
              const { edit, entitlement, billing } = planCancellation(running, options, tools);
              await save(session, [edit, ...followBase({ bundle, edit }, tools)], tools.now);
              return { accountId: running.account.id, entitlementEnd: entitlement, billingEnd: billing };
            });
        },
        resultOf: (cancelled) => cancelled,
      });
    },

    uncancel: createUndoOperation(EntitlementOperation.UNCANCEL, planUncancellation),

    async changePlan(
      context: CallContext,
      subscriptionId: Uuid,
      change: ChangePlanRequest & ChangePlanOptions,
    ) {
      const operation = EntitlementOperation.CHANGE_PLAN;
      return control(context, {
        operation,
        given: null,
        terms: termsOf(operation, change),
        subject: subscriptionOf(subscriptionId),
        prepare: (terms) => {
          const request = checkChangeRequest(terms, terms);
          return () => changePlan(context, subscriptionId, request);
        },
        resultOf: (changed) => changed,
      });
    },

    undoChangePlan: createUndoOperation(EntitlementOperation.UNDO_CHANGE_PLAN, planUndoChange),

    async changeBillCycleDay(context: CallContext, subscriptionId: Uuid, change: BillCycleDayChange) {
      const day = requestedBillCycleDay(change);
      return changeTerms(context, subscriptionId, (running, tools) =>
        planBillCycleDayChange(running, { day, from: change }, tools),
      );
    },

    async changeQuantity(context: CallContext, subscriptionId: Uuid, change: QuantityChange) {
      const quantity = requestedQuantity(change);
      return changeTerms(context, subscriptionId, (running, tools) =>
        planQuantityChange(running, { quantity, from: change }, tools),
      );
    },
  };
}

/** A locked account, with the date and policy for the end of all its subscriptions. */
export interface AccountToEnd extends EndOfAll {
  readonly account: Account;
}

/**
 * Cancels all base and standalone subscriptions of distinct accounts, with a date and policy for each account. Add-ons
 * end with their bases (§9 rule 9). Never throws. Executes a constant number of statements.
 */
export async function cancelAll(
  session: WriteSession,
  {
    accounts,
    catalogsOf,
  }: { readonly accounts: readonly AccountToEnd[]; readonly catalogsOf: CatalogSource },
  tools: EditTools,
): Promise<void> {
  if (accounts.length === 0) return;
  const ends = new Map(accounts.map((each) => [each.account.id, each]));
  const bundles = await session.subscriptions.findBundlesByAccounts([...ends.keys()]);
  const all = await loadRunning(session, {
    accounts: accounts.map(({ account }) => account),
    bundles,
    catalogsOf,
  });
  const bundleOf = Map.groupBy(all, ({ bundle }) => bundle.id);
  const edits = all.flatMap((running) => {
    const end = ends.get(running.account.id);
    const edit = end === undefined ? null : cancellationOfAll(running, end, tools);
    if (edit === null) return [];
    const bundle = bundleOf.get(running.bundle.id) ?? [];
    return [edit, ...followBase({ bundle, edit }, tools)];
  });
  if (edits.length > 0) await saveEdits(session, edits, tools.now);
}
