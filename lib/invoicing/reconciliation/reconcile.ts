import type { BillingEvent, CoverageRow } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { BillingPeriod, LocalDate } from '../../values/time/index.ts';
import type { DaysOfKind } from '../periods/billed-ahead.ts';
import type { FixedProposal } from '../periods/fixed-proposals.ts';
import type { RecurringProposal } from '../periods/recurring-proposals.ts';
import { newCharges, newFixedCharges } from './new-charges.ts';
import type { RecurringCharge, Repair } from './new-items.ts';
import { type BilledItem, type RecurringRow, recurringRows } from './recurring-row.ts';
import { repairItems } from './repairs.ts';
import { type UncoveredPart, uncoveredParts } from './uncovered-parts.ts';

/** Billing period in which a phase recurs by the catalog; null = the catalog does not know the phase. */
export type PeriodOfPhase = (planName: string, phaseName: string) => BillingPeriod | null;

export interface ReconcileInput {
  readonly fixed: readonly FixedProposal[];
  readonly recurring: readonly RecurringProposal[];
  /** What is billed of these days is not repaired yet; they lie after all proposals (see `billedAhead`). */
  readonly ahead: DaysOfKind | null;
  /** Rows of the window, and all rows of the items that are repaired. */
  readonly rows: readonly CoverageRow[];
  readonly items: ReadonlyMap<Uuid, BilledItem>;
  /** Events that the proposals come from; they tell the billing period of each plan's phase. */
  readonly events: readonly BillingEvent[];
  readonly periodOfPhase?: PeriodOfPhase;
  readonly windowStart: LocalDate | null;
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly prorationFixedDays: number;
}

export interface Reconciliation {
  readonly fixed: readonly FixedProposal[];
  readonly recurring: readonly RecurringCharge[];
  readonly repairs: readonly Repair[];
  /** What is left to repair of each item in `repairs`. */
  readonly repairable: ReadonlyMap<Uuid, Decimal>;
}

/** What turns the billed state of a subscription into the proposed one (§6). */
export function reconcile(input: ReconcileInput): Reconciliation {
  const { rows, windowStart, currency, prorationFixedDays } = input;
  const recurring = recurringRows(rows);
  const freeRows = rows.filter((row) => row.kind === 'FREE');
  const fixedRows = rows.filter((row) => row.kind === 'FIXED');
  const { repairs, repairable } = repairItems({
    parts: repairedParts(recurring, input, windowStart),
    rows: recurring,
    items: input.items,
    events: input.events,
    targetDate: input.targetDate,
    currency,
    prorationFixedDays,
    periodOf: periodsByPhase(input),
  });
  return {
    fixed: newFixedCharges(input.fixed, fixedRows),
    recurring: newCharges({
      proposals: input.recurring,
      ahead: input.ahead,
      rows: recurring,
      freeRows,
      windowStart,
      currency,
      prorationFixedDays,
    }),
    repairs,
    repairable,
  };
}

/**
 * The stretches of rows that no proposal of their kind covers, without those that the next event will end; free proposals
 * cover as others do.
 */
export function repairedParts(
  rows: readonly RecurringRow[],
  { recurring, ahead }: Pick<ReconcileInput, 'recurring' | 'ahead'>,
  windowStart: LocalDate | null,
): readonly UncoveredPart<RecurringRow>[] {
  const covers = ahead === null ? recurring : [...recurring, ahead];
  return uncoveredParts({ intervals: rows, covers, windowStart });
}

function periodsByPhase({
  events,
  periodOfPhase,
}: ReconcileInput): (row: RecurringRow) => BillingPeriod | null {
  return ({ planName, phaseName }) => {
    const event = events.find(
      (candidate) =>
        candidate.planName === planName &&
        candidate.phaseName === phaseName &&
        candidate.billingPeriod !== 'NO_BILLING_PERIOD',
    );
    return event?.billingPeriod ?? periodOfPhase?.(planName, phaseName) ?? null;
  };
}
