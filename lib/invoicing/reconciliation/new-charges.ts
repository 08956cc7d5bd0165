import type { CoverageRow, Share } from '../../records/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import type { DaysOfKind } from '../periods/billed-ahead.ts';
import type { FixedProposal } from '../periods/fixed-proposals.ts';
import {
  fixedDaysBetween,
  fixedDaysOfPeriod,
  fixedDaysOfWhole,
  proratedShare,
} from '../periods/proration.ts';
import type { RecurringProposal } from '../periods/recurring-proposals.ts';
import type { RecurringCharge } from './new-items.ts';
import type { RecurringRow } from './recurring-row.ts';
import { type UncoveredPart, uncoveredParts } from './uncovered-parts.ts';

export interface NewChargesInput {
  /** In date order. */
  readonly proposals: readonly RecurringProposal[];
  readonly ahead: DaysOfKind | null;
  /** In date order. */
  readonly rows: readonly RecurringRow[];
  /** FREE rows: recurring items that have come to 0 and are billed already. */
  readonly freeRows: readonly CoverageRow[];
  readonly windowStart: LocalDate | null;
  readonly currency: Currency;
  readonly prorationFixedDays: number;
}

/**
 * The recurring charges that are still missing (§6 rules 1 and 2): of each proposal the days that no row of its kind covers.
 * What comes to 0, a free proposal or a part whose share rounds to 0, leaves no recurring row, so it is looked up among the
 * free items too: else every run would charge it again.
 */
export function newCharges(input: NewChargesInput): readonly RecurringCharge[] {
  const { proposals, ahead, rows, freeRows, windowStart } = input;
  const parts = uncoveredParts({ intervals: proposals, covers: rows, windowStart });
  const charges = parts.map((part) => chargeOf(part, input));
  if (!charges.some(({ amount }) => amount.isZero())) return charges;
  const isFree = freeItems(freeRows, ahead);
  return charges.filter(
    (charge) => !charge.amount.isZero() || !(isFree(charge) || beginsBefore(charge, windowStart)),
  );
}

/** The FIXED proposals that no FIXED row records: one row stands for the fixed price, whatever its amount (§6 rule 6). */
export function newFixedCharges(
  proposals: readonly FixedProposal[],
  fixedRows: readonly CoverageRow[],
): readonly FixedProposal[] {
  if (proposals.length === 0) return proposals;
  const byStart = rowsByStart(fixedRows);
  return proposals.filter(
    ({ event, startDate }) => !(byStart.get(startDate) ?? []).some((row) => isSamePhase(row, event)),
  );
}

function chargeOf(part: UncoveredPart<RecurringProposal>, input: NewChargesInput): RecurringCharge {
  const { of: proposal, startDate, endDate } = part;
  if (startDate === proposal.startDate && endDate === proposal.endDate) {
    return { proposal, startDate, endDate, amount: proposal.amount, part: null };
  }
  const share = shareOfPart(part, input);
  return { proposal, startDate, endDate, amount: proratedShare(share, input.currency), part: share };
}

/** The share of the proposal's amount by days or, with fixed days, of its rate (§6 rules 2 and 7). */
function shareOfPart(part: UncoveredPart<RecurringProposal>, { prorationFixedDays }: NewChargesInput): Share {
  const { of: proposal, startDate, endDate } = part;
  const fixedTotal = fixedDaysOfPeriod(proposal.event.billingPeriod, prorationFixedDays);
  if (fixedTotal === null) {
    const totalDays = proposal.endDate - proposal.startDate;
    return { base: proposal.amount, days: endDate - startDate, totalDays };
  }
  const days = fixedDaysBetween(startDate, endDate, prorationFixedDays);
  const totalDays = proposal.share?.totalDays ?? fixedDaysOfWhole(proposal, fixedTotal, prorationFixedDays);
  return { base: proposal.rate, days, totalDays };
}

/** Days that are looked at begin within the proposal where they stay as billed before (`keptUntil`), free ones as a whole. */
function beginsBefore({ proposal }: RecurringCharge, windowStart: LocalDate | null): boolean {
  return proposal.amount.isZero() && windowStart !== null && proposal.startDate < windowStart;
}

/** Whether a free item stands for the charge. A longer one does where only an event to come would shorten it. */
function freeItems(
  freeRows: readonly CoverageRow[],
  ahead: DaysOfKind | null,
): (charge: RecurringCharge) => boolean {
  const byStart = rowsByStart(freeRows);
  return ({ proposal, startDate, endDate }) =>
    (byStart.get(startDate) ?? []).some(
      (row) =>
        isSamePhase(row, proposal) &&
        (row.endDate === endDate ||
          (endDate === ahead?.startDate && row.endDate !== null && row.endDate > endDate)),
    );
}

function rowsByStart(rows: readonly CoverageRow[]): ReadonlyMap<LocalDate, readonly CoverageRow[]> {
  return Map.groupBy(rows, (row) => row.startDate);
}

function isSamePhase(
  row: CoverageRow,
  { planName, phaseName }: { readonly planName: string | null; readonly phaseName: string | null },
): boolean {
  return row.planName === planName && row.phaseName === phaseName;
}
