import type { RuleConditions } from '../../records/index.ts';
import { type BasisEvent, type ComputedBasis, PeriodRule } from '../../records/index.ts';
import { DatedBy } from '../../subscriptions/index.ts';
import { isMonthBased } from '../../values/time/index.ts';
import type { EventFacts, ItemEvents } from './event-facts.ts';

/** A rule of the catalog (catalog §8) that decided a date or a bill cycle day of an item. */
export const ExplainedRuleName = {
  /** Which bill cycle day counts. */
  BILLING_ALIGNMENT: 'BILLING_ALIGNMENT',
  /** From which date the phases of the plan count. */
  CREATE_ALIGNMENT: 'CREATE_ALIGNMENT',
  CHANGE_ALIGNMENT: 'CHANGE_ALIGNMENT',
  /** When a change or cancellation takes effect. */
  CHANGE_POLICY: 'CHANGE_POLICY',
  CANCEL_POLICY: 'CANCEL_POLICY',
} as const;
export type ExplainedRuleName = (typeof ExplainedRuleName)[keyof typeof ExplainedRuleName];

export interface ExplainedRule {
  readonly rule: ExplainedRuleName;
  readonly result: string;
  /** What the matching case asks for, empty where it holds for all; null = none matched, so that the default counts. */
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
