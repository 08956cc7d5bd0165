import {
  type CatalogProvider,
  type CatalogSource,
  type CatalogWithOverrides,
  type OverridePlan,
  obtainOverridePlan,
} from '../../catalog/index.ts';
import type {
  CancelledSubscription,
  CancelSubscriptionOptions,
  ChangedSubscription,
  ChangePlanOptions,
  ChangePlanRequest,
  Ports,
} from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { CallContext } from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { checkAddOnChange } from '../edits/add-on-change.ts';
import { followBase } from '../edits/add-on-ends.ts';
import { planCancellation } from '../edits/cancellation.ts';
import { decideChange, planChange } from '../edits/change-of-plan.ts';
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
import { planUncancellation } from '../edits/uncancellation.ts';
import { planUndoChange } from '../edits/undo-change.ts';
import { checkChangeRequest } from '../requests/change-request.ts';
import { lockRunning, lockRunningInBundle } from '../storing/load-running.ts';
import { saveEdits } from '../storing/save-edits.ts';
import type { EditTools } from '../timeline/edit-tools.ts';

/** Operations on subscriptions that run (§7 to §10, §15, §16). */
export class LifecycleService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  /**
   * Ends service and billing of a subscription, each at its own date (§9). What is invoiced beyond the
   * end of billing is repaired by the next invoice run.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CANCEL_BAD_STATE (1031),
   * SUBSCRIPTION_INVALID_REQUESTED_DATE (1001), INVALID_PARAMETER (60002), BUSY (60018).
   */
  async cancel(
    context: CallContext,
    subscriptionId: Uuid,
    options: CancelSubscriptionOptions = {},
  ): Promise<CancelledSubscription> {
    return this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const { running, bundle } = await lockRunningInBundle(session, { subscriptionId, catalogsOf });
      const { edit, entitlement, billing } = planCancellation(running, options, tools);
      await saveEdits(session, [edit, ...followed(edit, bundle, tools)], tools.now);
      return { accountId: running.account.id, entitlementEnd: entitlement, billingEnd: billing };
    });
  }

  /**
   * Takes a cancellation back while billing goes on, as if it had never been asked for (§10).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_UNCANCEL_BAD_STATE (1070),
   * ENTITLEMENT_UNCANCEL_BAD_STATE (8004), BUSY (60018).
   */
  async uncancel(context: CallContext, subscriptionId: Uuid): Promise<void> {
    await this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const { running, bundle } = await lockRunningInBundle(session, { subscriptionId, catalogsOf });
      const withdrawn = await session.subscriptions.findWithdrawnEvents([subscriptionId]);
      const edit = planUncancellation(running, withdrawn, tools);
      await saveEdits(session, [edit, ...followed(edit, bundle, tools)], tools.now);
    });
  }

  /**
   * Puts a subscription on another plan, at a date or by policy (§7). Later pending changes, phases and an
   * expiry give way; those before its date stay.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021), 1022, 1023, 1026,
   * of an add-on 1017, 1018, 1019, 1025,
   * SUBSCRIPTION_CREATE_BAD_PHASE (1011), CATALOG_ILLEGAL_CHANGE_REQUEST (2001), plan errors 2002, 2013, 2020, 2021, 2030,
   * prices that the account's currency has not 2010, 2011, or that it needs one for 3,
   * CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000), MISSING_OR_INVALID_FIELD (60003),
   * INVALID_PARAMETER (60002), BUSY (60018).
   */
  async changePlan(
    context: CallContext,
    subscriptionId: Uuid,
    change: ChangePlanRequest & ChangePlanOptions,
  ): Promise<ChangedSubscription> {
    const request = checkChangeRequest(change, change);
    return this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const planName = request.target.planName ?? null;
      const { running, bundle } = await lockRunningInBundle(session, {
        subscriptionId,
        catalogsOf,
        planName,
      });
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
      const follow = followBase({ bundle, edit, plans: withPlan(running, overridePlan), zone }, tools);
      await saveEdits(session, [edit, ...follow], tools.now);
      return { accountId, effective };
    });
  }

  /**
   * Takes all pending changes of plan back, as if none had been asked for (§7, undo).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_UNDO_CHANGE_BAD_STATE (1071), BUSY (60018).
   */
  async undoChangePlan(context: CallContext, subscriptionId: Uuid): Promise<void> {
    await this.#write(context, subscriptionId, async ({ session, catalogsOf, tools }) => {
      const { running, bundle } = await lockRunningInBundle(session, { subscriptionId, catalogsOf });
      const withdrawn = await session.subscriptions.findWithdrawnEvents([subscriptionId]);
      const edit = planUndoChange(running, withdrawn, tools);
      await saveEdits(session, [edit, ...followed(edit, bundle, tools)], tools.now);
    });
  }

  /**
   * Gives a subscription a bill cycle day of its own, from its next occurrence on (§15.3). What is invoiced
   * already stays; the next invoice leads to the new day.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021),
   * MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002) for a day before today that is not allowed, BUSY (60018).
   */
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

  /**
   * Sets the quantity by which the prices of a subscription are multiplied, now or from a day on (§16);
   * what is invoiced for later days at another quantity is repaired.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_CHANGE_NON_ACTIVE (1021),
   * MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002) for a day before today that is not allowed, BUSY (60018).
   */
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

  async #write<T>(
    context: CallContext,
    subscriptionId: Uuid,
    work: (operation: Operation) => Promise<T>,
  ): Promise<T> {
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

/** What an operation that puts no subscription on a new plan changes of the rest of the bundle. */
function followed(
  edit: SubscriptionEdit,
  bundle: readonly RunningSubscription[],
  tools: EditTools,
): readonly SubscriptionEdit[] {
  const [first] = bundle;
  if (first === undefined) return [];
  return followBase({ bundle, edit, plans: first.catalog, zone: first.account.timeZone }, tools);
}

function withPlan({ catalog }: RunningSubscription, overridePlan: OverridePlan | null): CatalogWithOverrides {
  return overridePlan === null ? catalog : catalog.with(overridePlan);
}

interface Operation {
  readonly session: WriteSession;
  readonly catalogsOf: CatalogSource;
  readonly tools: EditTools;
}
