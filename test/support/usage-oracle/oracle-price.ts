import type { OraclePoint, OracleSection, OracleSettings, OracleTier } from './usage-facts.ts';

/** A rated line: the blocks of a unit in a tier, or a peak without size and amount. */
export interface PriceLine {
  readonly unit: string;
  readonly tier: number;
  readonly price: bigint;
  /** In billionths, like all numbers. */
  readonly quantity: bigint;
  readonly size: bigint | null;
  readonly amount: bigint;
}

export interface OraclePrice {
  /** Unrounded. */
  readonly exact: bigint;
  readonly lines: readonly PriceLine[];
  readonly beyond: readonly { readonly unit: string; readonly quantity: bigint }[];
}

type Used = ReadonlyMap<string, bigint>;

/** The price of usage (usage §5), from the sums of CONSUMABLE or the peaks of CAPACITY. */
export function priceOf(
  section: OracleSection,
  used: Used,
  overflow: OracleSettings['overflow'],
): OraclePrice {
  if (section.kind === 'CAPACITY') return peaks(section, used);
  const units = unitsOf(section).toSorted(byText);
  const priced = units.map((unit) =>
    section.kind === 'ALL_TIERS'
      ? climbed({ unit, tiers: section.tiers, isLastOpen: overflow === 'LAST_TIER' }, used.get(unit) ?? 0n)
      : { lines: [topTier(section.tiers, unit, used.get(unit) ?? 0n)], rest: 0n },
  );
  const lines = priced.flatMap((one) => one.lines);
  return {
    exact: total(lines.map(({ amount }) => amount)),
    lines,
    beyond: units.flatMap((unit, index) => {
      const quantity = priced[index]?.rest ?? 0n;
      return quantity === 0n ? [] : [{ unit, quantity }];
    }),
  };
}

export function unitsOf({ tiers }: OracleSection): readonly string[] {
  return [...new Set(tiers.flatMap(({ parts }) => parts.map(({ unit }) => unit)))];
}

interface Climb {
  readonly unit: string;
  readonly tiers: readonly OracleTier[];
  readonly isLastOpen: boolean;
}

/** Fills tier after tier. The first always has a line. */
function climbed({ unit, tiers, isLastOpen }: Climb, units: bigint) {
  const lines: PriceLine[] = [];
  let rest = units;
  for (const [index, tier] of tiers.entries()) {
    const part = partOf(tier, unit);
    const isOpen = part.max === null || (isLastOpen && index === tiers.length - 1);
    const needed = blocks(rest, part.size);
    const taken = isOpen || needed <= (part.max ?? 0n) ? needed : (part.max ?? 0n);
    rest = taken === needed ? 0n : rest - taken * part.size;
    if (index === 0 || taken > 0n) lines.push(line(part, index, taken));
  }
  return { lines, rest };
}

/** All blocks at the price of the last block's tier. */
function topTier(tiers: readonly OracleTier[], unit: string, units: bigint): PriceLine {
  let rest = units;
  for (const [index, tier] of tiers.entries()) {
    const part = partOf(tier, unit);
    const isHere = part.max === null || blocks(rest, part.size) <= part.max || index === tiers.length - 1;
    if (isHere) return line(part, index, blocks(units, part.size));
    rest -= (part.max ?? 0n) * part.size;
  }
  throw new Error('a section has tiers');
}

function line(part: ReturnType<typeof partOf>, index: number, count: bigint): PriceLine {
  const { unit, price, size } = part;
  return { unit, tier: index + 1, price, quantity: count * ONE, size, amount: count * price };
}

function peaks(section: OracleSection, used: Used): OraclePrice {
  const { tiers } = section;
  const units = unitsOf(section).toSorted(byText);
  const peakOf = (unit: string) => used.get(unit) ?? 0n;
  const fits = (tier: OracleTier, unit: string) => {
    const { max } = partOf(tier, unit);
    return max === null || peakOf(unit) <= max;
  };
  const last = tiers.length - 1;
  const all = tiers.findIndex((tier) => units.every((unit) => fits(tier, unit)));
  const isIdle = units.every((unit) => peakOf(unit) === 0n);
  const lines = units.map((unit): PriceLine => {
    const own = tiers.findIndex((tier) => fits(tier, unit));
    const tier = own < 0 ? last : own;
    return {
      unit,
      tier: tier + 1,
      price: tiers[tier]?.price ?? 0n,
      quantity: peakOf(unit),
      size: null,
      amount: 0n,
    };
  });
  return {
    exact: isIdle ? 0n : (tiers[all < 0 ? last : all]?.price ?? 0n),
    lines: lines.toSorted((a, b) => a.tier - b.tier || byText(a.unit, b.unit)),
    beyond:
      all >= 0
        ? []
        : units.flatMap((unit) => {
            const max = tiers[last] && partOf(tiers[last], unit).max;
            return max != null && peakOf(unit) > max ? [{ unit, quantity: peakOf(unit) - max }] : [];
          }),
  };
}

function partOf({ parts }: OracleTier, unit: string) {
  const part = parts.find((one) => one.unit === unit);
  if (part === undefined) throw new Error(`a tier has no unit ${unit}`);
  return part;
}

/** Rounded up. */
function blocks(units: bigint, size: bigint): bigint {
  return (units + size - 1n) / size;
}

/** The sums of the points by unit, or the peaks of CAPACITY. */
export function usedOf(section: OracleSection, points: Iterable<OraclePoint>): ReadonlyMap<string, bigint> {
  const used = new Map<string, bigint>();
  for (const { unit, amount } of points) {
    const before = used.get(unit) ?? 0n;
    const peak = amount > before ? amount : before;
    used.set(unit, section.kind === 'CAPACITY' ? peak : before + amount);
  }
  return used;
}

// Amounts as integer billionths, with separate arithmetic.

export const ONE = 1_000_000_000n;
const CENT = 10_000_000n;

/** `12.5`, with up to nine decimals. */
export function billionths(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole) * ONE + BigInt(fraction.padEnd(9, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Without trailing zeros. */
export function shown(value: bigint): string {
  const absolute = value < 0n ? -value : value;
  const fraction = String(absolute % ONE)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${absolute / ONE}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Half away from zero. */
export function toCents(value: bigint): bigint {
  const doubled = 2n * (value < 0n ? -value : value) + CENT;
  const rounded = (doubled / (2n * CENT)) * CENT;
  return value < 0n ? -rounded : rounded;
}

export function total(values: Iterable<bigint>): bigint {
  let all = 0n;
  for (const value of values) all += value;
  return all;
}

/** By code points. */
export function byText(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  for (const [place, letter] of a.entries()) {
    const against = b[place];
    if (against === undefined) return 1;
    if (letter !== against) return (letter.codePointAt(0) ?? 0) - (against.codePointAt(0) ?? 0);
  }
  return a.length - b.length;
}
