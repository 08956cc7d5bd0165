import type { BillingEvent, PointRange, SuppliedDigest } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate, TimeZone } from '../../values/time/index.ts';
import type { UsageInterval, UsageRun } from '../intervals/usage-intervals.ts';

/** An interval of a usage section that was billed on one invoice. The invoice is not VOID. */
export interface BilledInterval {
  readonly usageName: string;
  /**
   * Effective date of the catalog version that contains the section. It identifies the section together with the
   * price identity. The field is absent if the date is unknown.
   */
  readonly versionDate?: Instant;
  readonly priceIdentity?: string;
  /** Exact bounds, or null for items without instants. Such items are matched by date. */
  readonly instants: { readonly start: Instant; readonly end: Instant } | null;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Time at which the interval was billed. Null (the default) means after the end of the interval. */
  readonly billedAt?: Instant | null;
  /**
   * Items of the interval, oldest first. The list is empty if the tenant's settings drop items of amount 0 (§7.5 rule
   * 4).
   */
  readonly entries: readonly BilledEntry[];
  /** The charged points. */
  readonly consumed: readonly PointRange[];
  /**
   * The usage that a usage source supplied when the interval was billed. Null (the default) if the interval was billed
   * from recorded points.
   */
  readonly supplied?: SuppliedDigest | null;
}

export interface UsageHistory {
  /** All events of the subscription in order. */
  readonly events: readonly BillingEvent[];
  /** Billed intervals, in billing order. Intervals on VOID invoices are excluded. */
  readonly billed: readonly BilledInterval[];
  readonly zone: TimeZone;
}

export type ChargedInterval = Pick<BilledInterval, 'instants' | 'startDate' | 'endDate' | 'entries'>;

/** A USAGE item, or a REPAIR_ADJ item that credits part of a USAGE item (§7.7 rule 2). */
export interface BilledEntry {
  readonly itemId: Uuid;
  /** The USAGE item that a credit reduces, or null for a USAGE item. */
  readonly linkedItemId: Uuid | null;
  /** The rated amount before plugins or adjustments changed it. The amount is negative for a credit. */
  readonly amount: Decimal;
  /** The amount that can still be credited. It is 0 for a credit. */
  readonly remaining: Decimal;
  readonly details: string | null;
  /** The rated quantities by unit. The field is absent if they are unknown. */
  readonly used?: readonly { readonly unit: string; readonly quantity: Decimal }[];
}

/** The part of an interval that has been billed (§7.3 step 2). */
export type BilledMatch =
  /** The interval is inside a longer billed interval. Nothing more is billed. */
  | { readonly kind: 'COVERED' }
  | {
      readonly kind: 'OPEN';
      /** The billed intervals inside this interval or equal to it. Only the difference from them is billed. */
      readonly previous: readonly BilledInterval[];
      /** Billed intervals that overlap this interval. Their points are excluded from the quantities. */
      readonly overlapping: readonly BilledInterval[];
    };

/**
 * Matches an interval with the billed intervals of the same subscription and usage name. Compares instants if they are
 * known, and dates otherwise.
 */
export function matchBilled(interval: UsageInterval, billed: readonly BilledInterval[]): BilledMatch {
  const relations = billed.map((one) => ({ one, relation: relationOf(interval, one) }));
  if (relations.some(({ relation }) => relation === 'AROUND')) return { kind: 'COVERED' };
  const those = (wanted: Relation) =>
    relations.filter(({ relation }) => relation === wanted).map(({ one }) => one);
  return { kind: 'OPEN', previous: those('INSIDE'), overlapping: those('OVERLAPS') };
}

/** Returns the billed intervals that are inside the interval or equal to it. */
export function findBilledWithin(
  interval: UsageInterval,
  billed: readonly BilledInterval[],
): readonly BilledInterval[] {
  return billed.filter((one) => relationOf(interval, one) === 'INSIDE');
}

type Relation = 'AROUND' | 'INSIDE' | 'OVERLAPS' | 'APART';

interface Span {
  readonly start: number;
  readonly end: number;
}

function relationOf(interval: UsageInterval, billed: BilledInterval): Relation {
  const { start, end } = interval;
  return billed.instants === null
    ? relation(
        { start: start.date, end: end.date },
        { start: billed.startDate, end: billed.endDate },
        interval,
      )
    : relation({ start: start.at, end: end.at }, billed.instants, interval);
}

function relation(own: Span, billed: Span, interval: UsageInterval): Relation {
  if (own.start === billed.start && own.end === billed.end) return 'INSIDE';
  if (billed.start === billed.end) return ofNoLength(own, billed.start, interval);
  if (own.start === own.end) return billed.start <= own.start && own.start < billed.end ? 'AROUND' : 'APART';
  if (billed.start <= own.start && own.end <= billed.end) return 'AROUND';
  if (own.start <= billed.start && billed.end <= own.end) return 'INSIDE';
  return billed.start < own.end && own.start < billed.end ? 'OVERLAPS' : 'APART';
}

/**
 * Returns true if the billed interval has length 0 and the interval to bill is longer than a day. In that case, the
 * billed interval is not deducted, and its points are not charged again.
 */
function ofNoLength(own: Span, at: number, { start, end }: UsageInterval): Relation {
  if (at < own.start || at > own.end) return 'APART';
  return end.date - start.date > 1 ? 'OVERLAPS' : 'INSIDE';
}

/**
 * A billed interval whose usage is now charged by another section. The whole interval is credited and billed again
 * (§7.3 rule 7).
 */
export interface SupersededInterval {
  readonly usageName: string;
  readonly versionDate: Instant;
  readonly priceIdentity: string;
  readonly instants: { readonly start: Instant; readonly end: Instant };
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** True if a usage source supplied the quantities. */
  readonly isSupplied: boolean;
  readonly entries: readonly BilledEntry[];
  /** The first event that causes another section to charge part of the interval. */
  readonly event: BillingEvent;
}

export interface PlannedInterval {
  readonly run: UsageRun;
  readonly interval: UsageInterval;
  readonly match: Extract<BilledMatch, { kind: 'OPEN' }>;
  /**
   * The superseded interval that this interval continues. It contains this interval, and the same section charged it.
   * Defaults to none.
   */
  readonly replaces?: SupersededInterval | null;
  /** True if the intervals at this time have changed since billing (§7.3 rule 6). Defaults to false. */
  readonly isOutdated?: boolean;
}
