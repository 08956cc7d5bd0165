import type { BillingMode } from '../../records/index.ts';
import type { InArrearMode } from '../../tenants/index.ts';
import {
  type CycleDates,
  cycleDate,
  firstCycleAfter,
  type LocalDate,
  lastCycleUpTo,
  minDate,
} from '../../values/time/index.ts';

export interface BillThroughInput {
  readonly cycle: CycleDates;
  /** E: date of the subscription's next event, null if there is none. */
  readonly endDate: LocalDate | null;
  /** T. */
  readonly targetDate: LocalDate;
  readonly billingMode: BillingMode;
  readonly inArrearMode: InArrearMode;
}

/** X: the date up to which an event is billed at the target date; null = nothing yet (§5.3). */
export function billThroughDate(input: BillThroughInput): LocalDate | null {
  if (input.endDate !== null && input.targetDate >= input.endDate) return input.endDate;
  if (input.billingMode === 'IN_ADVANCE') return inAdvance(input);
  return input.inArrearMode === 'GREEDY' ? inArrearGreedy(input) : inArrear(input);
}

function inAdvance({ cycle, endDate, targetDate }: BillThroughInput): LocalDate {
  if (targetDate < cycle.first) return cycle.first;
  const next = cycleDate(cycle, firstCycleAfter(cycle, targetDate));
  return endDate === null ? next : minDate(next, endDate);
}

function inArrear({ cycle, targetDate }: BillThroughInput): LocalDate | null {
  if (targetDate < cycle.first) return null;
  return cycleDate(cycle, lastCycleUpTo(cycle, targetDate));
}

function inArrearGreedy({ cycle, endDate, targetDate }: BillThroughInput): LocalDate | null {
  if (targetDate < cycle.start) return null;
  if (endDate !== null && endDate < cycle.first) return endDate;
  const k = firstCycleAfter(cycle, targetDate);
  const next = cycleDate(cycle, k);
  if (endDate !== null && endDate <= next) return endDate;
  return k > 0 && cycleDate(cycle, k - 1) === targetDate ? targetDate : next;
}
