import type { UsagePoint } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { type Decimal, decimal, formatDecimal, ZERO } from '../../../lib/values/money/index.ts';
import { type Instant, instant } from '../../../lib/values/time/index.ts';
import { type Cell, numberOf, type Row, textOf } from '../sql/columns.ts';
import { isAggregable } from './decimal-aggregates.ts';

/** What the points of a unit on a day come to; with exact decimals, which SQLite cannot add by itself. */
export class DayTotals {
  /** The highest ordinal. */
  count = 0;
  #sum: Decimal = ZERO;
  #max: Decimal | null = null;
  #min: Decimal | null = null;
  #last: { readonly at: Instant; readonly amount: Decimal } | null = null;

  static of(row: Row): DayTotals {
    const totals = new DayTotals();
    const decimalOrNull = (column: string): Decimal | null =>
      row[column] === null ? null : decimal(textOf(row[column], column));
    totals.count = numberOf(row.point_count, 'point_count');
    totals.#sum = decimal(textOf(row.amount_sum, 'amount_sum'));
    totals.#max = decimalOrNull('amount_max');
    totals.#min = decimalOrNull('amount_min');
    const amount = decimalOrNull('last_amount');
    if (amount !== null) {
      totals.#last = { at: instant(numberOf(row.last_recorded_for, 'last_recorded_for')), amount };
    }
    return totals;
  }

  /** Adds a point, whose ordinal is `count` afterwards. */
  add({ instant: at, amount }: UsagePoint): void {
    assertInvariant(isAggregable(amount), 'The amount of a point has more digits than can be added', {
      amount: formatDecimal(amount),
    });
    this.count += 1;
    // Most days of a chunk get their first point: then all of it is one decimal, which is written out once.
    this.#sum = this.count === 1 ? amount : this.#sum.plus(amount);
    if (this.#max === null || amount.gt(this.#max)) this.#max = amount;
    if (this.#min === null || amount.lt(this.#min)) this.#min = amount;
    if (this.#last === null || at >= this.#last.at) this.#last = { at, amount };
  }

  /** In the order of the columns of a day, after its key and its account; a day whose row is there keeps its version. */
  cells(): readonly Cell[] {
    let [written, text]: [Decimal | null, Cell] = [null, null];
    const write = (amount: Decimal | null): Cell => {
      if (amount === written) return text;
      [written, text] = [amount, amount === null ? null : formatDecimal(amount)];
      return text;
    };
    const last = [this.#last?.at ?? null, write(this.#last?.amount ?? null)];
    return [write(this.#sum), write(this.#max), write(this.#min), ...last, this.count, 0, null];
  }
}
