import type { RecurringBasis } from '../../records/index.ts';
import { type BillingAlignment, PlanAlignmentChange } from '../../records/index.ts';
import { DatedBy } from '../../subscriptions/index.ts';
import { formatLocalDate, isMonthBased } from '../../values/time/index.ts';
import type { EventFacts, ItemEvents } from './event-facts.ts';
import { capitalised, caseText, eventName } from './explanation-words.ts';

// What explanations say of the catalog's rules (catalog §8) and of dates that were asked for; '' = nothing.

/** Whose bill cycle day it is, and by which case of the catalog. */
export function cycleSentence(basis: RecurringBasis): string {
  const { billCycleDay, billingPeriod, billingAlignment, isRequestedDay, isAccountAligned } = basis;
  if (!isMonthBased(billingPeriod)) return '';
  const day = `The bill cycle day is ${billCycleDay}`;
  if (isRequestedDay) return `${day}, as was asked for this subscription.`;
  if (billingAlignment === null) return `${day}${isAccountAligned ? ', that of the account' : ''}.`;
  const { result, conditions } = billingAlignment;
  return `${day}, ${CYCLE_OWNERS[result]} (billing alignment ${caseText(conditions)}: ${result}).`;
}

const CYCLE_OWNERS: Readonly<Record<BillingAlignment, string>> = {
  ACCOUNT: 'that of the account',
  BUNDLE: 'that of the base of the bundle',
  SUBSCRIPTION: 'that of the subscription itself',
};

/** Why an event takes effect when it does. */
export function dateSentence(facts: EventFacts | null): string {
  const reason = facts?.reason;
  if (!facts || !reason) return '';
  const { policy, policyConditions } = reason;
  const date = `${capitalised(eventName(facts))} takes effect on ${formatLocalDate(facts.localDate)}`;
  switch (reason.datedBy) {
    case DatedBy.REQUESTED_POLICY:
      return `${date} by the policy ${policy} that was asked for.`;
    case DatedBy.CATALOG_RULE: {
      const rule = facts.cameWith === 'CANCEL' ? 'cancellation' : 'change';
      return `${date} by the catalog’s ${rule} policy ${caseText(policyConditions)}: ${policy}.`;
    }
    case DatedBy.TRANSFER:
      return policy === null ? '' : `${date} by the policy ${policy} of the transfer.`;
    case DatedBy.REQUESTED_DATE:
    case DatedBy.BASE:
      return '';
    default:
      return neverDated(reason.datedBy);
  }
}

/** The date from which phases count, if that is not the day on which the plan was chosen, or if it dates a phase. */
export function phaseSentence({ event, planEvent }: ItemEvents): string {
  const { alignment = null } = planEvent?.reason ?? {};
  if (planEvent === null || planEvent.phaseAnchor === null || alignment === null) return '';
  const { phaseAnchor, localDate } = planEvent;
  if (event?.type !== 'PHASE' && phaseAnchor === localDate) return '';
  const rule = planEvent.reason?.alignedBy === 'CREATE' ? 'create alignment' : 'change alignment';
  const { result, conditions } = alignment;
  return `The phases of the plan count from ${formatLocalDate(phaseAnchor)}, ${ORIGINS[result]} (${rule} ${caseText(conditions)}: ${result}).`;
}

const ORIGINS: Readonly<Record<PlanAlignmentChange, string>> = {
  [PlanAlignmentChange.START_OF_BUNDLE]: 'the start of the bundle',
  [PlanAlignmentChange.START_OF_SUBSCRIPTION]: 'the start of the subscription',
  [PlanAlignmentChange.CHANGE_OF_PLAN]: 'the change of plan',
  [PlanAlignmentChange.CHANGE_OF_PRICELIST]: 'the change to the price list',
};

function neverDated(source: never): never {
  throw new Error(`Unknown source of a date ${String(source)}`);
}
