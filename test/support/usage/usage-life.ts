import type { BillingEvent, PointRange } from '../../../lib/records/index.ts';
import type { Quantities } from '../../../lib/usage/rating/quantities.ts';
import { NO_TERMS, type UsageTerms } from '../../../lib/usage/rating/usage-terms.ts';
import type { BilledInterval, PlannedInterval } from '../../../lib/usage/settlement/billed-interval.ts';
import type { UsageCharge, UsageCredit } from '../../../lib/usage/settlement/settle-interval.ts';
import type { CollectedUsage, SettledInterval } from '../../../lib/usage/settlement/settle-usage.ts';
import { settleUsage } from '../../../lib/usage/settlement/settle-usage.ts';
import { creditedDates, type SettledSuperseded } from '../../../lib/usage/settlement/superseded-usage.ts';
import { DEFAULT_USAGE_CONFIG, type UsageConfig } from '../../../lib/usage/settlement/usage-config.ts';
import { planUsage } from '../../../lib/usage/settlement/usage-plan.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { type Decimal, decimal, formatDecimal, ZERO } from '../../../lib/values/money/index.ts';
import type { Instant, LocalDate, TimeZone } from '../../../lib/values/time/index.ts';
import { localDateOf, startOfDay } from '../../../lib/values/time/index.ts';
import { day, text } from '../invoicing/billing-events.ts';
import type { PlainItem } from '../usage-oracle/plain-items.ts';
import { at } from './sections.ts';
import { UTC_ZONE } from './usage-catalog.ts';

export interface LifePoint {
  readonly unit: string;
  readonly recordInstant: Instant;
  readonly localDate: LocalDate;
  readonly dateOnly: boolean;
  readonly amount: Decimal;
  readonly trackingId: string;
  /** Within its unit and day, from 1. */
  readonly ordinal: number;
  isVoid: boolean;
}

export interface LifeInvoice {
  readonly items: readonly PlainItem[];
  readonly trackingIds: readonly string[];
  readonly chargedThrough: string | null;
  readonly nextDate: string | null;
}

/** A billed interval with its consumed points, in the form of a collector. */
export interface StoredInterval<Consumed> extends BilledInterval {
  readonly points: Consumed;
  readonly entries: StoredEntry[];
  readonly invoice: number;
}

/** The usage at one moment as a collector sees it. */
export interface Collected<Consumed> {
  collect(planned: PlannedInterval): CollectedUsage;
  beyond(planned: readonly PlannedInterval[]): ReadonlyMap<string, Quantities>;
  newlyConsumed(settled: SettledInterval, planned: readonly PlannedInterval[]): Consumed;
  trackingIds(consumed: Consumed): readonly string[];
}

interface StoredEntry {
  readonly itemId: Uuid;
  readonly linkedItemId: Uuid | null;
  readonly amount: Decimal;
  readonly details: string;
  remaining: Decimal;
}

/** The usage of one subscription in memory. Runs use the rules of `lib/usage` like the engine. */
export abstract class UsageLife<Consumed = unknown> {
  events: readonly BillingEvent[];
  readonly zone: TimeZone;
  config: UsageConfig;
  terms: UsageTerms = NO_TERMS;
  readonly points: LifePoint[] = [];
  /** The first date that a run reads; null = all. */
  from: LocalDate | null = null;
  protected stored: StoredInterval<Consumed>[] = [];
  /** Of voided invoices. */
  protected freed: StoredInterval<Consumed>[] = [];
  #invoices = 0;
  #items = 0;

  constructor(
    events: readonly BillingEvent[],
    options: { readonly zone?: TimeZone; readonly config?: Partial<UsageConfig> } = {},
  ) {
    this.events = events;
    this.zone = options.zone ?? UTC_ZONE;
    this.config = { ...DEFAULT_USAGE_CONFIG, ...options.config };
  }

  /** @param what such as `99 sms`. @param when a date for a point of a day, or an instant. */
  record(what: string, when: string, trackingId = when): void {
    const [amount = '', unit = ''] = what.split(' ');
    const dateOnly = /^\d{4}-\d{2}-\d{2}$/.test(when);
    const recordInstant = dateOnly ? startOfDay(day(when), this.zone) : at(when);
    const localDate = dateOnly ? day(when) : localDateOf(recordInstant, this.zone);
    const ordinal =
      1 + this.points.filter((point) => point.unit === unit && point.localDate === localDate).length;
    const point = { unit, recordInstant, localDate, dateOnly, amount: decimal(amount), trackingId, ordinal };
    this.points.push({ ...point, isVoid: false });
  }

  /** Runs up to the target date. A dry run stores nothing. */
  bill(targetDate: string, { isDry = false } = {}): LifeInvoice {
    const plan = planUsage({
      events: this.events,
      targetDate: day(targetDate),
      zone: this.zone,
      config: this.config,
      billed: this.visible(this.stored),
      from: this.from,
    });
    const usage = this.collected(plan.billed as readonly StoredInterval<Consumed>[]);
    const settled = settleUsage({
      plan,
      collected: plan.intervals.map((planned) => usage.collect(planned)),
      left: plan.outdated.map((planned) => usage.collect(planned).billed),
      beyond: usage.beyond(plan.intervals),
      currency: 'USD',
      config: this.config,
      terms: this.terms,
    });
    const all = [...settled.intervals, ...settled.outdated];
    const items = [
      ...all.flatMap((one) => one.charges.map((charge) => this.#item(one, charge))),
      ...settled.superseded.flatMap((one) => one.credits.map((credit) => this.#supersededItem(one, credit))),
    ];
    const consumed = all.map((one) => usage.newlyConsumed(one, plan.intervals));
    const trackingIds = [...new Set(consumed.flatMap((points) => usage.trackingIds(points)))].sort();
    if (!isDry) {
      this.#keep(all, consumed, items.length > 0);
      for (const { interval, credits } of settled.superseded) this.#keepCredits(interval, credits);
    }
    return {
      items,
      trackingIds: items.length > 0 ? trackingIds : [],
      chargedThrough: settled.chargedThrough === null ? null : text(settled.chargedThrough),
      nextDate: plan.nextDate === null ? null : text(plan.nextDate),
    };
  }

  /** Voids the invoice of the last run that made one. */
  voidLast(): void {
    const last = Math.max(...this.stored.map(({ invoice }) => invoice));
    for (const { entries, invoice } of this.stored) {
      if (invoice === last) for (const credit of entries) this.#giveBack(credit, credit.amount.negated());
    }
    this.freed.push(...this.stored.filter(({ invoice }) => invoice === last));
    this.stored = this.stored.filter(({ invoice }) => invoice !== last);
  }

  voidPoints(trackingId: string): void {
    for (const point of this.points) if (point.trackingId === trackingId) point.isVoid = true;
  }

  total(): Decimal {
    return this.stored.flatMap(({ entries }) => entries).reduce((all, { amount }) => all.plus(amount), ZERO);
  }

  /** The billed intervals that a run reads. */
  protected visible(stored: readonly StoredInterval<Consumed>[]): readonly StoredInterval<Consumed>[] {
    return stored;
  }

  protected abstract collected(stored: readonly StoredInterval<Consumed>[]): Collected<Consumed>;

  #item({ planned, replaced }: SettledInterval, charge: UsageCharge): PlainItem {
    const { run, interval } = planned;
    const { startDate, endDate } =
      replaced == null || charge.kind === 'USAGE'
        ? { startDate: interval.start.date, endDate: interval.end.date }
        : creditedDates(replaced, interval);
    const isUsage = charge.kind === 'USAGE';
    const rate = isUsage ? charge.rate : null;
    const quantity = isUsage ? charge.quantity : null;
    return {
      usage: run.section.name,
      from: text(startDate),
      to: text(endDate),
      amount: formatDecimal(charge.amount),
      rate: rate === null ? null : formatDecimal(rate),
      quantity: quantity === null ? null : formatDecimal(quantity),
      details: JSON.parse(charge.details),
      ...(isUsage ? {} : { credits: formatDecimal(this.#entry(charge.linkedItemId)?.amount ?? ZERO) }),
    };
  }

  #supersededItem({ interval }: SettledSuperseded, credit: UsageCredit): PlainItem {
    return {
      usage: interval.usageName,
      from: text(interval.startDate),
      to: text(interval.endDate),
      amount: formatDecimal(credit.amount),
      rate: null,
      quantity: null,
      details: JSON.parse(credit.details),
      credits: formatDecimal(this.#entry(credit.linkedItemId)?.amount ?? ZERO),
    };
  }

  /** An empty consumption of the collector. */
  protected abstract readonly nothing: Consumed;

  /** The consumed points as the engine stores them. */
  protected abstract rangesOf(consumed: Consumed): readonly PointRange[];

  #keepCredits(interval: SettledSuperseded['interval'], credits: readonly UsageCredit[]): void {
    const { usageName, versionDate, priceIdentity, instants, startDate, endDate } = interval;
    const known = { usageName, versionDate, priceIdentity, instants, startDate, endDate };
    const entries = credits.map((credit) => this.#entryOf(credit));
    this.stored.push({
      ...known,
      points: this.nothing,
      consumed: this.rangesOf(this.nothing),
      entries,
      invoice: this.#invoices,
    });
  }

  #keep(settled: readonly SettledInterval[], consumed: readonly Consumed[], hasInvoice: boolean): void {
    this.#invoices += 1;
    for (const [index, { planned, charges }] of settled.entries()) {
      const { interval, run, match } = planned;
      const own = consumed[index];
      if (own === undefined) continue;
      if (!hasInvoice && match.previous.length > 0) continue;
      this.stored.push({
        usageName: run.section.name,
        versionDate: run.section.versionDate,
        priceIdentity: run.section.priceIdentity,
        instants: { start: interval.start.at, end: interval.end.at },
        startDate: interval.start.date,
        endDate: interval.end.date,
        points: own,
        consumed: this.rangesOf(own),
        entries: charges.map((charge) => this.#entryOf(charge)),
        invoice: this.#invoices,
      });
    }
  }

  #entryOf(charge: UsageCharge): StoredEntry {
    this.#items += 1;
    const itemId = `00000000-0000-7000-8000-${String(this.#items).padStart(12, '0')}` as Uuid;
    const { amount, details } = charge;
    if (charge.kind === 'USAGE') return { itemId, linkedItemId: null, amount, details, remaining: amount };
    const credit = { itemId, linkedItemId: charge.linkedItemId, amount, details, remaining: ZERO };
    this.#giveBack(credit, amount);
    return credit;
  }

  #giveBack({ linkedItemId }: StoredEntry, amount: Decimal): void {
    const linked = linkedItemId === null ? undefined : this.#entry(linkedItemId);
    if (linked !== undefined) linked.remaining = linked.remaining.plus(amount);
  }

  #entry(itemId: Uuid): StoredEntry | undefined {
    return this.stored.flatMap(({ entries }) => entries).find((entry) => entry.itemId === itemId);
  }
}
