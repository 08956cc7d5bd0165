import type { BillingTransitionType, InvoiceItem, RuleConditions } from '../../records/index.ts';
import { ENTITLEMENT_SERVICE } from '../../records/index.ts';
import { DatedBy } from '../../subscriptions/index.ts';
import { plural } from '../../values/text/index.ts';
import {
  type BillingPeriod,
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
} from '../../values/time/index.ts';
import type { EventFacts } from './event-facts.ts';

// The words of explanations: how they name plans, days, amounts and events.

export function planOf({ planName, phaseName, description }: InvoiceItem): string {
  if (planName === null) return description ?? 'the item';
  return phaseName === null ? `plan ${planName}` : `plan ${planName}, phase ${phaseName}`;
}

/** A date where the instant begins a day of UTC, as the dates of most versions do. */
export function instantText(at: Instant): string {
  return formatInstant(at).replace('T00:00:00.000Z', '').replace('.000Z', 'Z');
}

interface Days {
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
}

/** `2024-01-15 to 2024-02-01`; the second day does not belong to the range any more. */
export function range({ startDate, endDate }: Days): string {
  return endDate === null ? dateText(startDate) : `${dateText(startDate)} to ${dateText(endDate)}`;
}

/** The same with its number of days: `2024-01-15 to 2024-02-01 (17 days)`. */
export function counted(days: Days): string {
  const { startDate, endDate } = days;
  return startDate === null || endDate === null
    ? range(days)
    : `${range(days)} (${plural(endDate - startDate, 'day')})`;
}

export function dateText(day: LocalDate | null): string {
  return day === null ? 'no date' : formatLocalDate(day);
}

/** `MONTHLY` → `Monthly`, `THIRTY_DAYS` → `Thirty days`. */
export function periodName(period: BillingPeriod): string {
  return capitalised(period.toLowerCase().replaceAll('_', ' '));
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `the change of plan on 2024-02-01`. */
export function eventText(facts: EventFacts): string {
  return `${eventName(facts)} on ${formatLocalDate(facts.localDate)}${blockersOf(facts)}`;
}

export function eventName(facts: EventFacts): string {
  const { cameWith, isPriceChange, reason, blockedBy } = facts;
  if (isPriceChange) return 'the change of price';
  if (reason?.datedBy === DatedBy.BASE) return 'the end that its base subscription brought';
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

/** ` (service overdue: BLOCKED)`; pauses of bundles are not named. */
function blockersOf({ blockedBy }: EventFacts): string {
  const others = blockedBy.filter(({ service }) => service !== ENTITLEMENT_SERVICE);
  return others.length === 0
    ? ''
    : ` (${others.map(({ service, stateName }) => `service ${service}: ${stateName}`).join('; ')})`;
}

/** What a case of the catalog asks for: `for phase type TRIAL`, `for a change to product Elite`, `for all plans`. */
export function caseText(conditions: RuleConditions | null): string {
  if (conditions === null) return 'by default';
  const asked = Object.entries(conditions).map(([name, value]) => `${words(name)} ${value}`);
  const [first] = asked;
  if (first === undefined) return 'for all plans';
  return `for ${/^(from|to) /.test(first) ? 'a change ' : ''}${asked.join(', ')}`;
}

/** `productCategory` → `product category`. */
function words(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
