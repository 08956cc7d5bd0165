import type { BillingEvent, PointRange, SuppliedDigest } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate, TimeZone } from '../../values/time/index.ts';
import type { UsageInterval, UsageRun } from '../intervals/usage-intervals.ts';

/** An interval of a usage section as billed on one invoice that is not VOID. */
export interface BilledInterval {
  readonly usageName: string;
  /**
   * Effective date of the section's version. Together with the price identity, it identifies the section. Absent
   * means unknown.
   */
  readonly versionDate?: Instant;
  readonly priceIdentity?: string;
  /** Exact bounds. Null for items without instants, which are matched by date. */
  readonly instants: { readonly start: Instant; readonly end: Instant } | null;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  /** Time of billing. Null means after the end of the interval. Defaults to null. */
  readonly billedAt?: Instant | null;
  /** Items of the interval, oldest first. Empty if zero items are dropped (§7.5 rule 4). */
  readonly entries: readonly BilledEntry[];
  /** The charged points. */
  readonly consumed: readonly PointRange[];
  /**
   * The usage from a usage source at the time of billing. Null if the interval was billed from points. Defaults to
   * null.
   */
  readonly supplied?: SuppliedDigest | null;
}

export interface UsageHistory {
  /** All events of the subscription in order. */
  readonly events: readonly BillingEvent[];
  /** Billed intervals of invoices that are not VOID, in billing order. */
  readonly billed: readonly BilledInterval[];
  readonly zone: TimeZone;
}

export type ChargedInterval = Pick<BilledInterval, 'instants' | 'startDate' | 'endDate' | 'entries'>;

/** A USAGE item, or the REPAIR_ADJ that credits part of one (§7.7 rule 2). */
export interface BilledEntry {
  readonly itemId: Uuid;
  /** The USAGE item that a credit reduces. Null for a USAGE item. */
  readonly linkedItemId: Uuid | null;
  /** The rated amount, before changes by plugins or adjustments. Negative for a credit. */
  readonly amount: Decimal;
  /** The amount that can still be credited. 0 for a credit. */
  readonly remaining: Decimal;
  readonly details: string | null;
  /** The rated quantities by unit. Absent means unknown. */
  readonly used?: readonly { readonly unit: string; readonly quantity: Decimal }[];
}

/** The billed part of an interval (§7.3 step 2). */
export type BilledMatch =
  /** The interval lies within a longer billed interval, so nothing more is billed. */
  | { readonly kind: 'COVERED' }
  | {
      readonly kind: 'OPEN';
      /** The billed intervals within this interval or equal to it. Only the difference is billed. */
      readonly previous: readonly BilledInterval[];
      /** Overlapping billed intervals, whose points are excluded from the quantities. */
      readonly overlapping: readonly BilledInterval[];
    };

/** Matches an interval with billed intervals of the same subscription and usage name, by instants if they are known. */
export function matchBilled(interval: UsageInterval, billed: readonly BilledInterval[]): BilledMatch {
  const relations = billed.map((one) => ({ one, relation: relationOf(interval, one) }));
  if (relations.some(({ relation }) => relation === 'AROUND')) return { kind: 'COVERED' };
  const those = (wanted: Relation) =>
    relations.filter(({ relation }) => relation === wanted).map(({ one }) => one);
  return { kind: 'OPEN', previous: those('INSIDE'), overlapping: those('OVERLAPS') };
}

/** Returns the billed intervals within the interval or equal to it. */
export function billedWithin(
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
 * Returns true if the billed interval has no length and the interval to bill is longer than a day. In that case, the
 * billed interval is not deducted, and its points are not charged again.
 */
function ofNoLength(own: Span, at: number, { start, end }: UsageInterval): Relation {
  if (at < own.start || at > own.end) return 'APART';
  return end.date - start.date > 1 ? 'OVERLAPS' : 'INSIDE';
}

/**
 * A billed interval whose usage another section charges now. The whole interval is credited and billed again (§7.3
 * rule 7).
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
  /** The first event that makes other sections charge part of the interval. */
  readonly event: BillingEvent;
}

export interface PlannedInterval {
  readonly run: UsageRun;
  readonly interval: UsageInterval;
  readonly match: Extract<BilledMatch, { kind: 'OPEN' }>;
  /**
   * The superseded interval that contains this interval and that the same section charged, if this interval may
   * continue its items. None by default.
   */
  readonly replaces?: SupersededInterval | null;
  /** True if the current history has different intervals at this time (§7.3 rule 6). Defaults to false. */
  readonly isOutdated?: boolean;
}
