import type { SuppliedAmount, SuppliedDigest, UsageSection } from '../../records/index.ts';
import { MAX_SUPPLIED_TRACKING_IDS } from '../../values/limits.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import {
  lesser,
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

interface SuppliedQuantities {
  readonly quantities: Quantities;
  readonly trackingIds: readonly string[];
}

/**
 * The usage of one subscription from a usage source. The digests of billed intervals show which part has been billed
 * (§9 rule 8). The rest is new.
 */
export class SuppliedLedger {
  readonly #billed: readonly BilledInterval[];
  readonly #usage: SuppliedUsage;
  readonly #known = new Map<Planned, SuppliedQuantities>();

  constructor(usage: SuppliedUsage, billed: readonly BilledInterval[]) {
    this.#usage = usage;
    this.#billed = billed;
  }

  /** Returns the rated and billed quantities of an interval. */
  collect(planned: Planned): CollectedUsage {
    const { section } = planned.run;
    const { quantities } = this.#findSuppliedQuantities(planned);
    const previous = new Set(planned.match.previous);
    const others = this.#billed.filter((one) => one.usageName === section.name && !previous.has(one));
    const within = isWithin(planned.interval);
    const own = sumSuppliedAmounts(section, planned.match.previous, within);
    const elsewhere = sumSuppliedAmounts(section, others, within);
    const carried = sumSuppliedAmounts(section, planned.match.previous, (amount) => !within(amount));
    const kept = new Map<string, Decimal>();
    const fresh = new Map<string, Decimal>();
    for (const unit of unitsOf(section)) {
      const amounts = { now: quantityOf(quantities, unit), own: quantityOf(own, unit) };
      const split = splitOf(section, { ...amounts, elsewhere: quantityOf(elsewhere, unit) });
      if (!split.kept.isZero()) kept.set(unit, split.kept);
      if (!split.fresh.isZero()) fresh.set(unit, split.fresh);
    }
    // A source reports whole intervals, so an interval is late as a whole.
    const isOnTime = planned.match.previous.every(isBilledAhead);
    return { billed: together(section, kept, carried), fresh, onTime: isOnTime ? fresh : NO_USAGE };
  }

  /** Returns the usage that is charged for the first time by a settled interval. */
  newlySupplied({ run }: Planned, { freshOf, onTimeOf }: Consumption): SuppliedDigest {
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

  /**
   * Returns the tracking ids of an interval that are not on any invoice yet. Several intervals may have the same
   * tracking id (§7.6).
   */
  #newIdsOf(usageName: string, planned: Planned): readonly string[] {
    const within = isWithin(planned.interval);
    const previous = new Set(planned.match.previous);
    const billed = this.#billed.filter(
      (one) =>
        one.usageName === usageName && (previous.has(one) || one.supplied?.amounts.some(within) === true),
    );
    const known = new Set(billed.flatMap(({ supplied }) => supplied?.trackingIds ?? []));
    return this.#findSuppliedQuantities(planned).trackingIds.filter((id) => !known.has(id));
  }

  /** Returns the units used in an interval, regardless of which sections charge them (§7.8). */
  unitsIn({ start, end, includesEnd }: UsageInterval): ReadonlySet<string> {
    if (this.#usage.kind === 'QUANTITIES') return new Set();
    const span = { start: start.at, end: end.at, endInclusive: includesEnd };
    const used = this.#usage.pieces.filter((piece) => isIn(span, piece) && !piece.sum.isZero());
    return new Set(used.map(({ unit }) => unit));
  }

  #findSuppliedQuantities(planned: Planned): SuppliedQuantities {
    const known = this.#known.get(planned);
    if (known !== undefined) return known;
    const supplied =
      this.#usage.kind === 'RECORDS' ? ofPieces(planned, this.#usage) : ofQuantities(planned, this.#usage);
    this.#known.set(planned, supplied);
    return supplied;
  }
}

/**
 * Splits the quantity of an interval into its billed part and its new part. Usage that other billed intervals charge is
 * excluded.
 */
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

function sumSuppliedAmounts(
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

function ofPieces(planned: Planned, { pieces }: { readonly pieces: readonly SuppliedPiece[] }) {
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
  // The end of a piece is exclusive, so it is one millisecond after the last included instant.
  const last: number = endInclusive ? end + 1 : end;
  return piece.from >= start && piece.to <= last;
}

function ofQuantities(
  planned: Planned,
  { quantities }: Extract<SuppliedUsage, { readonly kind: 'QUANTITIES' }>,
): SuppliedQuantities {
  const { section } = planned.run;
  const found = spansOf(planned).flatMap((span) =>
    unitsOf(section).map((unit) => ({
      unit,
      supplied: quantities.get(quantityKey(section.name, unit, span)),
    })),
  );
  return {
    quantities: quantitiesOf(
      section,
      found.map(({ unit, supplied }) => {
        const quantity = supplied?.quantity ?? ZERO;
        return { unit, sum: quantity, max: quantity };
      }),
    ),
    trackingIds: found.flatMap(({ supplied }) => supplied?.trackingIds ?? []),
  };
}
