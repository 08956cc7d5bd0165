import {
  type BasisEvent,
  BillingTransitionType,
  type BlockingState,
  type ComputedBasis,
  type LifecycleEvent,
  PeriodRule,
  type RuleConditions,
} from '../../records/index.ts';
import {
  DatedBy,
  type EventReason,
  isPlanChoice,
  readReason,
  reasonDatedBy,
} from '../../subscriptions/index.ts';
import { type Instant, isMonthBased, type LocalDate } from '../../values/time/index.ts';

export interface SubscriptionPast {
  /** Lifecycle events, both active and withdrawn. */
  readonly events: readonly LifecycleEvent[];
  /** Active blocking states of the subscription, its bundle and its account. */
  readonly blockingStates: readonly BlockingState[];
}

export const NO_PAST: SubscriptionPast = { events: [], blockingStates: [] };

/** A billing event with the related facts from the subscription's history. */
export interface EventFacts extends BasisEvent {
  /**
   * The type of the event. If the event sets a bill cycle day or quantity, this is the type of the plan event of the
   * same operation.
   */
  readonly cameWith: BillingTransitionType;
  /** True for a CHANGE that changes only the catalog price. */
  readonly isPriceChange: boolean;
  /** The reason for the date of the event, or null if no reason was stored. */
  readonly reason: EventReason | null;
  /** For a plan choice, the date from which the phases of the plan are measured. */
  readonly phaseAnchor: LocalDate | null;
  /** For the start or end of a block, those services and states that caused it and are still stored. */
  readonly blockedBy: readonly Pick<BlockingState, 'service' | 'stateName'>[];
}

export interface ItemEvents {
  /** The event that set the price. For a repair, the event that caused the repair. */
  readonly event: EventFacts | null;
  readonly nextEvent: EventFacts | null;
  readonly planEvent: EventFacts | null;
}

export const NO_EVENTS: ItemEvents = { event: null, nextEvent: null, planEvent: null };

/** Returns the events of a basis, as recorded in the subscription's history when the item was created. */
export function eventsOfBasis(
  basis: ComputedBasis,
  { planName, createdDate }: { readonly planName: string | null; readonly createdDate: Instant },
  past: SubscriptionPast,
): ItemEvents {
  if (basis.kind === 'CREDIT') return NO_EVENTS;
  const inForce = past.events.filter((event) => wasInForce(event, past.events, createdDate));
  const choices = inForce
    .filter((event) => isPlanChoice(event))
    .toSorted((a, b) => b.effective.at - a.effective.at || b.sequence - a.sequence);
  const known = { ...past, inForce, choices };
  const factsOf = (each: BasisEvent | null): EventFacts | null => each && eventFacts(each, known);
  const event = factsOf(basis.event);
  if (basis.kind === 'REPAIR') return { ...NO_EVENTS, event };
  const choice = choices.find(
    (each) => event !== null && each.planName === planName && each.effective.at <= event.effectiveDate,
  );
  return {
    event,
    nextEvent: basis.kind === 'FIXED' ? null : factsOf(basis.nextEvent),
    planEvent: choice
      ? factsOf({
          type: typeOf(choice),
          effectiveDate: choice.effective.at,
          localDate: choice.effective.date,
        })
      : null,
  };
}

interface PastAtCreation extends SubscriptionPast {
  readonly inForce: readonly LifecycleEvent[];
  /** Choices of a plan, the latest first. */
  readonly choices: readonly LifecycleEvent[];
}

function eventFacts(
  event: BasisEvent,
  { events, inForce, choices, blockingStates }: PastAtCreation,
): EventFacts {
  const { type, effectiveDate } = event;
  const isSame = (each: LifecycleEvent): boolean => each.type === type && each.effective.at === effectiveDate;
  const stored = inForce.find(isSame) ?? events.findLast(isSame);
  const isTerm = type === BillingTransitionType.BCD_CHANGE || type === BillingTransitionType.QUANTITY_CHANGE;
  const choice = isTerm ? choices.find(({ effective }) => effective.at === effectiveDate) : undefined;
  const isBlockStart = type === BillingTransitionType.START_BILLING_DISABLED;
  const isBlock = isBlockStart || type === BillingTransitionType.END_BILLING_DISABLED;
  const blocks = blockingStates.filter(
    ({ effective, isBlockBilling }) => effective.at === effectiveDate && isBlockBilling === isBlockStart,
  );
  return {
    ...event,
    cameWith: choice === undefined ? type : typeOf(choice),
    isPriceChange: type === BillingTransitionType.CHANGE && stored === undefined,
    reason: reasonOf(type, choice ?? stored),
    phaseAnchor: (choice ?? stored)?.phaseAnchor?.date ?? null,
    blockedBy: isBlock ? blocks.map(({ service, stateName }) => ({ service, stateName })) : [],
  };
}

function wasInForce(
  { createdDate, isActive, deactivatedBy }: LifecycleEvent,
  events: readonly LifecycleEvent[],
  at: Instant,
): boolean {
  if (createdDate > at || isActive) return createdDate <= at;
  const by = events.find(({ id }) => id === deactivatedBy);
  return by !== undefined && by.createdDate > at;
}

/**
 * Returns the reason for the date of an event. If an end has no stored event, the reason is the end of the base
 * subscription (subscriptions §12).
 */
function reasonOf(type: BillingTransitionType, stored: LifecycleEvent | undefined) {
  const isEnd = type === BillingTransitionType.CANCEL || type === BillingTransitionType.EXPIRED;
  if (stored === undefined) return isEnd ? reasonDatedBy(DatedBy.BASE) : null;
  return stored.reason === null ? null : readReason(stored.reason);
}

/** Returns the type of an event. Never called for undo markers. */
function typeOf({ type }: LifecycleEvent) {
  return type === 'UNCANCEL' || type === 'UNDO_CHANGE'
    ? BillingTransitionType.CHANGE
    : BillingTransitionType[type];
}

/** Name of a catalog rule (catalog §8) that determined a date or the bill cycle day of an item. */
export const ExplainedRuleName = {
  /** Determines which bill cycle day applies. */
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
  /**
   * The conditions of the matching case. The object is empty if the case always applies, and null if no case matched
   * and the default applies.
   */
  readonly conditions: RuleConditions | null;
  /** The event whose date the rule determines, or whose phases it aligns. The value is null for BILLING_ALIGNMENT. */
  readonly event: BasisEvent | null;
}

/** Returns the rules that affected the amount of an item, each with the case that matched at that time. */
export function rulesOfBasis(basis: ComputedBasis, events: ItemEvents): readonly ExplainedRule[] {
  const dated = [events.event, endingEvent(basis, events)].filter((event) => event !== null);
  return [...billingAlignment(basis), ...dated.flatMap(policyOf), ...alignmentOf(events)];
}

/**
 * Returns the next event if it ends the item early. Returns null for a whole period, which ends on the same date with
 * or without the event.
 */
export function endingEvent(basis: ComputedBasis, { nextEvent }: ItemEvents): EventFacts | null {
  if (basis.kind === 'USAGE') return nextEvent;
  if (basis.kind !== 'RECURRING' || nextEvent === null) return null;
  const ends = basis.rule === PeriodRule.TRAILING || basis.rule === PeriodRule.BETWEEN_EVENTS;
  return ends && basis.endDate === nextEvent.localDate ? nextEvent : null;
}

function billingAlignment(basis: ComputedBasis) {
  if (basis.kind !== 'RECURRING' || basis.billingAlignment === null || basis.isRequestedDay) return [];
  if (!isMonthBased(basis.billingPeriod)) return [];
  return [{ rule: ExplainedRuleName.BILLING_ALIGNMENT, ...basis.billingAlignment, event: null }];
}

function policyOf(facts: EventFacts) {
  const { reason, cameWith } = facts;
  if (reason?.datedBy !== DatedBy.CATALOG_RULE || reason.policy === null) return [];
  const rule = cameWith === 'CANCEL' ? ExplainedRuleName.CANCEL_POLICY : ExplainedRuleName.CHANGE_POLICY;
  return [{ rule, result: reason.policy, conditions: reason.policyConditions, event: eventOf(facts) }];
}

/**
 * Returns the rule that determines the date from which phases are measured. The rule affects the date of a PHASE event
 * and the first phase of a plan.
 */
function alignmentOf({ planEvent }: ItemEvents) {
  const { alignment = null, alignedBy = null } = planEvent?.reason ?? {};
  if (planEvent === null || alignment === null) return [];
  const rule =
    alignedBy === 'CREATE' ? ExplainedRuleName.CREATE_ALIGNMENT : ExplainedRuleName.CHANGE_ALIGNMENT;
  return [{ rule, ...alignment, event: eventOf(planEvent) }];
}

function eventOf({ type, effectiveDate, localDate }: EventFacts): BasisEvent {
  return { type, effectiveDate, localDate };
}
