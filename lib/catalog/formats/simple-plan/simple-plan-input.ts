import { ProductCategory } from '../../../records/index.ts';
import { BillingError, ErrorCode, type Problem } from '../../../values/errors/index.ts';
import { type Currency, type Decimal, isCurrency } from '../../../values/money/index.ts';
import { shortened } from '../../../values/text/index.ts';
import { BillingPeriod, type Duration, TimeUnit } from '../../../values/time/index.ts';
import { isNcName } from '../../validation/names.ts';

/** A plan with one recurring price and perhaps a free trial, as `POST /catalog/simplePlan` takes it. */
export interface SimplePlan {
  /** An XML NCName. */
  readonly planId?: string | null;
  /** Required for a plan that does not exist. */
  readonly productName?: string | null;
  /** Required for a product that does not exist. */
  readonly productCategory?: ProductCategory | null;
  readonly currency?: string | null;
  readonly amount?: Decimal | null;
  /** Required for a plan that does not exist. */
  readonly billingPeriod?: BillingPeriod | null;
  /** 0 or absent: no trial. */
  readonly trialLength?: number | null;
  readonly trialTimeUnit?: TimeUnit | null;
  /** Base products for which an add-on can be bought; required with ADD_ON. */
  readonly availableBaseProducts?: readonly string[] | null;
}

/** The same, checked as far as possible without a catalog. */
export interface CheckedSimplePlan {
  readonly planId: string;
  readonly productName: string | null;
  readonly productCategory: ProductCategory | null;
  readonly currency: Currency;
  readonly amount: Decimal;
  readonly billingPeriod: BillingPeriod | null;
  /** null: none is asked for, or the request does not say. */
  readonly trial: Duration | null;
  /** True: the request gives both length and unit, so that an existing plan has to agree. */
  readonly saysTrial: boolean;
  readonly availableBaseProducts: readonly string[];
}

/** @throws BillingError CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR (2060). */
export function checkSimplePlan(plan: SimplePlan): CheckedSimplePlan {
  const planId = planIdOf(plan);
  const { currency, amount } = priceOf(plan);
  checkNamed('productCategory', plan.productCategory, ProductCategory);
  checkNamed('billingPeriod', plan.billingPeriod, BillingPeriod);
  checkNamed('trialTimeUnit', plan.trialTimeUnit, TimeUnit);
  const availableBaseProducts = plan.availableBaseProducts ?? [];
  if (plan.productCategory === ProductCategory.ADD_ON && availableBaseProducts.length === 0)
    throw refused('availableBaseProducts needs to be set for an add-on');
  return {
    planId,
    productName: plan.productName || null,
    productCategory: plan.productCategory ?? null,
    currency,
    amount,
    billingPeriod: plan.billingPeriod ?? null,
    trial: trialOf(plan),
    saysTrial: isGiven(plan.trialLength) && isGiven(plan.trialTimeUnit),
    availableBaseProducts,
  };
}

/** §12 rule 3: the error for everything that makes a simple plan refused. */
export function refused(message: string, problems?: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR,
    message: `Simple plan refused: ${message}`,
    ...(problems === undefined ? {} : { problems }),
  });
}

function missing(field: keyof SimplePlan): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR,
    message: `SimplePlanJson ${field} needs to be set`,
  });
}

function planIdOf({ planId }: SimplePlan): string {
  if (!planId) throw missing('planId');
  if (isNcName(planId)) return planId;
  throw refused(
    `planId "${shortened(planId)}" is not a name: a letter or underscore, then letters, digits, "-", "_" and "."`,
  );
}

function priceOf({ currency, amount }: SimplePlan): {
  readonly currency: Currency;
  readonly amount: Decimal;
} {
  if (!currency) throw missing('currency');
  if (!isCurrency(currency)) throw refused(`"${shortened(currency)}" is not a currency`);
  if (!isGiven(amount)) throw missing('amount');
  if (amount.isNegative() && !amount.isZero()) throw refused('amount is negative');
  return { currency, amount };
}

function trialOf({ trialLength, trialTimeUnit }: SimplePlan): Duration | null {
  if (!isGiven(trialLength) || trialLength === 0) return null;
  if (!Number.isInteger(trialLength))
    throw refused(`trialLength ${shown(trialLength)} is not a whole number`);
  if (trialLength < 0) throw refused('trialLength is negative');
  if (!isGiven(trialTimeUnit)) throw refused('trialTimeUnit needs to be set with trialLength');
  return trialTimeUnit === TimeUnit.UNLIMITED ? null : { unit: trialTimeUnit, number: trialLength };
}

/** Callers whose code no compiler checks may give anything; a catalog that has it could not be invoiced. */
function checkNamed(field: keyof SimplePlan, given: unknown, names: Readonly<Record<string, string>>): void {
  const known = Object.values(names);
  if (!isGiven(given) || known.some((name) => name === given)) return;
  throw refused(`${field} ${shown(given)} is none of ${known.join(', ')}`);
}

function shown(given: unknown): string {
  return typeof given === 'string' ? `"${shortened(given)}"` : shortened(String(given));
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
