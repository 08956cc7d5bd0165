import { expect } from 'chai';
import { readBasis, writeBasis } from '../../../adapters/mikro-orm/tables/item-basis-text.ts';
import {
  type EvaluationSettings,
  evaluateSubscription,
  missingItemIds,
  type SubscriptionBilling,
  type SubscriptionEvaluation,
} from '../../../lib/invoicing/evaluation/evaluate-subscription.ts';
import { ongoingChargeAfter } from '../../../lib/invoicing/evaluation/last-evaluation.ts';
import { stepsOf } from '../../../lib/invoicing/explanation/basis-calculation.ts';
import type { NewInvoiceItem } from '../../../lib/invoicing/invoices/new-item.ts';
import type { InvoicingConfig } from '../../../lib/invoicing/proposals/invoicing-config.ts';
import { DEFAULT_INVOICING_CONFIG } from '../../../lib/invoicing/proposals/invoicing-config.ts';
import { findEvaluatedDate, isDue, windowOf } from '../../../lib/invoicing/proposals/window.ts';
import {
  type BilledItem,
  billedTwice,
  coverageAfter,
  isRepair,
  releaseCoverage,
} from '../../../lib/invoicing/reconciliation/coverage.ts';
import type { PeriodOfPhase } from '../../../lib/invoicing/reconciliation/reconcile.ts';
import type {
  BillingEvent,
  CoverageRow,
  InvoicingCursor,
  OngoingCharge,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { type Currency, type Decimal, decimal, formatDecimal } from '../../../lib/values/money/index.ts';
import type { LocalDate } from '../../../lib/values/time/index.ts';
import { formatLocalDate, maxDate, minDate, parseLocalDate } from '../../../lib/values/time/index.ts';
import { subscriptionId as onlyId } from './billing-events.ts';

export interface LedgerOptions {
  readonly config?: Partial<InvoicingConfig>;
  readonly currency?: Currency;
  readonly periodOfPhase?: PeriodOfPhase;
  readonly subscriptionId?: Uuid;
}

interface LedgerInvoice {
  readonly targetDate: LocalDate;
  readonly items: readonly NewInvoiceItem[];
}

/** `R 2014-02-01 2014-02-14 104.82`; R RECURRING, F FIXED, X REPAIR_ADJ. */
export function line(item: Pick<NewInvoiceItem, 'itemType' | 'startDate' | 'endDate' | 'amount'>): string {
  const letter = { RECURRING: 'R', FIXED: 'F', REPAIR_ADJ: 'X' }[item.itemType as string] ?? item.itemType;
  const dates = [item.startDate, item.endDate].map((date) => (date === null ? '-' : formatLocalDate(date)));
  return `${letter} ${dates.join(' ')} ${formatDecimal(item.amount)}`;
}

/** Counts ids up, so that equal evaluations return equal items. */
export function countedIds(start = 0): () => Uuid {
  let last = start;
  return () => {
    last += 1;
    return `00000000-0000-7000-9000-${String(last).padStart(12, '0')}` as Uuid;
  };
}

/**
 * A subscription and everything billed for it. Each run loads only the window and is compared with the whole history.
 */
export class SubscriptionLedger {
  readonly subscriptionId: Uuid;
  readonly config: InvoicingConfig;
  readonly currency: Currency;
  events: readonly BillingEvent[] = [];
  rows: readonly CoverageRow[] = [];
  cursor: InvoicingCursor | null = null;
  readonly items: NewInvoiceItem[] = [];
  /** Excludes voided invoices. */
  invoices: readonly LedgerInvoice[] = [];
  readonly billed = new Map<Uuid, BilledItem>();

  readonly #periodOfPhase: PeriodOfPhase;
  #ongoing: OngoingCharge | null = null;

  constructor(options: LedgerOptions = {}) {
    const { config, currency = 'USD', periodOfPhase = () => null, subscriptionId = onlyId } = options;
    this.subscriptionId = subscriptionId;
    this.#periodOfPhase = periodOfPhase;
    this.config = { ...DEFAULT_INVOICING_CONFIG, maxDailyItems: -1, ...config };
    this.currency = currency;
  }

  /** Replaces the events. The differences begin at `from`; without it they affect nothing that is billed. */
  change(events: readonly BillingEvent[], from?: string | LocalDate): this {
    this.events = events;
    if (from === undefined) this.#ongoing = null;
    if (from === undefined || this.cursor === null) return this;
    const date = typeof from === 'string' ? parseLocalDate(from) : from;
    const { dirtyFrom } = this.cursor;
    this.cursor = { ...this.cursor, dirtyFrom: dirtyFrom === null ? date : minDate(dirtyFrom, date) };
    return this;
  }

  expectRun(targetDate: string | LocalDate, lines: readonly string[]): void {
    expect(this.run(targetDate)).to.eql(lines);
  }

  /** Runs at the target date, stores the result and returns the items as lines. */
  run(targetDate: string | LocalDate): readonly string[] {
    const date = typeof targetDate === 'string' ? parseLocalDate(targetDate) : targetDate;
    const windowed = this.evaluate(date);
    const full = this.evaluateWhole(date);
    expect(windowed.items.map(comparable), 'windowed = full').to.eql(full.items.map(comparable));
    expect(windowed.cursor, 'windowed = full').to.eql(full.cursor);
    const rowsAfter = coverageAfter(this.rows, windowed.coverage);
    expect(rowLines(rowsAfter), 'windowed = full').to.eql(rowLines(coverageAfter(this.rows, full.coverage)));
    const ongoing = this.#evaluateOngoing(date);
    if (ongoing !== null) expect(facts(ongoing), 'from the cursor alone = windowed').to.eql(facts(windowed));
    this.#write(windowed, rowsAfter);
    if (windowed.items.length > 0)
      this.invoices = [...this.invoices, { targetDate: date, items: windowed.items }];
    return windowed.items.map(line);
  }

  /** Runs if due and returns true. Otherwise asserts that there is nothing to bill. */
  runIfDue(targetDate: LocalDate): boolean {
    const { events, cursor, config } = this;
    const input = { events, cursor, targetDate, config };
    if (isDue(input)) {
      this.run(targetDate);
      return true;
    }
    const lookedAt = findEvaluatedDate(input);
    if (lookedAt === null) expect.fail('no evaluation leaves the cursor of what is not due as it is');
    expect(this.evaluateWhole(lookedAt).items.map(line), 'nothing is due').to.eql([]);
    return false;
  }

  /** The minimum target date of later runs while recurring charges stand (invoicing §1.5). */
  get maxTargetDate(): LocalDate | null {
    const [first, ...others] = this.invoices
      .filter(({ items }) => items.some(({ itemType }) => itemType === 'RECURRING'))
      .map(({ targetDate }) => targetDate);
    return first === undefined ? null : maxDate(first, ...others);
  }

  /** Voids the n-th invoice; returns false if another one repairs or rebills it (invoicing §9 rule 6). */
  void(index: number): boolean {
    const invoice = this.invoices[index % Math.max(1, this.invoices.length)];
    if (invoice === undefined) return false;
    const { items } = invoice;
    const own = new Set(items.map(({ id }) => id));
    const others = this.invoices.flatMap((each) => (each === invoice ? [] : each.items)).filter(isRepair);
    if (others.some(({ linkedItemId }) => linkedItemId !== null && own.has(linkedItemId))) return false;
    const cut = new Set(items.filter(isRepair).map(({ linkedItemId }) => linkedItemId));
    const repaired = this.items
      .filter(({ id }) => cut.has(id) && !own.has(id))
      .map((item) => ({ ...item, ...this.billed.get(item.id) }));
    const otherRepairs = others.filter(({ linkedItemId }) => cut.has(linkedItemId));
    const released = releaseCoverage({ items, repaired, otherRepairs, currency: this.currency });
    const removed = new Set(released.itemIds);
    const staying = this.rows.filter(({ itemId }) => !removed.has(itemId));
    const returned = released.rows.map((row) => ({ ...row, subscriptionId: this.subscriptionId }));
    if (billedTwice(returned, staying) !== undefined) return false;
    this.rows = [...staying, ...returned];
    this.invoices = this.invoices.filter((each) => each !== invoice);
    for (const id of own) this.billed.delete(id);
    for (const { id, repairable } of released.repairable) {
      const item = this.billed.get(id);
      if (item !== undefined) this.billed.set(id, { ...item, repairable });
    }
    for (const { date } of released.touched) this.change(this.events, date);
    return true;
  }

  /** Evaluates the window with two-step loading, without storing. */
  evaluate(targetDate: LocalDate): SubscriptionEvaluation {
    const settings = this.#settings(targetDate);
    const loaded = this.load(targetDate);
    const missing = missingItemIds(loaded, settings);
    const items = new Map([...this.billed].filter(([id]) => missing.includes(id)));
    const rows = [
      ...loaded.rows.filter(({ itemId }) => !missing.includes(itemId)),
      ...this.rows.filter(({ itemId }) => missing.includes(itemId)),
    ];
    return evaluateSubscription({ ...loaded, items, rows }, settings, countedIds(this.items.length));
  }

  /** Evaluates an unchanged subscription from its ongoing charge; null = not due, or billed otherwise. */
  #evaluateOngoing(targetDate: LocalDate): SubscriptionEvaluation | null {
    const { subscriptionId, events, cursor, config } = this;
    if (this.#ongoing === null || cursor === null || cursor.dirtyFrom !== null) return null;
    if (config.inArrearMode === 'GREEDY' || !isDue({ events, cursor, targetDate, config })) return null;
    const kept = { events: [], rows: [], items: new Map() };
    return evaluateSubscription(
      { subscriptionId, ongoing: this.#ongoing, cursor, itemsCreatedToday: 0, ...kept },
      this.#settings(targetDate),
      countedIds(this.items.length),
    );
  }

  /** Evaluates the whole history, ignoring the cursor. */
  evaluateWhole(targetDate: LocalDate): SubscriptionEvaluation {
    const whole = { ...this.load(targetDate), events: this.events, rows: this.rows, cursor: null };
    return evaluateSubscription(
      { ...whole, items: this.billed },
      this.#settings(targetDate),
      countedIds(this.items.length),
    );
  }

  /** Loads the events from the anchor on and the rows of the window. */
  load(targetDate: LocalDate | null): SubscriptionBilling {
    const { start, anchorIndex } = windowOf({ events: this.events, cursor: this.cursor, targetDate });
    const inWindow = (row: CoverageRow) => {
      if (start === null) return true;
      return row.kind === 'RECURRING' ? row.endDate !== null && row.endDate > start : row.startDate >= start;
    };
    return {
      subscriptionId: this.subscriptionId,
      events: this.events.slice(anchorIndex),
      cursor: this.cursor,
      rows: this.rows.filter(inWindow),
      items: new Map(),
      itemsCreatedToday: 0,
    };
  }

  /** Loads the rows of the window and of all their items, for a dry run. */
  loadWithItems(targetDate: LocalDate | null): readonly CoverageRow[] {
    const rows = this.load(targetDate).rows;
    const itemIds = new Set(rows.filter(({ kind }) => kind === 'RECURRING').map(({ itemId }) => itemId));
    return [
      ...rows.filter(({ itemId }) => !itemIds.has(itemId)),
      ...this.rows.filter(({ itemId }) => itemIds.has(itemId)),
    ];
  }

  /** Adds an ITEM_ADJ, which lowers the repairable amount of an item but not its coverage. */
  adjust(itemId: Uuid, amount: string | Decimal): void {
    const item = this.billed.get(itemId);
    if (item === undefined) throw new Error(`No item ${itemId}`);
    this.billed.set(itemId, { ...item, repairable: item.repairable.minus(decimal(amount)) });
  }

  item(index: number): NewInvoiceItem {
    const item = this.items[index];
    if (item === undefined) throw new Error(`No item ${index}`);
    return item;
  }

  get nextDueDate(): string | null {
    const date = this.cursor?.nextDueDate ?? null;
    return date === null ? null : formatLocalDate(date);
  }

  #settings(targetDate: LocalDate): EvaluationSettings {
    const { currency, config } = this;
    return { targetDate, currency, config, periodOfPhase: this.#periodOfPhase };
  }

  /** Asserts that the stored facts of an item explain its amount. */
  #checkBasis({ basis, amount }: NewInvoiceItem): void {
    if (basis === undefined || basis.kind === 'PLUGIN') throw new Error('An item of a run keeps no facts');
    expect(writeBasis(readBasis(writeBasis(basis)))).to.equal(writeBasis(basis));
    const computed = stepsOf(basis, this.currency).at(-1)?.result;
    expect(computed && formatDecimal(computed), writeBasis(basis)).to.equal(formatDecimal(amount));
  }

  #write(evaluation: SubscriptionEvaluation, rows: readonly CoverageRow[]): void {
    for (const { id, repairable } of evaluation.repairable) {
      const item = this.billed.get(id);
      if (item !== undefined) this.billed.set(id, { ...item, repairable });
    }
    for (const item of evaluation.items) {
      this.#checkBasis(item);
      this.items.push(item);
      if (item.itemType === 'RECURRING') this.billed.set(item.id, item);
    }
    this.rows = rows;
    this.cursor = evaluation.cursor;
    this.#ongoing = ongoingChargeAfter(this.events, evaluation.cursor);
  }
}

function facts({ items, cursor, coverage, repairable }: SubscriptionEvaluation): unknown {
  const rows = [...coverage.inserted, ...coverage.replacements];
  const { replacedItemIds } = coverage;
  return { items: items.map(comparable), cursor, rows: rowLines(rows), replacedItemIds, repairable };
}

function comparable(item: NewInvoiceItem): Record<string, unknown> {
  const { amount, rate, repairable } = item;
  return {
    ...item,
    amount: formatDecimal(amount),
    rate: rate === null ? null : formatDecimal(rate),
    repairable: formatDecimal(repairable),
  };
}

/** Returns rows as sorted lines: kind, days, plan, rate and amount. */
export function rowLines(rows: readonly CoverageRow[]): readonly string[] {
  return rows
    .map(({ kind, itemId, startDate, endDate, planName, rate, amount }) => {
      const end = endDate === null ? '-' : formatLocalDate(endDate);
      const price = rate === null ? '-' : formatDecimal(rate);
      return `${formatLocalDate(startDate)} ${end} ${kind} ${planName} ${price} ${formatDecimal(amount)} ${itemId}`;
    })
    .sort();
}
