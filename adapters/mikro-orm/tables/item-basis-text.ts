import type { ComputedBasis, ItemBasis } from '../../../lib/records/index.ts';
import { assertInvariant } from '../../../lib/values/errors/index.ts';
import { type Decimal, decimal, formatDecimal } from '../../../lib/values/money/index.ts';
import type { Instant, LocalDate } from '../../../lib/values/time/index.ts';
import { readDay, writeDay } from '../sql/columns.ts';

/** The two functions that convert a value to and from JSON. */
type Conversion<T> = readonly [write: (value: T) => string, read: (stored: string) => T];

export const amountText: Conversion<Decimal> = [formatDecimal, decimal];
export const dayText: Conversion<LocalDate> = [writeDay, readDay];
const WRITE = 0;
const READ = 1;
type Direction = typeof WRITE | typeof READ;

/** The conversion for a type or for the values in it. The result is `never` if no conversion is needed. */
type ConversionOf<T> = T extends Decimal
  ? Conversion<Decimal>
  : T extends Instant
    ? never
    : T extends LocalDate
      ? Conversion<LocalDate>
      : T extends readonly (infer E)[]
        ? ConversionOf<E>
        : T extends object
          ? keyof Conversions<T> extends never
            ? never
            : Conversions<T>
          : never;

/** A conversion for each property that needs one. The compiler rejects other properties. */
type Conversions<T> = {
  readonly [K in keyof T as [ConversionOf<NonNullable<T[K]>>] extends [never] ? never : K]-?: ConversionOf<
    NonNullable<T[K]>
  >;
};

const event = { localDate: dayText };
const share = { base: amountText };
const period = { startDate: dayText, endDate: dayText };

const discounts = {
  percentOff: amountText,
  amountOff: amountText,
  taken: amountText,
  until: dayText,
};

/** Conversion of a value that older items do not have. */
const orNull = [(value: unknown) => value, (stored: unknown) => stored];

type ConversionsOf<T> = Conversions<T> & { readonly [K in keyof T]?: object };
const conversions: {
  readonly [K in ComputedBasis['kind']]: ConversionsOf<Extract<ComputedBasis, { kind: K }>>;
} = {
  FIXED: { event, price: amountText, discounts },
  RECURRING: {
    ...period,
    event,
    nextEvent: event,
    price: amountText,
    share,
    part: share,
    discounts,
    billingAlignment: orNull,
    isRequestedDay: orNull,
  },
  REPAIR: { ...period, event, amount: amountText, share, repairable: amountText, coupons: orNull },
  USAGE: {
    ...period,
    event,
    nextEvent: event,
    used: { quantity: amountText },
    lines: { price: amountText, quantity: amountText, blockSize: amountText, amount: amountText },
    minimum: share,
    due: amountText,
    billed: amountText,
    credit: { open: amountText, left: amountText },
    amount: amountText,
  },
  CREDIT: { balance: amountText, credit: amountText },
};

/** Returns the basis as JSON. Amounts and dates become text; instants become epoch milliseconds. */
export function writeBasis(basis: ItemBasis): string {
  return JSON.stringify(convertBasis(basis, WRITE));
}

export function readBasis(text: string): ItemBasis {
  return convertBasis(JSON.parse(text), READ) as ItemBasis;
}

function convertBasis(basis: ItemBasis, direction: Direction): object {
  if (basis.kind !== 'PLUGIN') return convertComputed(basis, direction);
  const changed = basis.changed && convertComputed(basis.changed, direction);
  return { ...basis, changed, given: convertValue(amountText, basis.given, direction) };
}

function convertComputed(basis: ComputedBasis, direction: Direction): object {
  const parts = conversions[basis.kind];
  assertInvariant(parts, `Unknown basis ${basis.kind}`);
  return convertParts(parts, basis, direction);
}

function convertParts(parts: object, value: object, direction: Direction): object {
  const result: Record<string, unknown> = { ...value };
  for (const name in parts) {
    result[name] = convertValue(parts[name as keyof typeof parts], result[name], direction);
  }
  return result;
}

function convertValue(part: object, value: unknown, direction: Direction): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map((each) => convertValue(part, each, direction));
  return Array.isArray(part) ? part[direction](value) : convertParts(part, value, direction);
}
