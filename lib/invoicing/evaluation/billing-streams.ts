import type { CatalogWithOverrides } from '../../catalog/index.ts';
import { withDiscounts } from '../../coupons/index.ts';
import {
  type Account,
  type AccountInvoicingState,
  type BillingEvent,
  type BlockingState,
  type LifecycleEvent,
  type OngoingCharge,
  ProductCategory,
  type Redemption,
  type StoredCursor,
  type Subscription,
} from '../../records/index.ts';
import {
  type BilledHistory,
  type BillingEventStream,
  type BillingEventsInput,
  billingEvents,
} from '../../subscriptions/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { recurs } from '../proposals/recurring-proposals.ts';
import { catalogChanges } from './last-evaluation.ts';

/** An account, and the date up to which the account is evaluated. */
export interface StreamRequest {
  readonly account: Account;
  /** Date of the evaluation. For a run, this is the effective target date (§8.2 step 4). */
  readonly targetDate: LocalDate;
}

export interface BillingRequest extends StreamRequest {
  /**
   * Day whose daily limit applies to new items. A due entry uses its own date, so that the items of late entries do not
   * all count toward one day.
   */
  readonly runDate: LocalDate;
  readonly state: AccountInvoicingState;
}

export interface AccountStream<R extends StreamRequest> {
  readonly request: R;
  readonly newBillCycleDay: number | null;
  /**
   * The streams, in the order in which the subscriptions were created. The stream of a subscription with an ongoing
   * charge has no events.
   */
  readonly bySubscription: ReadonlyMap<Uuid, readonly BillingEvent[]>;
  /** Subscriptions whose billing depends only on their own events. These are all subscriptions except add-ons. */
  readonly billedAlone: ReadonlySet<Uuid>;
  /** Ongoing charges at the last evaluation, by subscription, for all accounts. */
  readonly ongoing: ReadonlyMap<Uuid, OngoingCharge>;
  readonly ends: BillingEventStream['ends'];
  /** Subscriptions that were skipped because their first event is not their start (subscriptions §19.2 rule 2). */
  readonly skipped: readonly Uuid[];
  /** For each subscription, the first date on which a later catalog changes the bill. */
  readonly changes: ReadonlyMap<Uuid, LocalDate>;
}

export interface AccountStreams<R extends StreamRequest> {
  readonly streams: readonly AccountStream<R>[];
  readonly failures: readonly { readonly request: R; readonly error: unknown }[];
}

interface StreamsInput<R extends StreamRequest> {
  readonly requests: readonly R[];
  readonly alignPriceChanges: boolean;
  readonly cursors: readonly StoredCursor[];
  readonly ongoing: ReadonlyMap<Uuid, OngoingCharge>;
  /** The subscriptions without an ongoing charge, including the base subscriptions of their add-ons. */
  readonly subscriptions: readonly Subscription[];
  readonly events: readonly LifecycleEvent[];
  readonly blockingStates: readonly BlockingState[];
  /** Coupons redeemed on the accounts and their subscriptions. */
  readonly redemptions: readonly Redemption[];
  readonly plansOf: (accountId: Uuid) => CatalogWithOverrides;
}

/**
 * Returns the streams of accounts. If the events of one account cannot be built, the other accounts are still billed.
 */
export function streamsOf<R extends StreamRequest>(input: StreamsInput<R>): AccountStreams<R> {
  const { requests, cursors, subscriptions, events } = input;
  const statesOf = Map.groupBy(input.blockingStates, (state) => state.blockedId);
  const eventsOf = Map.groupBy(events, (event) => event.subscriptionId);
  const cursorsOf = Map.groupBy(cursors, (cursor) => cursor.accountRecordId);
  const redemptionsOf = Map.groupBy(input.redemptions, (redemption) => redemption.accountId);
  const subscriptionsOf = Map.groupBy(subscriptions, (subscription) => subscription.accountId);
  const streams: AccountStream<R>[] = [];
  const failures: { readonly request: R; readonly error: unknown }[] = [];
  for (const request of requests) {
    const histories = (subscriptionsOf.get(request.account.id) ?? []).map((subscription) => ({
      subscription,
      events: eventsOf.get(subscription.id) ?? [],
      blockingStates: [request.account.id, subscription.bundleId, subscription.id].flatMap(
        (id) => statesOf.get(id) ?? [],
      ),
    }));
    try {
      const catalog = input.plansOf(request.account.id);
      const own = cursorsOf.get(request.account.recordId) ?? [];
      const redemptions = redemptionsOf.get(request.account.id) ?? [];
      streams.push(streamOf(request, { ...input, catalog, histories, cursors: own, redemptions }));
    } catch (error) {
      failures.push({ request, error });
    }
  }
  return { streams, failures };
}

interface StreamInput
  extends Pick<StreamsInput<StreamRequest>, 'alignPriceChanges' | 'ongoing' | 'redemptions'> {
  readonly catalog: CatalogWithOverrides;
  readonly histories: readonly (BilledHistory & { readonly subscription: Subscription })[];
  readonly cursors: readonly StoredCursor[];
}
/**
 * Returns the billing events of one account. An account without a bill cycle day first gets the day of its earliest
 * account-aligned charge (subscriptions §15.2).
 */
function streamOf<R extends StreamRequest>(request: R, input: StreamInput): AccountStream<R> {
  const { account } = request;
  const { histories, catalog, alignPriceChanges } = input;
  const parts = { histories, plans: catalog, alignPriceChanges };
  const newBillCycleDay = billCycleDayToSet({ account, ...parts });
  const billed = newBillCycleDay === null ? account : { ...account, billCycleDayLocal: newBillCycleDay };
  const stream = billingEvents({ account: billed, ...parts });
  const listed = eventsBySubscription(stream, input);
  const changes = catalogChanges({ ...input, account: billed, bySubscription: listed });
  const bySubscription = applyDiscounts(listed, input.redemptions, account.currency);
  const { ends, skipped } = stream;
  const alone = histories.filter(({ subscription }) => subscription.category !== ProductCategory.ADD_ON);
  const billedAlone = new Set(alone.map(({ subscription }) => subscription.id));
  const { ongoing } = input;
  return { request, newBillCycleDay, bySubscription, billedAlone, ongoing, ends, skipped, changes };
}

const NO_EVENTS: readonly BillingEvent[] = [];

/**
 * Returns the events in the order of the cursors. A subscription that is blocked from its start has no events, so its
 * existing charges are repaired.
 */
function eventsBySubscription(
  { events, skipped }: BillingEventStream,
  { histories, cursors, ongoing }: StreamInput,
) {
  const found = Map.groupBy(events, (event) => event.subscriptionId);
  const known = new Set(histories.map(({ subscription }) => subscription.id));
  const leftOut = new Set(skipped);
  const ids = cursors.map(({ subscriptionId }) => subscriptionId);
  return new Map(
    ids
      .filter((id) => ongoing.has(id) || (known.has(id) && !leftOut.has(id)))
      .map((id) => [id, ongoing.has(id) ? NO_EVENTS : (found.get(id) ?? NO_EVENTS)]),
  );
}

/** Returns the events with the discounts of redeemed coupons applied (coupons §3). */
function applyDiscounts(
  bySubscription: ReadonlyMap<Uuid, readonly BillingEvent[]>,
  redemptions: readonly Redemption[],
  currency: Account['currency'],
): ReadonlyMap<Uuid, readonly BillingEvent[]> {
  if (redemptions.length === 0) return bySubscription;
  return new Map(
    [...bySubscription].map(([id, events]) => {
      const own = redemptions.filter(
        ({ subscriptionId }) => subscriptionId === null || subscriptionId === id,
      );
      return [id, withDiscounts(events, own, currency)];
    }),
  );
}

/**
 * Returns the bill cycle day that the next run assigns to an account, or null if the account already has a day or gets
 * no day (§4 rule 4). Blocked intervals are ignored (subscriptions §15.2), so a pause does not move the cycle.
 */
export function billCycleDayToSet(input: BillingEventsInput): number | null {
  if (input.account.billCycleDayLocal !== 0) return null;
  const histories = input.histories.map((history) => ({ ...history, blockingStates: [] }));
  return accountBillCycleDay(billingEvents({ ...input, histories }).events);
}

/**
 * Returns the bill cycle day, 1 to 31, of the earliest account-aligned event with usage or a recurring price, including
 * a price of 0. Future events are included. Returns null if there is no such event. `events` contains the events of all
 * subscriptions, built without a bill cycle day of the account and without blocked intervals.
 */
export function accountBillCycleDay(events: readonly BillingEvent[]): number | null {
  let earliest: BillingEvent | undefined;
  for (const event of events) {
    if (!event.isAccountAligned || !(recurs(event) || event.usages.length > 0)) continue;
    const isEarlier =
      earliest === undefined ||
      (event.effectiveDate - earliest.effectiveDate || event.totalOrdering - earliest.totalOrdering) < 0;
    if (isEarlier) earliest = event;
  }
  return earliest?.billCycleDayLocal ?? null;
}
