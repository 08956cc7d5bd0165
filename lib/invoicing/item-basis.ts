import type { BasisEvent, BillingEvent, Share } from '../records/index.ts';
import { type Currency, type Decimal, prorate } from '../values/money/index.ts';

/** base × q(days, totalDays), rounded once to the currency (invoicing.md §2 rule 2). */
export function proratedShare({ base, days, totalDays }: Share, currency: Currency): Decimal {
  return prorate({ amount: base, days, totalDays, currency });
}

export function basisEvent({ transitionType, effectiveDate, localDate }: BillingEvent): BasisEvent {
  return { type: transitionType, effectiveDate, localDate };
}
