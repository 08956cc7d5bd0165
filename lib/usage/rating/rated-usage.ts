import { Decimal, type ExactValue, parseExactJson, stringifyExactJson } from '../../values/money/index.ts';

/** Specifies how to treat units beyond the last tier of ALL_TIERS (§5.1 rule 4). Set by `invoice.usage.overflow`. */
export const OverflowPolicy = { CAP: 'CAP', LAST_TIER: 'LAST_TIER' } as const;
export type OverflowPolicy = (typeof OverflowPolicy)[keyof typeof OverflowPolicy];

/** Blocks of one unit in one tier. */
export interface BlockLine {
  /** Number of the tier, from 1. */
  readonly tier: number;
  readonly unit: string;
  /** Price of one block. */
  readonly price: Decimal;
  readonly blockSize: Decimal;
  /** Number of blocks. */
  readonly quantity: Decimal;
  /** Quantity × price, not rounded. */
  readonly amount: Decimal;
}

/** The peak of one unit, and the first tier that covers it. */
export interface PeakLine {
  readonly tier: number;
  readonly unit: string;
  /** The price of this tier. The section may be charged at the price of another tier. */
  readonly price: Decimal;
  readonly quantity: Decimal;
}

/** Used units that no tier covers. */
export interface Overflow {
  readonly unit: string;
  readonly quantity: Decimal;
}

/** The number of days of an interval, and of the whole period in which it begins. */
export interface PeriodShare {
  readonly days: number;
  readonly totalDays: number;
}

interface ProratedMinimum extends PeriodShare {
  /** Minimum of a whole period. */
  readonly base: Decimal;
}

interface RatedFacts {
  /** The unrounded cost of the whole usage. */
  readonly exact: Decimal;
  /** The price of all usage, rounded to the currency's minor unit (§5.5). This is F of §7.3. */
  readonly amount: Decimal;
  /** The minimum of the terms with its share of the period, or null if no minimum is prorated. */
  readonly minimum: ProratedMinimum | null;
  /** Units beyond the last tier. The list is empty if every unit has a tier. */
  readonly overflow: readonly Overflow[];
}

export interface RatedConsumable extends RatedFacts {
  readonly kind: 'ALL_TIERS' | 'TOP_TIER';
  /** Lines, sorted by unit, then by tier (§5.3). */
  readonly lines: readonly BlockLine[];
}

interface RatedCapacity extends RatedFacts {
  readonly kind: 'CAPACITY';
  /**
   * Lines, sorted by tier, then by unit (§5.4), followed by the lines of terms. Together they add up to the price of
   * the section.
   */
  readonly lines: readonly (PeakLine | BlockLine)[];
}

export type RatedUsage = RatedConsumable | RatedCapacity;

/** The `itemDetails` of a USAGE item. They have one of the two forms defined in §7.4. */
export type ItemDetails =
  | { readonly shape: 'AGGREGATE'; readonly lines: readonly DetailLine[]; readonly amount: Decimal }
  | { readonly shape: 'DETAIL'; readonly lines: readonly [DetailLine] };

/** A line as it was billed. For CAPACITY, `blockSize` and `amount` are null. */
export interface DetailLine extends PeakLine {
  readonly blockSize: Decimal | null;
  readonly amount: Decimal | null;
}

/**
 * Returns the `itemDetails` of an item that contains all lines.
 * @param content `amount` is the unrounded sum of the lines or, for CAPACITY, the price of the section.
 */
export function aggregateDetails({
  lines,
  amount,
  overflow,
}: Pick<RatedUsage, 'lines' | 'overflow'> & { readonly amount: Decimal }): string {
  return stringifyExactJson({ tierDetails: lines.map(lineJson), amount, ...overflowJson(overflow) });
}

/** Returns the `itemDetails` of an item that contains one line. */
export function lineDetails(line: BlockLine, overflow: readonly Overflow[] = []): string {
  return stringifyExactJson({ ...lineJson(line), ...overflowJson(overflow) });
}

/** Parses `itemDetails` in either form. Returns null for any other content, such as a plugin's. */
export function readItemDetails(text: string | null): ItemDetails | null {
  const json = parseJsonOrNull(text);
  if (!isObject(json)) return null;
  const { tierDetails, amount } = json;
  if (tierDetails === undefined) {
    const line = lineOf(json);
    return line === null ? null : { shape: 'DETAIL', lines: [line] };
  }
  if (!Array.isArray(tierDetails) || !(amount instanceof Decimal)) return null;
  const lines = tierDetails.map(lineOf);
  return lines.some((line) => line === null)
    ? null
    : { shape: 'AGGREGATE', lines: lines.filter((line) => line !== null), amount };
}

function lineJson(line: BlockLine | PeakLine): object {
  const { tier, unit, price, quantity } = line;
  const written = { tier, tierUnit: unit, tierPrice: price, quantity };
  return 'blockSize' in line ? { ...written, tierBlockSize: line.blockSize, amount: line.amount } : written;
}

function overflowJson(overflow: readonly Overflow[]): object {
  if (overflow.length === 0) return {};
  return { overflow: overflow.map(({ unit, quantity }) => ({ tierUnit: unit, quantity })) };
}

function parseJsonOrNull(text: string | null): ExactValue {
  if (text === null) return null;
  try {
    return parseExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function lineOf(json: ExactValue | undefined): DetailLine | null {
  if (!isObject(json)) return null;
  const { tier, tierUnit, tierPrice, quantity, tierBlockSize = null, amount = null } = json;
  const isLine =
    tier instanceof Decimal &&
    typeof tierUnit === 'string' &&
    tierPrice instanceof Decimal &&
    quantity instanceof Decimal &&
    isDecimalOrNull(tierBlockSize) &&
    isDecimalOrNull(amount);
  if (!isLine) return null;
  const blockSize = tierBlockSize;
  return { tier: tier.toNumber(), unit: tierUnit, price: tierPrice, quantity, blockSize, amount };
}

function isDecimalOrNull(value: ExactValue): value is Decimal | null {
  return value === null || value instanceof Decimal;
}

export function isObject(value: ExactValue | undefined): value is { readonly [key: string]: ExactValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Decimal);
}
