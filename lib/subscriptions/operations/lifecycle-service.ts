import { type CatalogProvider, type CatalogSource, obtainOverridePlan } from '../../catalog/index.ts';
import {
  type CancelledSubscription,
  type CancelSubscriptionOptions,
  type ChangedSubscription,
  type ChangePlanOptions,
  type ChangePlanRequest,
  EntitlementOperation,
  type Ports,
} from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { cancellationOfAll, type EndOfAll, planCancellation } from '../edits/cancellation.ts';
import { checkAddOnChange, decideChange, planChange } from '../edits/change-of-plan.ts';
import type { RunningSubscription } from '../edits/running-subscription.ts';
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
import { type CheckedChange, checkChangeRequest } from '../requests/edit-requests.ts';
import { termsOf } from '../requests/plugin-decision.ts';
import { loadRunningOf, lockRunning, lockRunningInBundle } from '../storing/load-subscriptions.ts';
import { saveEdits } from '../storing/save-changes.ts';
import type { EditTools } from '../timeline/lifecycle-events.ts';
import { type EntitlementControl, subscriptionOf } from './entitlement-control.ts';

type UndoOperation = typeof EntitlementOperation.UNCANCEL | typeof EntitlementOperation.UNDO_CHANGE_PLAN;

/** Operations on running subscriptions (§7 to §10, §15, §16), some under plugin control (§22). */
export class LifecycleService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;
  readonly #control: EntitlementControl;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider, control: EntitlementControl) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#control = control;
  }

  async cancel(
    context: CallContext,
    subscriptionId: Uuid,
    options: CancelSubscriptionOptions = {},
  ): Promise<CancelledSubscription> {
    const operation = EntitlementOperation.CANCEL;
    return this.#control.run(context, {
      operation,
      given: null,
      terms: termsOf(operation, options),
      subject: subscriptionOf(subscriptionId),
      prepare: (terms) => () =>
        this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
          const { running, bundle } = await lockRunningInBundle(session, { subscriptionId, catalogsOf });
          const { edit, entitlement, billing } = planCancellation(running, terms, tools);
          await saveEdits(session, [edit, ...followed(edit, bundle, tools)], tools.now);
          return { accountId: running.account.id, entitlementEnd: entitlement, billingEnd: billing };
        }),
      resultOf: (cancelled) => cancelled,
    });
  }

  async uncancel(context: CallContext, subscriptionId: Uuid): Promise<void> {
    return this.#undo(context, subscriptionId, {
      operation: EntitlementOperation.UNCANCEL,
      plan: planUncancellation,
    });
  }

  async changePlan(
    context: CallContext,
    subscriptionId: Uuid,
    change: ChangePlanRequest & ChangePlanOptions,
  ): Promise<ChangedSubscription> {
    const operation = EntitlementOperation.CHANGE_PLAN;
    return this.#control.run(context, {
      operation,
      given: null,
      terms: termsOf(operation, change),
      subject: subscriptionOf(subscriptionId),
      prepare: (terms) => {
        const request = checkChangeRequest(terms, terms);
        return () => this.#changePlan(context, subscriptionId, request);
      },
      resultOf: (changed) => changed,
    });
  }

  async #changePlan(context: CallContext, subscriptionId: Uuid, request: CheckedChange) {
    return this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const planName = request.target.planName ?? null;
      const lock = { subscriptionId, catalogsOf, planName };
      const { running, bundle } = await lockRunningInBundle(session, lock);
      const { id: accountId, timeZone: zone } = running.account;
      const decided = decideChange(running, request, tools.now);
      checkAddOnChange(decided, { running, bundle }, tools.now);
      const overridePlan =
        decided.overrides &&
        (await obtainOverridePlan(session, decided.overrides, {
          nextId: tools.nextId,
          currentCatalog: async () => (await catalogsOf(session, [accountId]))(accountId),
        }));
      const { edit, effective } = planChange(running, { request, decided, overridePlan }, tools);
      const plans = overridePlan === null ? running.catalog : running.catalog.with(overridePlan);
      await saveEdits(session, [edit, ...followBase({ bundle, edit, plans, zone }, tools)], tools.now);
      return { accountId, effective };
    });
  }

  async undoChangePlan(context: CallContext, subscriptionId: Uuid): Promise<void> {
    return this.#undo(context, subscriptionId, {
      operation: EntitlementOperation.UNDO_CHANGE_PLAN,
      plan: planUndoChange,
    });
  }

  async #undo(
    context: CallContext,
    subscriptionId: Uuid,
    { operation, plan }: { readonly operation: UndoOperation; readonly plan: typeof planUndoChange },
  ): Promise<void> {
    return this.#control.run(context, {
      operation,
      given: null,
      terms: {},
      subject: subscriptionOf(subscriptionId),
      prepare: () => () =>
        this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
          const { running, bundle } = await lockRunningInBundle(session, { subscriptionId, catalogsOf });
          const withdrawn = await session.subscriptions.findWithdrawnEvents([subscriptionId]);
          const edit = plan(running, withdrawn, tools);
          await saveEdits(session, [edit, ...followed(edit, bundle, tools)], tools.now);
        }),
      resultOf: () => null,
    });
  }

  async changeBillCycleDay(
    context: CallContext,
    subscriptionId: Uuid,
    change: BillCycleDayChange,
  ): Promise<ChangedSubscription> {
    const day = requestedBillCycleDay(change);
    return this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const running = await lockRunning(session, { subscriptionId, catalogsOf });
      const { edit, effective } = planBillCycleDayChange(running, { day, from: change }, tools);
      await saveEdits(session, [edit], tools.now);
      return { accountId: running.account.id, effective };
    });
  }

  async changeQuantity(
    context: CallContext,
    subscriptionId: Uuid,
    change: QuantityChange,
  ): Promise<ChangedSubscription> {
    const quantity = requestedQuantity(change);
    return this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const running = await lockRunning(session, { subscriptionId, catalogsOf });
      const { edit, effective } = planQuantityChange(running, { quantity, from: change }, tools);
      await saveEdits(session, [edit], tools.now);
      return { accountId: running.account.id, effective };
    });
  }

  async #write<T>(context: CallContext, subscriptionId: Uuid, work: (operation: Operation) => Promise<T>) {
    const catalogsOf = await this.#catalogs.open({
      tenant: context.tenant,
      now: context.createdDate,
      accounts: async (session) =>
        (await session.subscriptions.findByIds([subscriptionId])).map(({ accountId }) => accountId),
    });
    const tools = { now: context.createdDate, nextId: () => this.#ports.ids.next() };
    return this.#ports.storage.write(context.tenant, authorshipOf(context), (session) =>
      work({ session, catalogsOf, tools }),
    );
  }
}

/** Adds the consequences for the bundle, for operations without a new plan. */
function followed(edit: SubscriptionEdit, bundle: readonly RunningSubscription[], tools: EditTools) {
  const [first] = bundle;
  if (first === undefined) return [];
  return followBase({ bundle, edit, plans: first.catalog, zone: first.account.timeZone }, tools);
}

interface Operation {
  readonly session: WriteSession;
  readonly catalogsOf: CatalogSource;
  readonly tools: EditTools;
}

/** A locked account whose subscriptions all end. */
export interface AccountToEnd extends EndOfAll {
  readonly account: Account;
}

export interface CancelAllInput {
  /** Distinct accounts. */
  readonly accounts: readonly AccountToEnd[];
  readonly catalogsOf: CatalogSource;
}

/**
 * Cancels all base and standalone subscriptions of accounts by each account's date and policy; add-ons follow (§9 rule
 * 9). Never throws; a constant number of statements.
 */
export async function cancelAll(
  session: WriteSession,
  { accounts, catalogsOf }: CancelAllInput,
  tools: EditTools,
): Promise<void> {
  if (accounts.length === 0) return;
  const ends = new Map(accounts.map((each) => [each.account.id, each]));
  const bundles = await session.subscriptions.findBundlesByAccounts([...ends.keys()]);
  const all = await loadRunningOf(session, {
    accounts: accounts.map(({ account }) => account),
    bundles,
    catalogsOf,
  });
  const bundleOf = Map.groupBy(all, ({ bundle }) => bundle.id);
  const edits = all.flatMap((running) => {
    const { account, catalog: plans } = running;
    const end = ends.get(account.id);
    const edit = end === undefined ? null : cancellationOfAll(running, end, tools);
    if (edit === null) return [];
    const bundle = bundleOf.get(running.bundle.id) ?? [];
    return [edit, ...followBase({ bundle, edit, plans, zone: account.timeZone }, tools)];
  });
  if (edits.length > 0) await saveEdits(session, edits, tools.now);
}
