import { expect } from 'chai';
import { readBasis, writeBasis } from '../../../adapters/mikro-orm/tables/item-basis-text.ts';
import { evaluateSubscription } from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import type {
  DayMarks,
  RatedInterval,
  SubscriptionUsage,
} from '../../../lib/invoicing/evaluation/evaluate-usage.ts';
import { storedIntervals, usageAfter } from '../../../lib/invoicing/evaluation/evaluate-usage.ts';
import { stepsOf } from '../../../lib/invoicing/explanation/basis-calculation.ts';
import type { NewInvoiceItem } from '../../../lib/invoicing/invoices/new-item.ts';
import { marksOf } from '../../../lib/invoicing/loading/load-billing-state.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../../lib/invoicing/proposals/invoicing-config.ts';
import type { EvaluatedDays } from '../../../lib/records/index.ts';
import type { DayUsage } from '../../../lib/usage/collecting/usage-ledger.ts';
import { formatDecimal } from '../../../lib/values/money/index.ts';
import type { LocalDate } from '../../../lib/values/time/index.ts';
import { day, subscriptionId, text } from '../invoicing/billing-events.ts';
import { countedIds } from '../invoicing/subscription-ledger.ts';
import type { PlainItem } from '../usage-oracle/plain-items.ts';
import { BookedUsageLife, isIn } from './booked-usage-life.ts';
import type { LifeInvoice } from './usage-life.ts';

interface KeptInterval extends RatedInterval {
  readonly invoice: number;
}

/** Runs through the subscription evaluation and reads only the past that it requires. */
export class EvaluatedUsageLife extends BookedUsageLife {
  /** Number of runs that would skip the subscription. */
  passedOver = 0;
  #looked: EvaluatedDays | null = null;
  #nextDate: LocalDate | null = null;
  #kept: readonly KeptInterval[] = [];
  readonly #freed: KeptInterval[] = [];
  readonly #items = new Map<string, NewInvoiceItem>();
  #invoices = 0;
  readonly #nextItemId = countedIds();

  override bill(targetDate: string): LifeInvoice {
    const { events, from } = this;
    const isRead = ({ endDate }: KeptInterval) => from === null || endDate >= from;
    const usage = this.usage(this.#kept.filter(isRead), day(targetDate));
    const isPassedOver = this.#isPassedOver(usage.marks ?? null, day(targetDate));
    const evaluation = evaluateSubscription(
      { subscriptionId, events, cursor: null, rows: [], items: new Map(), itemsCreatedToday: 0, usage },
      {
        targetDate: day(targetDate),
        currency: 'USD',
        config: { ...DEFAULT_INVOICING_CONFIG, maxDailyItems: -1, usage: this.config },
      },
      this.#nextItemId,
    );
    const made = evaluation.usage;
    if (made === null) throw new Error('Usage was not evaluated');
    const { items } = evaluation;
    for (const item of items) this.#check(item);
    const hasInvoice = items.length > 0;
    if (isPassedOver) {
      expect(storedIntervals(made.intervals, hasInvoice), 'of usage that is passed over').to.eql([]);
      this.passedOver += 1;
    }
    this.#invoices += 1;
    const added = new Set(storedIntervals(made.intervals, hasInvoice).map(({ consumed }) => consumed));
    const after = usageAfter(usage, made, hasInvoice).billed as readonly KeptInterval[];
    this.#kept = [
      ...this.#kept.filter((one) => !isRead(one)),
      ...after.map((one) => (added.has(one.consumed) ? { ...one, invoice: this.#invoices } : one)),
    ];
    this.from = made.reading?.from ?? null;
    this.#looked = made.reading?.looked ?? null;
    this.#nextDate = evaluation.cursor.nextDueDate;
    return {
      items: items.map((item) => this.#plain(item)),
      trackingIds: hasInvoice ? this.trackingIds(made.intervals) : [],
      chargedThrough: made.chargedThrough === null ? null : text(made.chargedThrough),
      nextDate: made.nextDate === null ? null : text(made.nextDate),
    };
  }

  override voidLast(): void {
    const last = Math.max(...this.#kept.map(({ invoice }) => invoice));
    const voided = this.#kept.filter(({ invoice }) => invoice === last);
    this.#freed.push(...voided);
    const gone = voided.flatMap(({ entries }) => entries);
    this.#kept = this.#kept
      .filter(({ invoice }) => invoice !== last)
      .map((one) => ({
        ...one,
        entries: one.entries.map((entry) => ({
          ...entry,
          remaining: gone
            .filter(({ linkedItemId }) => linkedItemId === entry.itemId)
            .reduce((left, { amount }) => left.minus(amount), entry.remaining),
        })),
      }));
    this.from = null;
  }

  /** Like a run of the engine when billed days are unchanged and nothing is due. */
  #isPassedOver(marks: DayMarks | null, targetDate: LocalDate): boolean {
    const [from, looked, next] = [this.from, this.#looked, this.#nextDate];
    if (marks === null || from === null || looked === null || (next !== null && next <= targetDate))
      return false;
    const within = [...marks].filter(([date]) => date >= from && date <= looked.through);
    return within.reduce((sum, [, mark]) => sum + mark, 0) === looked.mark;
  }

  /** The input of the evaluation up to a date. */
  protected usage(billed: readonly RatedInterval[], _targetDate: LocalDate): SubscriptionUsage {
    const { zone, terms } = this;
    const freed = this.#freed;
    const pieces = this.pieces([...billed, ...freed]);
    return { zone, billed, freed, from: this.from, terms, pieces, marks: marksOf(this.days()) };
  }

  protected override days(): readonly DayUsage[] {
    const { from } = this;
    if (from === null) return super.days();
    const read = [...this.#kept.filter(({ endDate }) => endDate >= from), ...this.#freed];
    const consumed = new Set(read.flatMap((one) => one.consumed.map(({ localDate }) => localDate)));
    return super.days().filter(({ localDate }) => localDate >= from || consumed.has(localDate));
  }

  /** The stored facts of each item explain its amount. */
  #check(item: NewInvoiceItem): void {
    const { basis, amount } = item;
    if (basis?.kind !== 'USAGE' && basis?.kind !== 'REPAIR')
      throw new Error('An item of usage keeps no facts');
    expect(writeBasis(readBasis(writeBasis(basis)))).to.equal(writeBasis(basis));
    const computed = stepsOf(basis, 'USD').at(-1)?.result;
    expect(computed && formatDecimal(computed), writeBasis(basis)).to.equal(formatDecimal(amount));
    this.#items.set(item.id, item);
  }

  #plain(item: NewInvoiceItem): PlainItem {
    const { basis, startDate, endDate, amount, rate, quantity, itemDetails, linkedItemId } = item;
    if (startDate === null || endDate === null || itemDetails === null)
      throw new Error('An item of usage is not whole');
    const credited = linkedItemId === null ? undefined : this.#items.get(linkedItemId);
    const usage = basis?.kind === 'USAGE' ? basis.usageName : credited?.usageName;
    return {
      usage: usage ?? '',
      from: text(startDate),
      to: text(endDate),
      amount: formatDecimal(amount),
      rate: rate === null ? null : formatDecimal(rate),
      quantity: quantity === null ? null : formatDecimal(quantity),
      details: JSON.parse(itemDetails),
      ...(credited === undefined ? {} : { credits: formatDecimal(credited.amount) }),
    };
  }

  protected trackingIds(intervals: readonly RatedInterval[]): readonly string[] {
    const ranges = intervals.flatMap(({ consumed }) => consumed);
    const own = this.points.filter((point) => !point.isVoid && ranges.some((range) => isIn(point, range)));
    return [...new Set(own.map(({ trackingId }) => trackingId))].sort();
  }
}
