import fc from 'fast-check';
import type { CapacitySection, ConsumableSection } from '../../../lib/records/index.ts';
import { type Quantities, quantitiesOf, type UsageSum } from '../../../lib/usage/rating/quantities.ts';
import { type Decimal, decimal } from '../../../lib/values/money/index.ts';
import type { OracleBlock, OracleLimit, OraclePoint } from './pricing-oracle.ts';
import { capacity, consumable } from './sections.ts';

export function thousandths(value: bigint): Decimal {
  return decimal(value).dividedBy(1_000);
}

function text(value: bigint | null): string {
  return value === null ? '-1' : thousandths(value).toFixed();
}

export interface MeteredSection {
  readonly section: ConsumableSection;
  readonly tiers: readonly (readonly OracleBlock[])[];
}

const units = fc.constantFrom(['gb'], ['gb', 'calls'], ['gb', 'calls', 'mails']);
const sizes = fc.constantFrom(1n, 250n, 1_000n, 3_000n, 7_500n, 100_000n);
const prices = fc.bigInt({ min: 0n, max: 9_999n });

function blocksOf(names: readonly string[]): fc.Arbitrary<readonly OracleBlock[]> {
  return fc.tuple(
    ...names.map((unit) =>
      fc.record({
        unit: fc.constant(unit),
        size: sizes,
        max: fc.bigInt({ min: 1n, max: 20n }),
        price: prices,
      }),
    ),
  );
}

/** CONSUMABLE sections of up to four tiers, bounded or not. */
export function meteredSections(policy: ConsumableSection['tierBlockPolicy']): fc.Arbitrary<MeteredSection> {
  return units
    .chain((names) => fc.array(blocksOf(names), { minLength: 1, maxLength: 4 }))
    .chain((tiers) => fc.boolean().map((isBounded) => (isBounded ? tiers : withoutBound(tiers))))
    .map((tiers) => ({ tiers, section: sectionOf(tiers, policy) }));
}

export function sectionOf(
  tiers: readonly (readonly OracleBlock[])[],
  policy: ConsumableSection['tierBlockPolicy'],
): ConsumableSection {
  return consumable(
    'metered',
    tiers.map((blocks) =>
      blocks.map(({ unit, size, max, price }) => [
        unit,
        text(size),
        max === null ? '-1' : String(max),
        text(price),
      ]),
    ),
    { policy },
  );
}

function withoutBound(tiers: readonly (readonly OracleBlock[])[]) {
  return tiers.map((blocks, index) =>
    index === tiers.length - 1 ? blocks.map((block) => ({ ...block, max: null })) : blocks,
  );
}

export interface PeakTier {
  readonly price: bigint;
  readonly limits: readonly OracleLimit[];
}

export interface PeakSection {
  readonly section: CapacitySection;
  readonly tiers: readonly PeakTier[];
}

/** CAPACITY sections with limits and prices in rising or any order. */
export function peakSections({ isRising }: { readonly isRising: boolean }): fc.Arbitrary<PeakSection> {
  const limit = fc.oneof(
    { weight: 6, arbitrary: fc.bigInt({ min: 0n, max: 40_000n }) },
    { weight: 1, arbitrary: fc.constant(null) },
  );
  return units
    .chain((names) =>
      fc.array(
        fc.record({
          price: prices,
          limits: fc.tuple(...names.map((unit) => limit.map((max) => ({ unit, max })))),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    )
    .map((tiers) => (isRising ? rising(tiers) : tiers))
    .map((tiers) => ({ tiers, section: peakSectionOf(tiers) }));
}

function peakSectionOf(tiers: readonly PeakTier[]): CapacitySection {
  return capacity(
    'peaks',
    tiers.map(({ price, limits }) => [
      text(price),
      ...limits.map(({ unit, max }) => [unit, text(max)] as const),
    ]),
  );
}

function rising(tiers: readonly PeakTier[]): readonly PeakTier[] {
  const inOrder = (a: bigint | null, b: bigint | null) => (a === null ? 1 : b === null ? -1 : Number(a - b));
  const sortedPrices = tiers.map(({ price }) => price).sort(inOrder);
  const names = tiers[0]?.limits.map(({ unit }) => unit) ?? [];
  const sortedLimits = names.map((_, place) =>
    tiers.map(({ limits }) => limits[place]?.max ?? null).sort(inOrder),
  );
  return tiers.map((_, index) => ({
    price: sortedPrices[index] ?? 0n,
    limits: names.map((unit, place) => ({ unit, max: sortedLimits[place]?.[index] ?? null })),
  }));
}

/** Points in order of arrival, some with a unit that no section charges. */
export const meteredPoints: fc.Arbitrary<readonly OraclePoint[]> = fc.array(
  fc.record({
    unit: fc.constantFrom('gb', 'calls', 'mails', 'faxes'),
    amount: fc.oneof(
      fc.bigInt({ min: 0n, max: 50_000n }),
      fc.bigInt({ min: 0n, max: 40n }).map((n) => n * 1_000n),
    ),
  }),
  { maxLength: 12 },
);

/** The points as day sums, some of them combined. */
export function quantities(
  section: ConsumableSection | CapacitySection,
  points: readonly OraclePoint[],
): Quantities {
  const sums = points.map(({ unit, amount }): UsageSum => {
    const value = thousandths(amount);
    return { unit, sum: value, max: value };
  });
  return quantitiesOf(section, sums);
}
