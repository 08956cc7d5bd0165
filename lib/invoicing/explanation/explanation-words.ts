import {
  type BillingAlignment,
  type BillingTransitionType,
  ENTITLEMENT_SERVICE,
  type InvoiceItem,
  PlanAlignmentChange,
  type RecurringBasis,
  type RuleConditions,
} from '../../records/index.ts';
import { DatedBy } from '../../subscriptions/index.ts';
import { plural } from '../../values/text/index.ts';
import {
  type BillingPeriod,
  formatInstant,
  formatLocalDate,
  type Instant,
  isMonthBased,
  type LocalDate,
} from '../../values/time/index.ts';
import type { EventFacts, ItemEvents } from './event-facts.ts';

export function planOf({ planName, phaseName, description }: InvoiceItem): string {
  if (planName === null) return description ?? 'the item';
  return phaseName === null ? `plan ${planName}` : `plan ${planName}, phase ${phaseName}`;
}

/**
 * Returns an instant as text. If the instant is the start of a UTC day, as for most catalog versions, returns a date.
 */
export function instantText(at: Instant): string {
  return formatInstant(at).replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
}

interface Days {
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
}

/** Returns a range such as `2024-01-15 to 2024-02-01`. The second day is exclusive. */
export function range({ startDate, endDate }: Days): string {
  return endDate === null ? dateText(startDate) : `${dateText(startDate)} to ${dateText(endDate)}`;
}

/** Returns the range with its number of days, such as `2024-01-15 to 2024-02-01 (17 days)`. */
export function formatRangeWithDays(days: Days): string {
  const { startDate, endDate } = days;
  return startDate === null || endDate === null
    ? range(days)
    : `${range(days)} (${plural(endDate - startDate, 'day')})`;
}

export function dateText(day: LocalDate | null): string {
  return day === null ? 'no date' : formatLocalDate(day);
}

/** Returns the name of a period: `MONTHLY` → `Monthly`, `THIRTY_DAYS` → `Thirty days`. */
export function periodName(period: BillingPeriod): string {
  return capitalize(period.toLowerCase().replaceAll('_', ' '));
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function eventText(facts: EventFacts): string {
  return `${eventName(facts)} on ${formatLocalDate(facts.localDate)}${blockersOf(facts)}`;
}

export function eventName(facts: EventFacts): string {
  const { cameWith, isPriceChange, reason, blockedBy } = facts;
  if (isPriceChange) return 'the change of price';
  if (reason?.datedBy === DatedBy.BASE) return 'the end caused by its base subscription';
  if (cameWith === 'CANCEL' && reason?.datedBy === DatedBy.TRANSFER) return 'the transfer to another account';
  if (!blockedBy.some(({ service }) => service === ENTITLEMENT_SERVICE)) return EVENT_NAMES[cameWith];
  return cameWith === 'START_BILLING_DISABLED' ? 'the pause of its bundle' : 'the resumption of its bundle';
}

const EVENT_NAMES: Readonly<Record<BillingTransitionType, string>> = {
  CREATE: 'the start',
  TRANSFER: 'the transfer from another account',
  CHANGE: 'the change of plan',
  PHASE: 'the start of the phase',
  CANCEL: 'the cancellation',
  EXPIRED: 'the expiry',
  BCD_CHANGE: 'the change of the bill cycle day',
  QUANTITY_CHANGE: 'the change of quantity',
  START_BILLING_DISABLED: 'the pause of billing',
  END_BILLING_DISABLED: 'the return of billing',
};

/** Returns the blocking services, such as ` (service overdue: BLOCKED)`. Pauses of bundles are omitted. */
function blockersOf({ blockedBy }: EventFacts): string {
  const others = blockedBy.filter(({ service }) => service !== ENTITLEMENT_SERVICE);
  return others.length === 0
    ? ''
    : ` (${others.map(({ service, stateName }) => `service ${service}: ${stateName}`).join('; ')})`;
}

/**
 * Returns the conditions of a catalog case, such as `for phase type TRIAL`, `for a change to product Elite` or `for
 * all plans`.
 */
export function caseText(conditions: RuleConditions | null): string {
  if (conditions === null) return 'by default';
  const asked = Object.entries(conditions).map(
    ([name, value]) => `${name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)} ${value}`,
  );
  const [first] = asked;
  if (first === undefined) return 'for all plans';
  return `for ${/^(from|to) /.test(first) ? 'a change ' : ''}${asked.join(', ')}`;
}

// The following functions explain the catalog's rules (catalog §8) and requested dates.
// An empty string means no sentence.
export function cycleSentence(basis: RecurringBasis): string {
  const { billCycleDay, billingPeriod, billingAlignment, isRequestedDay, isAccountAligned } = basis;
  if (!isMonthBased(billingPeriod)) return '';
  const day = `The bill cycle day is ${billCycleDay}`;
  if (isRequestedDay) return `${day}, as requested for this subscription.`;
  if (billingAlignment === null) return `${day}${isAccountAligned ? ', that of the account' : ''}.`;
  const { result, conditions } = billingAlignment;
  return `${day}, ${CYCLE_OWNERS[result]} (billing alignment ${caseText(conditions)}: ${result}).`;
}

const CYCLE_OWNERS: Readonly<Record<BillingAlignment, string>> = {
  ACCOUNT: 'that of the account',
  BUNDLE: 'that of the base of the bundle',
  SUBSCRIPTION: 'that of the subscription itself',
};

/** Returns a sentence with the reason for the effective date of an event. */
export function dateSentence(facts: EventFacts | null): string {
  const reason = facts?.reason;
  if (!facts || !reason) return '';
  const { policy, policyConditions } = reason;
  const date = `${capitalize(eventName(facts))} takes effect on ${formatLocalDate(facts.localDate)}`;
  switch (reason.datedBy) {
    case DatedBy.REQUESTED_POLICY:
      return `${date} by the requested policy ${policy}.`;
    case DatedBy.CATALOG_RULE: {
      const rule = facts.cameWith === 'CANCEL' ? 'cancellation' : 'change';
      return `${date} by the catalog’s ${rule} policy ${caseText(policyConditions)}: ${policy}.`;
    }
    case DatedBy.TRANSFER:
      return policy === null ? '' : `${date} by the policy ${policy} of the transfer.`;
    case DatedBy.REQUESTED_DATE:
    case DatedBy.BASE:
      return '';
  }
}

/**
 * Returns a sentence with the date from which phases are measured. The sentence is empty unless that date differs from
 * the day on which the plan was chosen, or determines the date of a phase.
 */
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
