import type { SuppliedAmount, SuppliedDigest, UsageSection } from '../../records/index.ts';
import { MAX_SUPPLIED_TRACKING_IDS } from '../../values/limits.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import {
  NO_USAGE,
  type Quantities,
  quantitiesOf,
  quantityOf,
  together,
  unitsOf,
} from '../rating/quantities.ts';
import type { BilledInterval, PlannedInterval } from '../settlement/billed-interval.ts';
import { type CollectedUsage, type Consumption, isBilledAhead } from '../settlement/settle-usage.ts';
import { spansOf } from './source-question.ts';
import { quantityKey, type SuppliedPiece, type SuppliedSpan, type SuppliedUsage } from './supplied-usage.ts';

type Planned = PlannedInterval;

interface Told {
  readonly quantities: Quantities;
  readonly trackingIds: readonly string[];
}

/**
 * What a usage source says was used by one subscription. What is billed of it is known by the digests of billed intervals
 * (§9 rule 8): what they say of an interval is billed, the rest of it is new.
 */
export class SuppliedBook {
  readonly #billed: readonly BilledInterval[];
  readonly #usage: SuppliedUsage;
  readonly #told = new Map<Planned, Told>();

  constructor(usage: SuppliedUsage, billed: readonly BilledInterval[]) {
    this.#usage = usage;
    this.#billed = billed;
  }

  /** The rated and billed quantities of an interval. */
  collect(planned: Planned): CollectedUsage {
    const { section } = planned.run;
    const { quantities } = this.#toldOf(planned);
    const previous = new Set(planned.match.previous);
    const others = this.#billed.filter((one) => one.usageName === section.name && !previous.has(one));
    const within = isWithin(planned.interval);
    const own = digested(section, planned.match.previous, within);
    const elsewhere = digested(section, others, within);
    const carried = digested(section, planned.match.previous, (amount) => !within(amount));
    const kept = new Map<string, Decimal>();
    const fresh = new Map<string, Decimal>();
    for (const unit of unitsOf(section)) {
      const amounts = { now: quantityOf(quantities, unit), own: quantityOf(own, unit) };
      const split = splitOf(section, { ...amounts, elsewhere: quantityOf(elsewhere, unit) });
      if (!split.kept.isZero()) kept.set(unit, split.kept);
      if (!split.fresh.isZero()) fresh.set(unit, split.fresh);
    }
    // A source tells an interval as one, so that it is late as one.
    const isOnTime = planned.match.previous.every(isBilledAhead);
    return { billed: together(section, kept, carried), fresh, onTime: isOnTime ? fresh : NO_USAGE };
  }

  /** What a settled interval is the first to charge. */
  newlyTold({ run }: Planned, { freshOf, onTimeOf }: Consumption): SuppliedDigest {
    const taken = [...freshOf, ...onTimeOf.filter(({ match }) => match.previous.every(isBilledAhead))];
    const amounts = taken.flatMap((planned) =>
      [...this.collect(planned).fresh].map(
        ([unit, quantity]): SuppliedAmount => ({
          unit,
          start: planned.interval.start.at,
          end: planned.interval.end.at,
          quantity,
        }),
      ),
    );
    const trackingIds = new Set(taken.flatMap((planned) => this.#newIdsOf(run.section.name, planned)));
    return { amounts, trackingIds: [...trackingIds].slice(0, MAX_SUPPLIED_TRACKING_IDS) };
  }

  /** The tracking ids in an interval that no billing of it has told yet; one may be in several intervals (§7.6). */
  #newIdsOf(usageName: string, planned: Planned): readonly string[] {
    const within = isWithin(planned.interval);
    const previous = new Set(planned.match.previous);
    const billed = this.#billed.filter(
      (one) =>
        one.usageName === usageName && (previous.has(one) || one.supplied?.amounts.some(within) === true),
    );
    const known = new Set(billed.flatMap(({ supplied }) => supplied?.trackingIds ?? []));
    return this.#toldOf(planned).trackingIds.filter((id) => !known.has(id));
  }

  /** The units used in an interval, whatever charges them (§7.8). */
  unitsIn({ start, end, includesEnd }: UsageInterval): ReadonlySet<string> {
    if (this.#usage.kind === 'QUANTITIES') return new Set();
    const span = { start: start.at, end: end.at, endInclusive: includesEnd };
    const used = this.#usage.pieces.filter((piece) => isIn(span, piece) && !piece.sum.isZero());
    return new Set(used.map(({ unit }) => unit));
  }

  #toldOf(planned: Planned): Told {
    const known = this.#told.get(planned);
    if (known !== undefined) return known;
    const told =
      this.#usage.kind === 'RECORDS' ? ofPieces(planned, this.#usage) : ofQuantities(planned, this.#usage);
    this.#told.set(planned, told);
    return told;
  }
}

/** What is billed already of an interval's quantity, and what is new; what other billed intervals have charged is neither. */
function splitOf(
  { usageType }: UsageSection,
  { now, own, elsewhere }: { readonly now: Decimal; readonly own: Decimal; readonly elsewhere: Decimal },
): { readonly kept: Decimal; readonly fresh: Decimal } {
  if (usageType === 'CAPACITY') {
    const peak = elsewhere.isZero() || elsewhere.lessThan(now) ? now : lesser(own, now);
    return { kept: lesser(own, peak), fresh: peak.greaterThan(own) ? peak : ZERO };
  }
  const left = now.greaterThan(elsewhere) ? now.minus(elsewhere) : ZERO;
  const kept = lesser(own, left);
  return { kept, fresh: left.minus(kept) };
}

function digested(
  section: UsageSection,
  billed: readonly BilledInterval[],
  isWanted: (amount: SuppliedAmount) => boolean,
): Quantities {
  const amounts = billed.flatMap(({ supplied }) => supplied?.amounts ?? []).filter(isWanted);
  return quantitiesOf(
    section,
    amounts.map(({ unit, quantity }) => ({ unit, sum: quantity, max: quantity })),
  );
}

function isWithin({ start, end }: UsageInterval): (amount: SuppliedAmount) => boolean {
  return (amount) => amount.start >= start.at && amount.end <= end.at;
}

function ofPieces(planned: Planned, { pieces }: { readonly pieces: readonly SuppliedPiece[] }): Told {
  const { section } = planned.run;
  const units = new Set(unitsOf(section));
  const own = spansOf(planned).flatMap((span) =>
    pieces.filter((piece) => units.has(piece.unit) && isIn(span, piece)),
  );
  return {
    quantities: quantitiesOf(section, own),
    trackingIds: own.flatMap(({ trackingIds }) => trackingIds),
  };
}

function isIn(
  { start, end, endInclusive }: SuppliedSpan,
  piece: { readonly from: Instant; readonly to: Instant },
): boolean {
  // The end of a piece is exclusive, and so is one millisecond after the last instant that counts.
  const last: number = endInclusive ? end + 1 : end;
  return piece.from >= start && piece.to <= last;
}

function ofQuantities(
  planned: Planned,
  { quantities }: Extract<SuppliedUsage, { readonly kind: 'QUANTITIES' }>,
): Told {
  const { section } = planned.run;
  const found = spansOf(planned).flatMap((span) =>
    unitsOf(section).map((unit) => ({ unit, told: quantities.get(quantityKey(section.name, unit, span)) })),
  );
  return {
    quantities: quantitiesOf(
      section,
      found.map(({ unit, told }) => ({ unit, sum: told?.quantity ?? ZERO, max: told?.quantity ?? ZERO })),
    ),
    trackingIds: found.flatMap(({ told }) => told?.trackingIds ?? []),
  };
}

function lesser(a: Decimal, b: Decimal): Decimal {
  return a.lessThan(b) ? a : b;
}
