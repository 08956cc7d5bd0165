import {
  type Coupon,
  type CouponChange,
  type CouponInput,
  CouponScope,
  couponFields,
  type New,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, type Problem } from '../../values/errors/index.ts';
import {
  type Currency,
  Decimal,
  decimal,
  formatDecimal,
  isCurrency,
  minorUnits,
} from '../../values/money/index.ts';
import { describeValue, isStorable, shortenText } from '../../values/text/index.ts';

const MAX_CODE_CHARACTERS = 64;
const MAX_NAME_CHARACTERS = 255;
const MAX_REDEMPTIONS = 1_000_000_000;
const MAX_PERCENT = decimal(100);
const MAX_PERCENT_DIGITS = 2;
const MAX_AMOUNT = decimal('1e15');

type Checked = Omit<New<Coupon>, 'id' | 'redeemedCount' | 'createdDate' | 'updatedDate'>;

/**
 * Returns the coupon in the form that is stored.
 * @throws BillingError COUPON_INVALID (62009) that lists all problems.
 */
export function checkedCoupon(input: CouponInput): Checked {
  const problems = [...problemsOf(input)];
  if (problems.length > 0) throw invalidCoupon(problems);
  return {
    code: input.code,
    name: input.name ?? input.code,
    percentOff: input.percentOff ?? null,
    amountOff: input.amountOff ?? null,
    perQuantity: input.perQuantity ?? false,
    duration: input.duration,
    plans: input.plans ?? null,
    products: input.products ?? null,
    appliesTo: input.appliesTo ?? CouponScope.RECURRING,
    redeemBy: input.redeemBy ?? null,
    maxRedemptions: input.maxRedemptions ?? null,
    oncePerAccount: input.oncePerAccount ?? true,
    isActive: input.isActive ?? true,
  };
}

/**
 * Returns the changed coupon (§1 rule 2). A field does not change if it is absent, or if its value is null and the
 * field cannot be null.
 * @throws BillingError COUPON_INVALID (62009) that lists all problems.
 */
export function changedCoupon(coupon: Coupon, change: CouponChange, now: Coupon['updatedDate']): Coupon {
  const given = Object.entries(couponFields).flatMap(([name, { set, isNullable }]) => {
    const value: unknown = Reflect.get(change, name);
    const isGiven = set !== 'never' && value !== undefined && (value !== null || isNullable);
    return isGiven ? [{ name, value, set }] : [];
  });
  const isSame = (name: string, value: unknown) =>
    JSON.stringify(value) === JSON.stringify(Reflect.get(coupon, name));
  const fixed = coupon.redeemedCount === 0 ? [] : given.filter(({ set }) => set === 'creation');
  const problems = fixed
    .filter(({ name, value }) => !isSame(name, value))
    .map(({ name }) => ({ path: name, message: `${name} cannot change after the first redemption` }));
  if (problems.length > 0) throw invalidCoupon(problems);
  const values = Object.fromEntries(given.map(({ name, value }) => [name, value]));
  const changed = { ...coupon, ...checkedCoupon({ ...coupon, ...values }), updatedDate: now };
  const { maxRedemptions, redeemedCount } = changed;
  if (maxRedemptions !== null && maxRedemptions < redeemedCount)
    throw invalidCoupon([
      {
        path: 'maxRedemptions',
        message: `maxRedemptions ${maxRedemptions} is too low. Use at least ${redeemedCount}, the number of redemptions`,
      },
    ]);
  return changed;
}

function* problemsOf(input: CouponInput): Iterable<Problem> {
  yield* codeProblems(input.code);
  yield* reductionProblems(input);
  yield* durationProblems(input.duration);
  for (const field of ['plans', 'products'] as const) {
    const names = input[field];
    if (names && (names.length === 0 || names.some((name) => !isStorable(name) || name === '')))
      yield { path: field, message: `${field} must contain at least one name, and no name may be empty` };
  }
  const { name, maxRedemptions } = input;
  if (name != null && (name === '' || name.length > MAX_NAME_CHARACTERS || !isStorable(name)))
    yield {
      path: 'name',
      message: `name must have 1 to ${MAX_NAME_CHARACTERS} characters, without NUL or unpaired surrogates, not ${describeValue(name)}`,
    };
  const isLimit = (limit: number) => Number.isInteger(limit) && limit >= 1 && limit <= MAX_REDEMPTIONS;
  if (maxRedemptions != null && !isLimit(maxRedemptions))
    yield {
      path: 'maxRedemptions',
      message: `maxRedemptions must be a whole number from 1 to ${MAX_REDEMPTIONS.toLocaleString('en')}, not ${maxRedemptions}`,
    };
}

function* codeProblems(code: string): Iterable<Problem> {
  if (code.trim() !== code || code === '' || !isStorable(code))
    yield {
      path: 'code',
      message: `code must be a non-empty string without leading or trailing spaces, not ${describeValue(code)}`,
    };
  if (code.length > MAX_CODE_CHARACTERS)
    yield {
      path: 'code',
      message: `code has ${code.length} characters. Use at most ${MAX_CODE_CHARACTERS}`,
    };
}

function* reductionProblems({ percentOff, amountOff }: CouponInput): Iterable<Problem> {
  if ((percentOff == null) === (amountOff == null))
    yield { path: 'percentOff', message: 'Set exactly one of percentOff and amountOff' };
  if (percentOff != null && !isPercentage(percentOff))
    yield {
      path: 'percentOff',
      message: `percentOff is ${formatDecimal(percentOff)}; it must be greater than 0 and at most 100, with at most two decimal places`,
    };
  if (amountOff == null) return;
  if (typeof amountOff !== 'object' || Array.isArray(amountOff) || Object.keys(amountOff).length === 0) {
    yield { path: 'amountOff', message: 'amountOff must contain an amount for at least one currency' };
    return;
  }
  for (const [currency, amount] of Object.entries(amountOff)) {
    const path = `amountOff.${shortenText(currency)}`;
    const shown = Decimal.isDecimal(amount) ? formatDecimal(amount) : describeValue(amount);
    if (!isCurrency(currency))
      yield { path, message: `${shortenText(currency)} is not an ISO 4217 currency code such as EUR` };
    else if (!(Decimal.isDecimal(amount) && isAmount(amount, currency)))
      yield {
        path,
        message: `${path} is ${shown}; it must be greater than 0, with no more decimal places than its currency allows`,
      };
  }
}

function isPercentage(percent: Decimal): boolean {
  return (
    percent.greaterThan(0) &&
    percent.lessThanOrEqualTo(MAX_PERCENT) &&
    percent.decimalPlaces() <= MAX_PERCENT_DIGITS
  );
}

function isAmount(amount: Decimal, currency: Currency): boolean {
  return (
    amount.greaterThan(0) && amount.lessThan(MAX_AMOUNT) && amount.decimalPlaces() <= minorUnits(currency)
  );
}

const MAX_DURATION = 1_200;
const DURATION_FORMS = 'ONCE, FOREVER, { periods } or { months }';

function* durationProblems(duration: unknown): Iterable<Problem> {
  if (duration === 'ONCE' || duration === 'FOREVER') return;
  const [[unit, count] = [], ...others] = Object.entries(Object(duration));
  if (typeof duration !== 'object' || others.length > 0 || (unit !== 'periods' && unit !== 'months')) {
    yield {
      path: 'duration',
      message: `duration must be ${DURATION_FORMS}, not ${describeValue(duration)}`,
    };
    return;
  }
  if (!(typeof count === 'number' && Number.isSafeInteger(count) && count >= 1 && count <= MAX_DURATION))
    yield {
      path: 'duration',
      message: `duration.${unit} must be a whole number from 1 to ${MAX_DURATION.toLocaleString('en')}, not ${describeValue(count)}`,
    };
}

function invalidCoupon(problems: readonly Problem[]): BillingError {
  const [first] = problems;
  return billingError(ErrorCode.COUPON_INVALID, `The coupon is invalid: ${first?.message}`, {
    field: first?.path,
    problems: problems.map(({ message }) => message),
  });
}
