import { expect } from 'chai';
import type { BillingEvent } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { Decimal } from '../../../lib/values/money/index.ts';
import { formatDecimal, minorUnits, roundToScale, sum } from '../../../lib/values/money/index.ts';
import { addDays, formatLocalDate, type LocalDate } from '../../../lib/values/time/index.ts';
import { line, type SubscriptionLedger } from '../invoicing/subscription-ledger.ts';
import { forOracle, isPriceChange, kindOf } from './invoicing-history.ts';
import { coverOf, cutsOf, isCycleDate, oraclePeriods } from './invoicing-oracle.ts';

export interface CheckedLedger {
  readonly ledger: SubscriptionLedger;
  readonly adjusted: ReadonlyMap<Uuid, Decimal>;
  readonly targetDate: LocalDate;
  readonly isGreedy: boolean;
}

export function checkAfterRun(checked: CheckedLedger): void {
  expect(checked.ledger.run(checked.targetDate), 'an immediate second run').to.eql([]);
  checkRepairs(checked);
  checkDays(checked);
  checkDueDate(checked);
}

/** Checks that aligned price changes split no period (catalog §6.4 rule 5). */
export function checkAlignedPrices(events: readonly BillingEvent[]): void {
  const asRead = forOracle({ currency: 'USD', isGreedy: false }, events);
  events.forEach((event, index) => {
    const [before, change] = [asRead[index - 1], asRead[index]];
    if (!isPriceChange(event) || before === undefined || change === undefined) return;
    // Another event of the same day may start a cycle.
    const begins = events.some((other) => other.localDate === event.localDate && !isPriceChange(other));
    const isAligned = before.kind === null || begins || isCycleDate(before, change.date);
    expect(isAligned, `the price change of ${change.date} comes where a period begins`).to.equal(true);
  });
}

/** Adjusts the n-th charge by a percentage of its remaining amount. Returns false if there is nothing to adjust. */
export function adjustShare(
  ledger: SubscriptionLedger,
  adjusted: Map<Uuid, Decimal>,
  { index, percent }: { readonly index: number; readonly percent: number },
): boolean {
  const charges = [...ledger.billed.values()];
  const charge = charges[index % Math.max(1, charges.length)];
  if (charge === undefined) return false;
  const amount = roundToScale(charge.repairable.times(percent).dividedBy(100), minorUnits(ledger.currency));
  if (amount.isZero() || amount.greaterThan(charge.repairable)) return false;
  ledger.adjust(charge.id, amount);
  adjusted.set(charge.id, amount.plus(adjusted.get(charge.id) ?? 0));
  return true;
}

/** Checks that nothing is billed before the next due date. Greedy arrears are excluded because they grow daily. */
function checkDueDate({ ledger, targetDate, isGreedy }: CheckedLedger): void {
  if (isGreedy) return;
  const due = ledger.cursor?.nextDueDate ?? null;
  expect(due === null || due > targetDate, 'due later').to.equal(true);
  const lastQuietDay = due === null ? addDays(targetDate, 400) : addDays(due, -1);
  expect(ledger.evaluate(lastQuietDay).items.map(line), 'nothing before it is due').to.eql([]);
}

function checkRepairs({ ledger, adjusted }: CheckedLedger): void {
  const items = ledger.invoices.flatMap((invoice) => invoice.items);
  for (const { id, amount, repairable } of ledger.billed.values()) {
    const repairs = items.filter(({ linkedItemId }) => linkedItemId === id);
    const left = sum([amount, ...repairs.map((repair) => repair.amount)]).minus(adjusted.get(id) ?? 0);
    expect(left.isNegative(), `${id} is repaired beyond its amount`).to.equal(false);
    expect(formatDecimal(repairable), `what is left of ${id}`).to.equal(formatDecimal(left));
    const isInForce = ledger.rows.some(({ itemId }) => itemId === id);
    if (!isInForce) expect(formatDecimal(left), `${id} is fully repaired and nets to zero`).to.equal('0');
  }
}

/**
 * Each proposed day is billed once, or has a free item. Days after the next event may still be billed in the current
 * kind.
 */
function checkDays({ ledger, targetDate, isGreedy }: CheckedLedger): void {
  const { currency, events } = ledger;
  const target = formatLocalDate(targetDate);
  const seen = forOracle({ currency, isGreedy }, events);
  const periods = oraclePeriods(seen, target);
  const endingKind = seen.findLast(({ date }) => date <= target)?.kind;
  const nextDate = seen.find(({ date }) => date > target)?.date ?? '9999';
  const recurring = ledger.rows.filter(({ kind }) => kind === 'RECURRING').map(spanOf);
  const free = ledger.rows.filter(({ kind }) => kind === 'FREE').map(spanOf);
  const cuts = cutsOf([...periods, ...recurring, ...free]);
  const proposed = coverOf(periods, cuts);
  const inForce = coverOf(recurring, cuts);
  for (const [date, kind] of inForce) {
    if (kind === endingKind && date >= nextDate) continue;
    if (proposed.get(date) !== kind) expect(proposed.get(date), `in force on ${date}`).to.equal(kind);
  }
  for (const [date, kind] of proposed) {
    if (inForce.has(date)) continue;
    const isFree = free.some(
      (span) => span.start <= date && date < span.end && phaseOf(span.kind) === phaseOf(kind),
    );
    if (!isFree) expect.fail(`${date} of ${kind} is missed`);
  }
}

/** Free items are identified by plan and phase alone (invoicing §6 rule 1). */
function phaseOf(kind: string): string {
  return kind.slice(0, kind.lastIndexOf('|'));
}

function spanOf(row: SubscriptionLedger['rows'][number]) {
  const { planName, phaseName, rate, startDate, endDate } = row;
  const kind = kindOf(planName, phaseName, rate === null ? '' : formatDecimal(rate));
  const [start, end] = [startDate, endDate ?? startDate].map(formatLocalDate);
  return { kind, start: start ?? '', end: end ?? '' };
}
