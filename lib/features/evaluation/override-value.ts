import { parseFeatureValue } from '../../catalog/index.ts';
import {
  FeatureKind,
  type FeatureOverride,
  QuotaOverage,
  QuotaPeriod,
  type WrittenFeatureValue,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import { Decimal, formatDecimal } from '../../values/money/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { type Instant, minInstant } from '../../values/time/index.ts';
import type { FeatureAt } from './features-at.ts';

const expected: Readonly<Record<FeatureKind, string>> = {
  SWITCH: 'true or false',
  NUMBER: 'an amount from 0, UNLIMITED, or { amount, perQuantity }',
  TEXT: 'a text of at most 255 characters',
  QUOTA: `{ amount, per } with per ${Object.keys(QuotaPeriod).join(', ')}, and overage ${Object.keys(QuotaOverage).join(', ')}`,
};

/**
 * Returns the value of an override as text.
 * @param billedUnit Unit that is billed beyond a quota, or null if nothing can be billed.
 * @throws BillingError FEATURE_VALUE_INVALID (63003) if the value does not fit the kind of the feature, or if nothing
 * can be billed.
 */
export function writtenValue(
  { name, kind }: Pick<FeatureAt, 'name' | 'kind'>,
  given: unknown,
  billedUnit: string | null,
): WrittenFeatureValue {
  const written = read(given);
  const parsed = written && typeOf(given).has(kind) ? parseFeatureValue(kind, written) : undefined;
  if (written === null || parsed === undefined) throw invalidValue(name, `Use ${expected[kind]}`);
  if (written.overage === QuotaOverage.BILL && billedUnit === null)
    throw invalidValue(
      name,
      'Overage BILL requires a subscription whose plan prices the unit of the feature. Use BLOCK or ALLOW',
    );
  return written;
}

/** Returns the kinds of features that the given value fits. */
function typeOf(given: unknown): ReadonlySet<FeatureKind> {
  if (typeof given === 'boolean') return new Set([FeatureKind.SWITCH]);
  if (typeof given === 'string') return new Set([FeatureKind.SWITCH, FeatureKind.NUMBER, FeatureKind.TEXT]);
  return new Set([FeatureKind.NUMBER, FeatureKind.QUOTA]);
}

function read(given: unknown): WrittenFeatureValue | null {
  const plain = { per: null, overage: null, perQuantity: null };
  if (typeof given === 'boolean' || typeof given === 'string') return { value: String(given), ...plain };
  if (Decimal.isDecimal(given)) return { value: formatDecimal(given), ...plain };
  if (typeof given !== 'object' || given === null) return null;
  const { amount, per = null, overage = null, perQuantity = null } = given as Record<string, unknown>;
  const value = Decimal.isDecimal(amount) ? formatDecimal(amount) : amount;
  if (typeof value !== 'string' || !isOf(QuotaPeriod, per) || !isOf(QuotaOverage, overage)) return null;
  if (perQuantity !== null && typeof perQuantity !== 'boolean') return null;
  return { value, per, overage, perQuantity };
}

function isOf<T extends string>(values: Readonly<Record<T, T>>, given: unknown): given is T | null {
  return given === null || (typeof given === 'string' && Object.hasOwn(values, given));
}

function invalidValue(feature: string, hint: string): BillingError {
  return billingError(
    ErrorCode.FEATURE_VALUE_INVALID,
    `Invalid value of feature "${shortenText(feature)}". ${hint}`,
    { feature },
  );
}

type Span = Pick<FeatureOverride, 'from' | 'until'>;

/**
 * Returns the end of a new override. It is the requested end, or the start of a later override of the same target if
 * that is earlier (§2).
 */
export function untilNext({ from, until }: Span, others: readonly Span[]): Instant | null {
  const later = others.filter((other) => other.from > from && !isEmpty(other)).map((other) => other.from);
  return later.reduce((end, next) => minInstant(end ?? next, next), until);
}

/** Returns the overrides of the same target that end when a new override starts. */
export function findOverridesToEnd<O extends Span>({ from }: Span, others: readonly O[]): readonly O[] {
  return others.filter((other) => other.from <= from && (other.until === null || other.until > from));
}

function isEmpty({ from, until }: Span): boolean {
  return until !== null && until <= from;
}
