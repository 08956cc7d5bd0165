import type { BillingEvent, BillingTransitionType } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import type { BillingPeriod, Instant, LocalDate } from '../../../lib/values/time/index.ts';
import { formatLocalDate, parseLocalDate } from '../../../lib/values/time/index.ts';

export const subscriptionId = '00000000-0000-7000-8000-000000000001' as Uuid;
export const bundleId = '00000000-0000-7000-8000-000000000002' as Uuid;

export const day = parseLocalDate;
export const text = formatLocalDate;

/** The state from an event on; prices are texts, null = no such price. */
export interface EventFields {
  readonly plan?: string;
  readonly phase?: string;
  readonly price?: string | null;
  readonly fixed?: string | null;
  readonly period?: BillingPeriod;
  readonly bcd?: number;
  readonly mode?: BillingEvent['billingMode'];
  readonly quantity?: number;
  readonly order?: number;
  /** Length of a phase that ends; absent = evergreen. */
  readonly phaseDays?: number;
  readonly catalogDate?: string;
  readonly isAccountAligned?: boolean;
  /** For an event that splits the running period: the date of the event that started its cycle. */
  readonly since?: string;
}

/** An event that is evergreen, monthly, in advance, with quantity 1 by default. */
export function event(
  type: BillingTransitionType,
  date: string | LocalDate,
  fields: EventFields = {},
): BillingEvent {
  const localDate = typeof date === 'string' ? parseLocalDate(date) : date;
  const { plan = 'gold-monthly', phaseDays, catalogDate } = fields;
  const price = fields.price === undefined ? null : fields.price;
  const phaseName = fields.phase ?? `${plan}-${phaseDays === undefined ? 'evergreen' : 'trial'}`;
  return {
    subscriptionId,
    bundleId,
    effectiveDate: (localDate * 86_400_000) as Instant,
    localDate,
    cycleStart: fields.since === undefined ? localDate : parseLocalDate(fields.since),
    totalOrdering: fields.order ?? 1,
    transitionType: type,
    productName: plan.split('-')[0] ?? plan,
    planName: plan,
    phaseName,
    phasePrettyName: null,
    phaseDuration: phaseDays === undefined ? null : { unit: 'DAYS', number: phaseDays },
    isEvergreen: phaseDays === undefined,
    catalogEffectiveDate:
      catalogDate === undefined ? null : ((parseLocalDate(catalogDate) * 86_400_000) as Instant),
    fixedPrice: fields.fixed === undefined || fields.fixed === null ? null : decimal(fields.fixed),
    recurringPrice: price === null ? null : decimal(price),
    billingPeriod: price === null ? 'NO_BILLING_PERIOD' : (fields.period ?? 'MONTHLY'),
    billingMode: fields.mode ?? 'IN_ADVANCE',
    billCycleDayLocal: fields.bcd ?? 1,
    isAccountAligned: fields.isAccountAligned ?? true,
    billingAlignment: null,
    isRequestedDay: false,
    quantity: fields.quantity ?? 1,
    usages: [],
  };
}

/** A cancellation. */
export function cancel(date: string | LocalDate): BillingEvent {
  return { ...event('CANCEL', date), productName: null, planName: null, phaseName: null };
}
