import {
  type BillingEvent,
  type CoverageRow,
  type RepairBasis,
  RepairRule,
  type Share,
} from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Currency, type Decimal, roundToCurrency } from '../../values/money/index.ts';
import { type BillingPeriod, LAST_DATE, type LocalDate, minDate } from '../../values/time/index.ts';
import type { FixedProposal } from '../proposals/fixed-proposals.ts';
import {
  fixedDaysBetween,
  fixedDaysOfPeriod,
  fixedDaysOfWhole,
  isWholePeriod,
  proratedShare,
} from '../proposals/proration.ts';
import type { RecurringProposal } from '../proposals/recurring-proposals.ts';
import type { DaysOfKind } from '../proposals/window.ts';
import {
  type BilledItem,
  type RecurringRow,
  recurringRows,
  type UncoveredPart,
  uncoveredParts,
} from './coverage.ts';
import { basisEvent, type RecurringCharge, type Repair } from './new-items.ts';

/** Returns the billing period of a phase in the catalog, or null for an unknown phase. */
export type PeriodOfPhase = (planName: string, phaseName: string) => BillingPeriod | null;

interface ReconcileInput {
  readonly fixed: readonly FixedProposal[];
  readonly recurring: readonly RecurringProposal[];
  /**
   * Days that no proposal covers yet, because they start with an event after the target date. Charges for these days
   * are not repaired (see `billedAhead`).
   */
  readonly ahead: readonly DaysOfKind[];
  /** All rows in the window, and all rows of the repaired items. */
  readonly rows: readonly CoverageRow[];
  readonly items: ReadonlyMap<Uuid, BilledItem>;
  /** Events from which the proposals are created. They determine the billing period of each phase. */
  readonly events: readonly BillingEvent[];
  readonly periodOfPhase?: PeriodOfPhase;
  readonly windowStart: LocalDate | null;
  readonly targetDate: LocalDate;
  readonly currency: Currency;
  readonly prorationFixedDays: number;
}

/**
 * Returns the charges and repairs that turn the billed state of a subscription into the proposed state (§6).
 * `repairable` is the remainder of each repaired item.
 */
export function reconcile(input: ReconcileInput) {
  const { fixed, rows } = input;
  const recurring = recurringRows(rows);
  return {
    fixed: newFixedCharges(fixed, rows),
    recurring: newCharges(recurring, input),
    ...repairItems(recurring, input),
  };
}

/**
 * Returns the parts of rows that no proposal of the same kind covers, including free rows. Excludes the days of
 * `ahead`.
 */
export function repairedParts(
  rows: readonly RecurringRow[],
  { recurring, ahead }: Pick<ReconcileInput, 'recurring' | 'ahead'>,
  windowStart: LocalDate | null,
): readonly UncoveredPart<RecurringRow>[] {
  return uncoveredParts({ intervals: rows, covers: [...recurring, ...ahead], windowStart });
}

/** Returns the billing period of a row's plan and phase, or null if no current event contains them. */
function periodOf({ planName, phaseName }: RecurringRow, { events, periodOfPhase }: ReconcileInput) {
  const event = events.find(
    (each) =>
      each.planName === planName &&
      each.phaseName === phaseName &&
      each.billingPeriod !== 'NO_BILLING_PERIOD',
  );
  return event?.billingPeriod ?? periodOfPhase?.(planName, phaseName) ?? null;
}

/**
 * Returns the missing recurring charges (§6 rules 1 and 2), for the days of each proposal that no row of the same kind
 * covers. A charge of amount 0 has no recurring row, so it is looked up among the free items. Otherwise, every run
 * would charge it again.
 */
function newCharges(billed: readonly RecurringRow[], input: ReconcileInput): readonly RecurringCharge[] {
  const { recurring: proposals, ahead, rows, windowStart } = input;
  const parts = uncoveredParts({ intervals: proposals, covers: billed, windowStart });
  const charges = parts.map((part) => chargeOf(part, input));
  if (!charges.some(({ amount }) => amount.isZero())) return charges;
  const isFree = freeItems(rows, ahead);
  return charges.filter(
    (charge) => !charge.amount.isZero() || !(isFree(charge) || beginsBefore(charge, windowStart)),
  );
}

/**
 * Returns the FIXED proposals that have no FIXED row yet. Any row is sufficient, regardless of its amount (§6 rule 6).
 */
function newFixedCharges(proposals: readonly FixedProposal[], rows: readonly CoverageRow[]) {
  if (proposals.length === 0) return proposals;
  const byStart = rowsByStart(rows, 'FIXED');
  return proposals.filter(
    ({ event, startDate }) => !(byStart.get(startDate) ?? []).some((row) => isSamePhase(row, event)),
  );
}

function chargeOf(part: UncoveredPart<RecurringProposal>, input: ReconcileInput): RecurringCharge {
  const { of: proposal, startDate, endDate } = part;
  const { list } = proposal;
  const charge = { proposal, startDate, endDate, ...amountOfPart(part, input) };
  if (list === null) return { ...charge, listAmount: null };
  const { amount: listAmount } = amountOfPart({ ...part, of: { ...proposal, ...list } }, input);
  return { ...charge, listAmount };
}

/**
 * Returns the amount of the part and its share of the proposal. The share is null if the part is the whole proposal.
 */
function amountOfPart(part: UncoveredPart<RecurringProposal>, input: ReconcileInput) {
  const { of: proposal, startDate, endDate } = part;
  if (startDate === proposal.startDate && endDate === proposal.endDate)
    return { amount: proposal.amount, part: null };
  const share = shareOfPart(part, input);
  return { amount: proratedShare(share, input.currency), part: share };
}

/**
 * Returns the share of the proposal's amount that corresponds to the part's days. Under fixed-days proration, it is a
 * share of the proposal's rate (§6 rules 2 and 7).
 */
function shareOfPart(part: UncoveredPart<RecurringProposal>, { prorationFixedDays }: ReconcileInput): Share {
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

/**
 * Returns true if the compared days begin within a free proposal. The billing of such a proposal does not change (see
 * `knownUntil`).
 */
function beginsBefore({ proposal }: RecurringCharge, windowStart: LocalDate | null): boolean {
  return proposal.amount.isZero() && windowStart !== null && proposal.startDate < windowStart;
}

/**
 * Returns a function that checks whether a free item already covers a charge. A longer item is accepted if only a
 * future event would shorten it.
 */
function freeItems(
  rows: readonly CoverageRow[],
  ahead: readonly DaysOfKind[],
): (charge: RecurringCharge) => boolean {
  const byStart = rowsByStart(rows, 'FREE');
  return ({ proposal, startDate, endDate }) =>
    (byStart.get(startDate) ?? []).some(
      (row) =>
        isSamePhase(row, proposal) &&
        (row.endDate === endDate ||
          (endDate === ahead[0]?.startDate && row.endDate !== null && row.endDate > endDate)),
    );
}

function rowsByStart(rows: readonly CoverageRow[], kind: CoverageRow['kind']) {
  return Map.groupBy(
    rows.filter((row) => row.kind === kind),
    (row) => row.startDate,
  );
}

function isSamePhase(
  row: Pick<CoverageRow, 'planName' | 'phaseName'>,
  { planName, phaseName }: { readonly planName: string | null; readonly phaseName: string | null },
): boolean {
  return row.planName === planName && row.phaseName === phaseName;
}

interface Repairs {
  readonly repairs: readonly Repair[];
  readonly repairable: ReadonlyMap<Uuid, Decimal>;
}

const NO_REPAIRS: Repairs = Object.freeze({ repairs: [], repairable: new Map() });

/**
 * Returns one repair per part in date order. Its amount is the part's share of the row, limited to the item's remainder
 * after adjustments and earlier repairs. The repair of the item's last day takes the whole remainder (§6 rules 3–5, 7).
 */
function repairItems(billed: readonly RecurringRow[], input: ReconcileInput): Repairs {
  const parts = repairedParts(billed, input, input.windowStart);
  if (parts.length === 0) return NO_REPAIRS;
  const repairable = new Map<Uuid, Decimal>();
  const repairs: Repair[] = [];
  const daysLeft = daysInForce(billed);
  const couponsOf = couponsInOrder(input.recurring);
  for (const part of parts) {
    const { of: row, startDate, endDate } = part;
    const { itemId } = row;
    const item = input.items.get(itemId);
    assertInvariant(item !== undefined, `Item ${itemId} must be loaded to repair it`, { itemId });

    const left = (daysLeft.get(itemId) ?? 0) - (endDate - startDate);
    daysLeft.set(itemId, left);
    const limit = repairable.get(itemId) ?? item.repairable;
    const share = shareOfRow(part, item, input);
    const prorated = share === null ? row.amount : proratedShare(share, input.currency);
    const isAll = left === 0 && !prorated.equals(limit);
    const amount = left === 0 || limit.lessThan(prorated) ? limit : prorated;
    repairable.set(itemId, limit.minus(amount));
    repairs.push({
      itemId,
      startDate,
      endDate,
      amount,
      basis: {
        kind: 'REPAIR',
        event: causeOf(input, part),
        rule: isAll ? RepairRule.REMAINDER : ruleOf(share, limit.lessThan(prorated)),
        startDate: row.startDate,
        endDate: row.endDate,
        amount: row.amount,
        share,
        repairable: limit,
        coupons: couponsOf(part),
      },
    });
  }
  return { repairs, repairable };
}

function ruleOf(share: Share | null, isLimited: boolean): RepairRule {
  if (isLimited) return RepairRule.LIMIT;
  return share === null ? RepairRule.WHOLE : RepairRule.PART;
}

/**
 * Returns the event in force on the part's days. Future events are ignored, so for days after the target date this is
 * the event in force on the target date.
 */
function causeOf({ events, targetDate }: ReconcileInput, { startDate }: UncoveredPart<RecurringRow>) {
  const until = minDate(startDate, targetDate);
  const inForce = events.findLast(({ localDate }) => localDate <= until);
  return inForce === undefined ? null : basisEvent(inForce);
}

/**
 * Returns a function that maps a repaired part to the codes of the coupons with which its days are charged again. The
 * proposals and the parts must be in date order.
 */
function couponsInOrder(proposals: readonly RecurringProposal[]) {
  let at = 0;
  return ({ of: row, startDate }: UncoveredPart<RecurringRow>): RepairBasis['coupons'] => {
    while ((proposals[at]?.endDate ?? LAST_DATE) <= startDate) at += 1;
    const again = proposals[at];
    if (again === undefined || again.startDate > startDate || !isSamePhase(row, again)) return null;
    return (again.list?.discounts ?? []).map(({ code }) => code);
  };
}

function daysInForce(rows: readonly RecurringRow[]): Map<Uuid, number> {
  const days = new Map<Uuid, number>();
  for (const { itemId, startDate, endDate } of rows) {
    days.set(itemId, (days.get(itemId) ?? 0) + (endDate - startDate));
  }
  return days;
}

/** Returns the part's share of the row (§6 rules 3 and 7). Null means the whole row. */
function shareOfRow(
  part: UncoveredPart<RecurringRow>,
  item: BilledItem,
  input: ReconcileInput,
): Share | null {
  const { of: row, startDate, endDate } = part;
  if (startDate === row.startDate && endDate === row.endDate) return null;
  const { prorationFixedDays } = input;
  const period = periodOf(row, input);
  const fixedTotal = period === null ? null : fixedDaysOfPeriod(period, prorationFixedDays);
  const calendar: Share = {
    base: row.amount,
    days: endDate - startDate,
    totalDays: row.endDate - row.startDate,
  };
  if (prorationFixedDays <= 0 || (period !== null && fixedTotal === null)) return calendar;
  const days = fixedDaysBetween(startDate, endDate, prorationFixedDays);
  if (period !== null && fixedTotal !== null) {
    const whole = wholeByFixedDays(row, { ...input, item, period, fixedTotal });
    return whole.totalDays === 0 ? calendar : { ...whole, days };
  }
  // No current event contains the plan. The row's own amount and fixed days result in the same share, except for
  // rounding.
  const totalDays = fixedDaysBetween(row.startDate, row.endDate, prorationFixedDays);
  return { base: row.amount, days, totalDays };
}

/**
 * Returns the rate and the number of days of a whole period. If the item's amount differs from the rate, returns the
 * item's own amount and number of days.
 */
function wholeByFixedDays(
  { rate }: RecurringRow,
  {
    item,
    currency,
    prorationFixedDays,
    period,
    fixedTotal,
  }: Pick<ReconcileInput, 'currency' | 'prorationFixedDays'> & {
    readonly item: BilledItem;
    readonly period: BillingPeriod;
    readonly fixedTotal: number;
  },
) {
  const { startDate, endDate, amount } = item;
  const ofPeriod = { base: rate, totalDays: fixedTotal };
  if (startDate === null || endDate === null) return ofPeriod;
  if (isWholePeriod(startDate, endDate, period)) {
    const totalDays = fixedDaysOfWhole({ startDate, endDate }, fixedTotal, prorationFixedDays);
    return { base: roundToCurrency(rate, currency).equals(amount) ? rate : amount, totalDays };
  }
  const days = fixedDaysBetween(startDate, endDate, prorationFixedDays);
  const isAtRate = proratedShare({ ...ofPeriod, days }, currency).equals(amount);
  return isAtRate ? ofPeriod : { base: amount, totalDays: days };
}
