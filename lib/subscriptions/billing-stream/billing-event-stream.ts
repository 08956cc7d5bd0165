import { type InternationalPrice, priceOf, usageSectionsOf } from '../../catalog/index.ts';
import {
  type Account,
  type BillingEvent,
  BillingMode,
  BillingTransitionType,
  type BlockingState,
  type LifecycleEvent,
  LifecycleEventType,
  PhaseType,
  type UsageSection,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import { BillingPeriod, type DatedInstant, type Instant } from '../../values/time/index.ts';
import { type SubscriptionHistory, timelinesOf } from '../add-ons/base-end.ts';
import { blockedIntervals } from '../blocking/blocked-time.ts';
import {
  type BillCycleDay,
  type BillCycleDaySources,
  billCycleDayOf,
  billCycleDaySources,
} from '../timeline/bill-cycle-day.ts';
import { isEnd } from '../timeline/lifecycle-events.ts';
import {
  billedTransitions,
  type PlanInForce,
  type PlanResolver,
  type PriceChangeSource,
  type Transition,
} from '../timeline/transitions.ts';
import { type BillingTransition, withPriceChanges } from './price-change-transitions.ts';
import {
  type StreamEvent,
  withoutBlockedIntervals,
  withRunningPeriods,
} from './without-blocked-intervals.ts';

export interface BilledHistory extends SubscriptionHistory {
  /** Active states of the subscription, its bundle and its account, without starts and ends of entitlements. */
  readonly blockingStates: readonly BlockingState[];
}

export interface BillingEventsInput {
  readonly account: Pick<Account, 'id' | 'currency' | 'billCycleDayLocal' | 'timeZone' | 'referenceTime'>;
  /** Subscriptions of the account, including the base of each add-on. */
  readonly histories: readonly BilledHistory[];
  readonly plans: PlanResolver & PriceChangeSource;
  /** If true, price changes take effect on the next bill cycle date (catalog §6.4 rule 5). Defaults to false. */
  readonly alignPriceChanges?: boolean;
}

export interface BillingEventStream {
  /** Billing events, sorted by subscription id, then by time (§19.2 rule 3). */
  readonly events: readonly BillingEvent[];
  /** Subscriptions without billing events because their first event is neither CREATE nor TRANSFER. */
  readonly skipped: readonly Uuid[];
  /**
   * Ends of subscriptions by CANCEL or EXPIRED. Includes ends that are missing from the stream because billing is
   * blocked.
   */
  readonly ends: ReadonlyMap<Uuid, DatedInstant>;
}

/**
 * Returns the events for invoicing (§19.1, §19.2). They include price changes (§13) and unstored phases and expiries,
 * but exclude blocked time (§19.3). If the account has no bill cycle day, ACCOUNT alignment is treated as SUBSCRIPTION,
 * and `isAccountAligned` marks the events that determine that day (§15.2).
 * @throws BillingError CATALOG_NO_PRICE_FOR_CURRENCY (2010), CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY (2011).
 */
export function billingEvents(input: BillingEventsInput): BillingEventStream {
  // Process one bundle at a time, so that intermediate events can be freed early.
  const bundles = Map.groupBy(input.histories, ({ subscription }) => subscription.bundleId);
  const streams = [...bundles.values()]
    .flatMap((histories) => streamsOfBundle(histories, input))
    .sort((a, b) => (a.subscriptionId < b.subscriptionId ? -1 : 1));
  return {
    events: streams.flatMap(({ events }) => events),
    skipped: streams.filter(({ isSkipped }) => isSkipped).map(({ subscriptionId }) => subscriptionId),
    ends: new Map(
      streams.flatMap(({ subscriptionId, end }) => (end === null ? [] : [[subscriptionId, end]])),
    ),
  };
}

function streamsOfBundle(
  histories: readonly BilledHistory[],
  { account, plans, alignPriceChanges = false }: BillingEventsInput,
) {
  const timelines = timelinesOf(histories, { plans, zone: account.timeZone });
  const sources = billCycleDaySources(timelines, account);
  return timelines.map(({ subscription, transitions, blockingStates, events: stored }) => {
    const own = sources.get(subscription.id);
    const end = transitions.find(({ event }) => isEnd(event))?.event.effective ?? null;
    const events =
      own === undefined
        ? []
        : eventsOfSubscription({
            account,
            plans,
            subscription,
            transitions: billedTransitions(transitions),
            blockingStates,
            sources: own,
            end: end?.at ?? null,
            alignPriceChanges,
          });
    return {
      subscriptionId: subscription.id,
      events,
      isSkipped: own === undefined && stored.length > 0,
      end,
    };
  });
}

interface SubscriptionStream {
  readonly subscription: SubscriptionHistory['subscription'];
  readonly transitions: readonly Transition[];
  readonly blockingStates: readonly BlockingState[];
  readonly sources: BillCycleDaySources;
  readonly end: Instant | null;
  readonly account: BillingEventsInput['account'];
  readonly plans: PriceChangeSource;
  readonly alignPriceChanges: boolean;
}

function eventsOfSubscription(stream: SubscriptionStream): readonly BillingEvent[] {
  let cycle: BillCycleDay | undefined;
  const blocked = blockedIntervals(stream.blockingStates, stream.end, stream.account.timeZone);
  const transitions = withPriceChanges({ ...stream, blocked, isAligned: stream.alignPriceChanges });
  const events = transitions.map((transition): StreamEvent => {
    const inForce = transition.next;
    if (inForce !== null) cycle = billCycleDayOf(inForce, transition.billCycleDay, stream.sources);
    return {
      event: billingEventOf(transition, stream, cycle),
      bringsPhase: bringsPhase(transition),
      splitsPeriod: splitsPeriod(transition),
    };
  });
  return withRunningPeriods(withoutBlockedIntervals(events, blocked));
}

function billingEventOf(
  transition: BillingTransition,
  stream: SubscriptionStream,
  cycle: BillCycleDay | undefined,
): BillingEvent {
  const inForce = transition.next;
  const { event } = transition;
  return {
    subscriptionId: stream.subscription.id,
    bundleId: stream.subscription.bundleId,
    effectiveDate: event.effective.at,
    localDate: event.effective.date,
    cycleStart: event.effective.date,
    totalOrdering: event.recordId,
    transitionType: billingTypeOf(event),
    ...planFields(inForce, event.effective.at),
    // A fixed price is billed only when the phase begins, not after a change of price, day or quantity (§19.1).
    fixedPrice: bringsPhase(transition)
      ? priceIn(inForce?.phase.fixed?.price, inForce, stream.account)
      : null,
    recurringPrice: priceIn(inForce?.phase.recurring?.price, inForce, stream.account),
    billingPeriod: inForce?.phase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD,
    billingMode: (inForce ?? transition.previous)?.plan.recurringBillingMode ?? BillingMode.IN_ADVANCE,
    // CANCEL and EXPIRED repeat the previous value (§19.1).
    billCycleDayLocal: cycle?.day ?? 0,
    isAccountAligned: cycle?.isAccountAligned ?? false,
    billingAlignment: cycle?.alignment ?? null,
    isRequestedDay: cycle?.isRequested ?? false,
    quantity: transition.quantity ?? 1,
    usages: usagesOf(inForce, stream.account),
  };
}

function planFields(inForce: PlanInForce | null, at: Instant) {
  const parentPlanName = inForce?.plan.parentPlanName;
  return {
    productName: inForce?.plan.product ?? null,
    planName: inForce?.plan.name ?? null,
    ...(parentPlanName === undefined ? {} : { parentPlanName }),
    phaseName: inForce?.phase.name ?? null,
    phasePrettyName: inForce?.phase.prettyName ?? null,
    phaseDuration: inForce?.phase.duration ?? null,
    isEvergreen: inForce?.phase.type === PhaseType.EVERGREEN,
    // An override plan does not belong to a version, so this is the date of the transition (catalog §6.4 rule 9).
    catalogEffectiveDate: inForce && (parentPlanName === undefined ? inForce.version.effectiveDate : at),
  };
}

function bringsPhase({ isPriceChange, event }: BillingTransition): boolean {
  return !isPriceChange && typesThatBringPhase.has(event.type);
}

function splitsPeriod({ isPriceChange, event }: BillingTransition): boolean {
  return isPriceChange || event.type === LifecycleEventType.QUANTITY_CHANGE;
}

const typesThatBringPhase: ReadonlySet<LifecycleEventType> = new Set([
  LifecycleEventType.CREATE,
  LifecycleEventType.TRANSFER,
  LifecycleEventType.CHANGE,
  LifecycleEventType.PHASE,
]);

function priceIn(
  price: InternationalPrice | null | undefined,
  inForce: PlanInForce | null,
  account: BillingEventsInput['account'],
): Decimal | null {
  if (!price) return null;
  if (price.prices.length === 0) return ZERO;
  const currency: Currency | null = account.currency;
  if (currency !== null) return priceOf(price, currency);
  throw withoutCurrency(inForce, account);
}

function withoutCurrency(inForce: PlanInForce | null, { id }: BillingEventsInput['account']): BillingError {
  return billingError(
    ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY,
    `Account ${id} has no currency, so plan ${inForce?.plan.name} has no price for it; create the account with a currency`,
    { accountId: id, planName: inForce?.plan.name },
  );
}

// Most phases charge no usage. These phases share one array.
const NO_USAGES: readonly UsageSection[] = [];

/** Returns the usage sections. The sections come from the catalog version even if an override plan changes prices. */
function usagesOf(inForce: PlanInForce | null, account: BillingEventsInput['account']) {
  if (
    inForce === null ||
    !inForce.phase.usages.some(({ billingMode }) => billingMode === BillingMode.IN_ARREAR)
  )
    return NO_USAGES;
  const { currency } = account;
  if (currency === null) throw withoutCurrency(inForce, account);
  return usageSectionsOf(inForce.phase, { currency, versionDate: inForce.version.effectiveDate });
}

function billingTypeOf(event: LifecycleEvent): BillingTransitionType {
  switch (event.type) {
    case LifecycleEventType.UNCANCEL:
    case LifecycleEventType.UNDO_CHANGE:
      throw new Error(`${event.type} is not a billing event`);
    default:
      return BillingTransitionType[event.type];
  }
}
