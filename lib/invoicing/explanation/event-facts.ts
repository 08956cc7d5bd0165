import {
  type BasisEvent,
  BillingTransitionType,
  type BlockingState,
  type ComputedBasis,
  type LifecycleEvent,
  PeriodRule,
  type RuleConditions,
} from '../../records/index.ts';
import { DatedBy, datedBy, type EventReason, isPlanChoice, readReason } from '../../subscriptions/index.ts';
import { type Instant, isMonthBased, type LocalDate } from '../../values/time/index.ts';

export interface SubscriptionPast {
  /** Active and withdrawn ones. */
  readonly events: readonly LifecycleEvent[];
  /** Active states of the subscription, its bundle and its account. */
  readonly blockingStates: readonly BlockingState[];
}

export const NO_PAST: SubscriptionPast = { events: [], blockingStates: [] };

/** A billing event, and what the subscription's history knows of it. */
export interface EventFacts extends BasisEvent {
  /** Type of the choice of plan with a bill cycle day or quantity; other events keep their own type. */
  readonly cameWith: BillingTransitionType;
  /** True for a CHANGE of only the catalog price. */
  readonly isPriceChange: boolean;
  /** The reason for its date; null = not kept. */
  readonly reason: EventReason | null;
  /** For a choice of plan, the date from which its phases count. */
  readonly phaseAnchor: LocalDate | null;
  /** For the start and end of a block, its services and states, if still stored. */
  readonly blockedBy: readonly Pick<BlockingState, 'service' | 'stateName'>[];
}

export interface ItemEvents {
  /** The event that set its price; for a repair, the event that caused it. */
  readonly event: EventFacts | null;
  readonly nextEvent: EventFacts | null;
  readonly planEvent: EventFacts | null;
}

export const NO_EVENTS: ItemEvents = { event: null, nextEvent: null, planEvent: null };

/** The events of a basis by the subscription's history at the item's creation. */
export function eventsBehind(
  basis: ComputedBasis,
  item: { readonly planName: string | null; readonly createdDate: Instant },
  past: SubscriptionPast,
): ItemEvents {
  if (basis.kind === 'CREDIT') return NO_EVENTS;
  const known = new Past(past, item.createdDate);
  const { event } = basis;
  if (basis.kind === 'REPAIR') return { ...NO_EVENTS, event: event && known.factsOf(event) };
  const nextEvent = basis.kind === 'FIXED' ? null : basis.nextEvent;
  return {
    event: event && known.factsOf(event),
    nextEvent: nextEvent && known.factsOf(nextEvent),
    planEvent: event && known.planChoice(event, item.planName),
  };
}

class Past {
  readonly #past: SubscriptionPast;
  readonly #at: Instant;

  constructor(past: SubscriptionPast, at: Instant) {
    this.#past = past;
    this.#at = at;
  }

  factsOf(event: BasisEvent): EventFacts {
    const stored = this.#stored(event);
    const { type, effectiveDate } = event;
    const isTerm =
      type === BillingTransitionType.BCD_CHANGE || type === BillingTransitionType.QUANTITY_CHANGE;
    const choice = isTerm
      ? this.#choices().find(({ effective }) => effective.at === effectiveDate)
      : undefined;
    return {
      ...event,
      cameWith: choice === undefined ? type : typeOf(choice),
      isPriceChange: type === BillingTransitionType.CHANGE && stored === undefined,
      reason: this.#reasonOf(event, choice ?? stored),
      phaseAnchor: (choice ?? stored)?.phaseAnchor?.date ?? null,
      blockedBy: this.#blockedBy(event),
    };
  }

  /** The latest choice of that plan up to the event. */
  planChoice(until: BasisEvent, planName: string | null): EventFacts | null {
    const choice = this.#choices().find(
      (each) => each.planName === planName && each.effective.at <= until.effectiveDate,
    );
    if (choice === undefined) return null;
    const { effective } = choice;
    return this.factsOf({ type: typeOf(choice), effectiveDate: effective.at, localDate: effective.date });
  }

  /** The event of that type and instant that was in force when the item was made. */
  #stored({ type, effectiveDate }: BasisEvent): LifecycleEvent | undefined {
    const same = this.#past.events.filter(
      (event) => event.type === type && event.effective.at === effectiveDate,
    );
    return same.find((event) => this.#stood(event)) ?? same.at(-1);
  }

  #choices(): readonly LifecycleEvent[] {
    return this.#past.events
      .filter((event) => isPlanChoice(event) && this.#stood(event))
      .toSorted((a, b) => b.effective.at - a.effective.at || b.sequence - a.sequence);
  }

  #stood({ createdDate, isActive, deactivatedBy }: LifecycleEvent): boolean {
    if (createdDate > this.#at) return false;
    if (isActive) return true;
    const by = this.#past.events.find(({ id }) => id === deactivatedBy);
    return by !== undefined && by.createdDate > this.#at;
  }

  /** An end that is not stored is derived from the end of the base (subscriptions §12). */
  #reasonOf({ type }: BasisEvent, stored: LifecycleEvent | undefined): EventReason | null {
    const isEnd = type === BillingTransitionType.CANCEL || type === BillingTransitionType.EXPIRED;
    if (stored === undefined) return isEnd ? datedBy(DatedBy.BASE) : null;
    return stored.reason === null ? null : readReason(stored.reason);
  }

  #blockedBy({ type, effectiveDate }: BasisEvent): EventFacts['blockedBy'] {
    const isStart = type === BillingTransitionType.START_BILLING_DISABLED;
    if (!isStart && type !== BillingTransitionType.END_BILLING_DISABLED) return [];
    return this.#past.blockingStates
      .filter(({ effective, isBlockBilling }) => effective.at === effectiveDate && isBlockBilling === isStart)
      .map(({ service, stateName }) => ({ service, stateName }));
  }
}

/** Never called for markers of an undo. */
function typeOf({ type }: LifecycleEvent): BillingTransitionType {
  return type === 'UNCANCEL' || type === 'UNDO_CHANGE'
    ? BillingTransitionType.CHANGE
    : BillingTransitionType[type];
}

/** A rule of the catalog (catalog §8) that decided a date or a bill cycle day of an item. */
export const ExplainedRuleName = {
  /** Which bill cycle day counts. */
  BILLING_ALIGNMENT: 'BILLING_ALIGNMENT',
  CREATE_ALIGNMENT: 'CREATE_ALIGNMENT',
  CHANGE_ALIGNMENT: 'CHANGE_ALIGNMENT',
  CHANGE_POLICY: 'CHANGE_POLICY',
  CANCEL_POLICY: 'CANCEL_POLICY',
} as const;
export type ExplainedRuleName = (typeof ExplainedRuleName)[keyof typeof ExplainedRuleName];

export interface ExplainedRule {
  readonly rule: ExplainedRuleName;
  readonly result: string;
  /** The conditions of the matching case, empty if it always applies; null = none matched, so the default counts. */
  readonly conditions: RuleConditions | null;
  /** The event that it dates or whose phases it aligns; null for BILLING_ALIGNMENT. */
  readonly event: BasisEvent | null;
}

/** The rules that have a part in the amount of an item, each with its case as it was then. */
export function rulesBehind(basis: ComputedBasis, events: ItemEvents): readonly ExplainedRule[] {
  const dated = [events.event, endingEvent(basis, events)].filter((event) => event !== null);
  return [...billingAlignment(basis), ...dated.flatMap(policyOf), ...alignmentOf(events)];
}

/** The next event, if the item ends by it; a whole period would end the same without it. */
export function endingEvent(basis: ComputedBasis, { nextEvent }: ItemEvents): EventFacts | null {
  if (basis.kind === 'USAGE') return nextEvent;
  if (basis.kind !== 'RECURRING' || nextEvent === null) return null;
  const ends = basis.rule === PeriodRule.TRAILING || basis.rule === PeriodRule.BETWEEN_EVENTS;
  return ends && basis.endDate === nextEvent.localDate ? nextEvent : null;
}

function billingAlignment(basis: ComputedBasis): readonly ExplainedRule[] {
  if (basis.kind !== 'RECURRING' || basis.billingAlignment === null || basis.isRequestedDay) return [];
  if (!isMonthBased(basis.billingPeriod)) return [];
  return [{ rule: ExplainedRuleName.BILLING_ALIGNMENT, ...basis.billingAlignment, event: null }];
}

function policyOf(facts: EventFacts): readonly ExplainedRule[] {
  const { reason, cameWith } = facts;
  if (reason?.datedBy !== DatedBy.CATALOG_RULE || reason.policy === null) return [];
  const rule = cameWith === 'CANCEL' ? ExplainedRuleName.CANCEL_POLICY : ExplainedRuleName.CHANGE_POLICY;
  return [{ rule, result: reason.policy, conditions: reason.policyConditions, event: eventOf(facts) }];
}

/** The rule from which date phases count: it dates a PHASE, and decides in which phase a plan begins. */
function alignmentOf({ planEvent }: ItemEvents): readonly ExplainedRule[] {
  const { alignment = null, alignedBy = null } = planEvent?.reason ?? {};
  if (planEvent === null || alignment === null) return [];
  const rule =
    alignedBy === 'CREATE' ? ExplainedRuleName.CREATE_ALIGNMENT : ExplainedRuleName.CHANGE_ALIGNMENT;
  return [{ rule, ...alignment, event: eventOf(planEvent) }];
}

function eventOf({ type, effectiveDate, localDate }: EventFacts): BasisEvent {
  return { type, effectiveDate, localDate };
}
