import { FeatureKind, QuotaOverage } from '../../records/index.ts';
import { Decimal, sum, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { FeatureSource, QuotaSource } from './feature-source.ts';

/** A contribution to a QUOTA. It has its own counter. */
export type CountedSource = FeatureSource & { readonly quota: QuotaSource; readonly amount: Decimal };

/**
 * Returns the contributions with counters in the order in which they are consumed. A contribution whose period ends
 * earlier comes first; if the ends are equal, the older contribution comes first (§4).
 */
export function inOrderOfConsumption(sources: readonly FeatureSource[]): readonly CountedSource[] {
  return sources
    .filter(isCounted)
    .toSorted(
      ({ quota: a }, { quota: b }) =>
        (a.resetsAt ?? Number.POSITIVE_INFINITY) - (b.resetsAt ?? Number.POSITIVE_INFINITY) ||
        a.since - b.since ||
        a.order - b.order,
    );
}

function isCounted(source: FeatureSource): source is CountedSource {
  return source.quota !== null && source.amount !== null;
}

/** Returns the used amount in a contribution's counter. */
export type UsedOf = (source: CountedSource) => Decimal;

export interface QuotaBalance {
  readonly used: Decimal;
  readonly remaining: Decimal;
  /** The earliest end of a period, or null if no period ends. */
  readonly resetsAt: Instant | null;
}

/** Returns the balance of a quota over all contributions. The contributions must be in the order of consumption. */
export function quotaBalance(sources: readonly CountedSource[], usedOf: UsedOf): QuotaBalance {
  return {
    used: sum(sources.map(usedOf)),
    remaining: sum(sources.map((source) => remainingAmount(source, usedOf))),
    resetsAt: sources[0]?.quota.resetsAt ?? null,
  };
}

function remainingAmount(source: CountedSource, usedOf: UsedOf): Decimal {
  return Decimal.max(ZERO, source.amount.minus(usedOf(source)));
}

export interface PlannedDraw {
  readonly source: CountedSource;
  readonly amount: Decimal;
  /** True if the counter may exceed its amount. */
  readonly isUnbounded: boolean;
}

/** The amounts to take from counters when a quota is consumed, and the part beyond the quota. */
export interface DrawPlan {
  readonly draws: readonly PlannedDraw[];
  /** The part beyond the quota. */
  readonly overage: Decimal;
  /** The contribution whose unit is billed for the part beyond the quota, or null if that part is not billed. */
  readonly billed: CountedSource | null;
}

/**
 * Returns the amounts to take from each counter to consume an amount, or null if consuming the amount is not allowed.
 * The most permissive overage among the contributions applies to the part beyond the quota: BILL, then ALLOW, then
 * BLOCK (§4).
 * @param sources Contributions in the order of consumption.
 */
export function planDraws(
  sources: readonly CountedSource[],
  usedOf: UsedOf,
  amount: Decimal,
): DrawPlan | null {
  const draws: PlannedDraw[] = [];
  let rest = amount;
  for (const source of sources) {
    const drawn = Decimal.min(rest, remainingAmount(source, usedOf));
    if (drawn.isZero()) continue;
    draws.push({ source, amount: drawn, isUnbounded: false });
    rest = rest.minus(drawn);
  }
  if (rest.isZero()) return { draws, overage: ZERO, billed: null };
  const billed = firstWith(sources, QuotaOverage.BILL);
  if (billed !== undefined) return { draws, overage: rest, billed };
  const allowed = firstWith(sources, QuotaOverage.ALLOW);
  if (allowed === undefined) return null;
  const own = draws.find(({ source }) => source === allowed);
  const others = draws.filter((draw) => draw !== own);
  const extended = { source: allowed, amount: rest.plus(own?.amount ?? ZERO), isUnbounded: true };
  return { draws: [...others, extended], overage: rest, billed: null };
}

function firstWith(sources: readonly CountedSource[], overage: QuotaOverage): CountedSource | undefined {
  return sources.find((source) => overageOf(source) === overage);
}

/**
 * Returns the overage of a contribution. An override with BILL may remain when the unit no longer has a price, for
 * example after a plan change. Nothing can be billed in this case.
 */
export function overageOf({ value, quota }: CountedSource): QuotaOverage {
  const overage = value.kind === FeatureKind.QUOTA ? value.overage : QuotaOverage.BLOCK;
  return overage === QuotaOverage.BILL && quota.unit === null ? QuotaOverage.BLOCK : overage;
}
