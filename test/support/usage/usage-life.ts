import { billedTimes, countsAt, isWithin } from '../../../lib/usage/intervals/billed-time.ts';
import type { UsageEvent } from '../../../lib/usage/intervals/usage-event.ts';
import type { UsageInterval } from '../../../lib/usage/intervals/usage-intervals.ts';
import { type Quantities, quantitiesOf } from '../../../lib/usage/rating/quantities.ts';
import type { CollectedUsage } from '../../../lib/usage/settlement/late-usage.ts';
import { type SettledInterval, settleUsage } from '../../../lib/usage/settlement/settle-usage.ts';
import type { UsageCharge } from '../../../lib/usage/settlement/usage-charge.ts';
import { DEFAULT_USAGE_CONFIG, type UsageConfig } from '../../../lib/usage/settlement/usage-config.ts';
import {
  type BilledOfSection,
  type PlannedInterval,
  planUsage,
} from '../../../lib/usage/settlement/usage-plan.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { type Decimal, decimal, formatDecimal, ZERO } from '../../../lib/values/money/index.ts';
import {
  type Instant,
  type LocalDate,
  localDateOf,
  startOfDay,
  type TimeZone,
} from '../../../lib/values/time/index.ts';
import { day, text } from '../invoicing/billing-events.ts';
import { at } from './sections.ts';
import { UTC_ZONE } from './usage-events.ts';

export interface LifePoint {
  readonly unit: string;
  readonly recordInstant: Instant;
  readonly localDate: LocalDate;
  readonly dateOnly: boolean;
  readonly amount: Decimal;
  readonly trackingId: string;
}

/** What an invoice has, in words that can be compared. */
export interface LifeItem {
  readonly usage: string;
  readonly from: string;
  readonly to: string;
  readonly amount: string;
  readonly rate: string | null;
  readonly quantity: string | null;
  /** Parsed. */
  readonly details: unknown;
  /** Only of a credit: amount of the item that it gives back from. */
  readonly credits?: string;
}

export interface LifeInvoice {
  readonly items: readonly LifeItem[];
  readonly trackingIds: readonly string[];
  readonly chargedThrough: string | null;
  readonly nextDate: string | null;
}

interface StoredInterval extends BilledOfSection {
  readonly consumed: ReadonlySet<LifePoint>;
  readonly entries: StoredEntry[];
  readonly invoice: number;
}

interface StoredEntry {
  readonly itemId: Uuid;
  readonly linkedItemId: Uuid | null;
  readonly amount: Decimal;
  readonly details: string;
  remaining: Decimal;
}

/**
 * The usage of one subscription kept in memory: every point is looked at for every interval. Runs go through the rules of
 * `lib/usage` as they do in the engine.
 */
export class UsageLife {
  events: readonly UsageEvent[];
  readonly zone: TimeZone;
  config: UsageConfig;
  points: LifePoint[] = [];
  #stored: StoredInterval[] = [];
  #invoices = 0;
  #items = 0;

  constructor(
    events: readonly UsageEvent[],
    options: { readonly zone?: TimeZone; readonly config?: Partial<UsageConfig> } = {},
  ) {
    this.events = events;
    this.zone = options.zone ?? UTC_ZONE;
    this.config = { ...DEFAULT_USAGE_CONFIG, ...options.config };
  }

  /** `what`: such as `99 sms`; `when`: a date, for a point of a day, or an instant. */
  record(what: string, when: string, trackingId = when): void {
    const [amount = '', unit = ''] = what.split(' ');
    const dateOnly = /^\d{4}-\d{2}-\d{2}$/.test(when);
    const recordInstant = dateOnly ? startOfDay(day(when), this.zone) : at(when);
    const localDate = dateOnly ? day(when) : localDateOf(recordInstant, this.zone);
    this.points.push({ unit, recordInstant, localDate, dateOnly, amount: decimal(amount), trackingId });
  }

  /** A run up to the target date; nothing is kept of a dry one. */
  bill(targetDate: string, { isDry = false } = {}): LifeInvoice {
    const plan = planUsage({
      events: this.events,
      targetDate: day(targetDate),
      zone: this.zone,
      config: this.config,
      billed: this.#stored,
    });
    const settled = settleUsage({
      plan,
      collected: plan.intervals.map((planned) => this.#collect(planned)),
      beyond: this.#beyond(plan.intervals),
      currency: 'USD',
      config: this.config,
    });
    const items = settled.intervals.flatMap((one) => one.charges.map((charge) => this.#item(one, charge)));
    const consumed = settled.intervals.map((one) => this.#newlyConsumed(one, settled.intervals));
    const trackingIds = [...new Set(consumed.flat().map(({ trackingId }) => trackingId))].sort();
    if (!isDry) this.#keep(settled.intervals, consumed, items.length > 0);
    return {
      items,
      trackingIds: items.length > 0 ? trackingIds : [],
      chargedThrough: settled.chargedThrough === null ? null : text(settled.chargedThrough),
      nextDate: plan.nextDate === null ? null : text(plan.nextDate),
    };
  }

  /** Voids the invoice of the last run that made one. */
  voidLast(): void {
    const last = Math.max(...this.#stored.map(({ invoice }) => invoice));
    for (const { entries, invoice } of this.#stored) {
      if (invoice === last) for (const credit of entries) this.#giveBack(credit, credit.amount.negated());
    }
    this.#stored = this.#stored.filter(({ invoice }) => invoice !== last);
  }

  /** Takes the points of a submission back. */
  voidPoints(trackingId: string): void {
    this.points = this.points.filter((point) => point.trackingId !== trackingId);
  }

  /** Net of all items in force. */
  total(): Decimal {
    return this.#stored.flatMap(({ entries }) => entries).reduce((all, { amount }) => all.plus(amount), ZERO);
  }

  #collect({ run, interval, match }: PlannedInterval<StoredInterval>): CollectedUsage {
    const billed = this.points.filter((point) => match.previous.some(({ consumed }) => consumed.has(point)));
    return {
      billed: sumsOf(run.section, billed),
      fresh: sumsOf(run.section, this.#fresh(run.section.name, interval)),
    };
  }

  #fresh(name: string, interval: UsageInterval): readonly LifePoint[] {
    return this.#within(interval).filter((point) => !this.#isConsumed(name, point));
  }

  #isConsumed(name: string, point: LifePoint): boolean {
    return this.#stored.some(({ usageName, consumed }) => usageName === name && consumed.has(point));
  }

  #within(interval: UsageInterval): readonly LifePoint[] {
    const times = billedTimes(this.events);
    return this.points.filter((point) => isWithin(interval, countsAt(point, times)));
  }

  #beyond(planned: readonly PlannedInterval<StoredInterval>[]): ReadonlyMap<string, Quantities> {
    return new Map(
      planned.map(({ run }) => [
        run.section.name,
        sumsOf(run.section, this.#pointsBeyond(run.section.name, planned)),
      ]),
    );
  }

  /** Points of billed intervals that are not looked at any more. */
  #pointsBeyond(name: string, planned: readonly PlannedInterval<StoredInterval>[]): readonly LifePoint[] {
    const own = this.#stored.filter(({ usageName }) => usageName === name);
    const open = new Set(planned.flatMap(({ interval }) => this.#within(interval)));
    const times = billedTimes(this.events);
    return this.points.filter((point) => {
      if (this.#isConsumed(name, point) || open.has(point)) return false;
      const counted = countsAt(point, times);
      return own.some(
        ({ instants }) => instants !== null && instants.start <= counted && counted < instants.end,
      );
    });
  }

  /** The points that an interval is the first to charge. */
  #newlyConsumed(
    { planned, consumes }: SettledInterval<StoredInterval>,
    all: readonly SettledInterval<StoredInterval>[],
  ): readonly LifePoint[] {
    const { name } = planned.run.section;
    const beyond = consumes.beyond
      ? this.#pointsBeyond(
          name,
          all.map((one) => one.planned),
        )
      : [];
    return [...consumes.freshOf.flatMap(({ interval }) => this.#fresh(name, interval)), ...beyond];
  }

  #item({ planned }: SettledInterval<StoredInterval>, charge: UsageCharge): LifeItem {
    const { run, interval } = planned;
    const isUsage = charge.kind === 'USAGE';
    const rate = isUsage ? charge.rate : null;
    const quantity = isUsage ? charge.quantity : null;
    return {
      usage: run.section.name,
      from: text(interval.start.date),
      to: text(interval.end.date),
      amount: formatDecimal(charge.amount),
      rate: rate === null ? null : formatDecimal(rate),
      quantity: quantity === null ? null : formatDecimal(quantity),
      details: JSON.parse(charge.details),
      ...(isUsage ? {} : { credits: formatDecimal(this.#entry(charge.linkedItemId)?.amount ?? ZERO) }),
    };
  }

  #keep(
    settled: readonly SettledInterval<StoredInterval>[],
    consumed: readonly (readonly LifePoint[])[],
    hasInvoice: boolean,
  ): void {
    this.#invoices += 1;
    for (const [index, { planned, charges }] of settled.entries()) {
      const { interval, run, match } = planned;
      if (!hasInvoice && match.previous.length > 0) continue;
      this.#stored.push({
        usageName: run.section.name,
        instants: { start: interval.start.at, end: interval.end.at },
        startDate: interval.start.date,
        endDate: interval.end.date,
        consumed: new Set(consumed[index]),
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
    return this.#stored.flatMap(({ entries }) => entries).find((entry) => entry.itemId === itemId);
  }
}

function sumsOf(section: UsageEvent['usages'][number], points: readonly LifePoint[]): Quantities {
  return quantitiesOf(
    section,
    points.map(({ unit, amount }) => ({ unit, sum: amount, max: amount })),
  );
}
