import type { BillingEvent } from '../records/index.ts';
import type { Decimal } from '../values/money/index.ts';
import { type LocalDate, minDate } from '../values/time/index.ts';

/**
 * The local date from which one subscription is billed differently under another stream of events; null = it is billed
 * alike. The version that supplies a plan is informative and makes no difference (§5.5 rule 1).
 */
export function firstChangedDate(
  before: readonly BillingEvent[],
  after: readonly BillingEvent[],
): LocalDate | null {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index += 1) {
    const [was, is] = [before[index], after[index]];
    if (was === undefined || is === undefined) return was?.localDate ?? is?.localDate ?? null;
    if (!isBilledAlike(was, is)) return minDate(was.localDate, is.localDate);
  }
  return null;
}

function isBilledAlike(one: BillingEvent, other: BillingEvent): boolean {
  return (
    comparedAsTheyAre.every((name) => one[name] === other[name]) &&
    isSameAmount(one.fixedPrice, other.fixedPrice) &&
    isSameAmount(one.recurringPrice, other.recurringPrice)
  );
}

const comparedAsTheyAre = [
  'localDate',
  'planName',
  'phaseName',
  'billingPeriod',
  'billingMode',
  'billCycleDayLocal',
  'quantity',
] as const satisfies readonly (keyof BillingEvent)[];

function isSameAmount(one: Decimal | null, other: Decimal | null): boolean {
  return one === null || other === null ? one === other : one.equals(other);
}
