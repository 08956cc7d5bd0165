import { BillingMode, PhaseType, ProductCategory } from '../../records/index.ts';
import type { Steps } from '../../runtime/index.ts';
import { BillingError, billingError, ErrorCode, type Problem } from '../../values/errors/index.ts';
import { DAY_MS } from '../../values/limits.ts';
import { type Currency, type Decimal, formatDecimal, isCurrency, ZERO } from '../../values/money/index.ts';
import { describeValue, shortenText } from '../../values/text/index.ts';
import {
  addMilliseconds,
  BillingPeriod,
  type Duration,
  type Instant,
  TimeUnit,
} from '../../values/time/index.ts';
import type { Catalog } from '../lookup/catalog.ts';
import { type CatalogVersion, contentSteps } from '../lookup/catalog-version.ts';
import { isZeroEverywhere } from '../lookup/price.ts';
import {
  DEFAULT_PRICE_LIST,
  type Product,
  type WrittenDecimal,
  writtenDecimal,
} from '../model/catalog-model.ts';
import type { PhaseContent, PlanContent, VersionContent } from '../model/version-content.ts';
import { isNcName } from '../validation/findings.ts';
import { fixed, phase, plan, priceList, product, version } from './fields/catalog-records.ts';
import { completeRecord } from './fields/field.ts';

export interface EditedVersion {
  /** The stored version that is replaced, or null if the version is new. */
  readonly replaces: CatalogVersion | null;
  readonly content: VersionContent;
}

/**
 * Yields the versions that a simple plan changes: the version in force, and all later versions without the plan (§12
 * rule 3). The result is not validated yet.
 * @throws BillingError CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR (2060) if an existing plan is not simple or differs
 * from the request, or if a new plan or product is incomplete.
 */
export function* addSimplePlan(
  catalog: Catalog,
  request: CheckedSimplePlan,
  now: Instant,
): Steps<readonly EditedVersion[]> {
  if (catalog.versions.length === 0) {
    return [{ replaces: null, content: withSimplePlan(emptyVersion(request.currency, now), request) }];
  }
  const { effectiveDate } = catalog.resolveVersion(now);
  const edits: EditedVersion[] = [];
  for (const version of catalog.versions) {
    if (version.effectiveDate < effectiveDate) continue;
    const before = yield* contentSteps(version);
    const content = withSimplePlan(before, request);
    yield;
    if (content !== before) edits.push({ replaces: version, content });
  }
  return edits;
}

function emptyVersion(currency: Currency, now: Instant): VersionContent {
  return completeRecord(version, {
    catalogName: 'DEFAULT',
    effectiveDate: addMilliseconds(now, -DAY_MS),
    currencies: [currency],
    products: [],
    plans: [],
    priceLists: {
      defaultPriceList: completeRecord(priceList, { name: DEFAULT_PRICE_LIST }),
      childPriceLists: [],
    },
  });
}

/** Returns the version with the plan added. Returns the same version if it already contains the plan. */
function withSimplePlan(version: VersionContent, request: CheckedSimplePlan): VersionContent {
  const existing = version.plans.find((plan) => plan.name === request.planId);
  const productName = existing?.product ?? request.productName;
  if (productName === null) throw invalidSimplePlanError('productName needs to be set for a new plan');
  const sold = withProduct(withCurrency(version, request.currency), productName, request);
  const priced =
    existing === undefined ? withNewPlan(sold, productName, request) : withPrice(sold, existing, request);
  return withAvailability(priced, productName, request);
}

function withCurrency(version: VersionContent, currency: Currency): VersionContent {
  if (version.currencies.includes(currency)) return version;
  return { ...version, currencies: [...version.currencies, currency] };
}

function withProduct(version: VersionContent, name: string, request: CheckedSimplePlan): VersionContent {
  const { productCategory: category } = request;
  const existing = version.products.find((product) => product.name === name);
  if (existing !== undefined) {
    if (category === null || category === existing.category) return version;
    throw invalidSimplePlanError(`product "${name}" is ${existing.category}, not ${category}`);
  }
  if (category === null)
    throw invalidSimplePlanError(`productCategory needs to be set for the new product "${name}"`);
  return { ...version, products: [...version.products, completeRecord(product, { name, category })] };
}

function withNewPlan(
  version: VersionContent,
  productName: string,
  request: CheckedSimplePlan,
): VersionContent {
  const { planId, currency, billingPeriod, trial } = request;
  if (billingPeriod === null)
    throw invalidSimplePlanError(`billingPeriod needs to be set for the new plan "${planId}"`);
  const price = { prices: [{ currency, amount: writtenAmount(request) }] };
  const added = completeRecord(plan, {
    name: planId,
    product: productName,
    recurringBillingMode: BillingMode.IN_ADVANCE,
    initialPhases: trial === null ? [] : [freeTrial(trial, currency)],
    finalPhase: completeRecord(phase, { type: PhaseType.EVERGREEN, recurring: { billingPeriod, price } }),
  });
  const { defaultPriceList, childPriceLists } = version.priceLists;
  const listed = { ...defaultPriceList, plans: [...defaultPriceList.plans, planId] };
  return {
    ...version,
    plans: [...version.plans, added],
    priceLists: { defaultPriceList: listed, childPriceLists },
  };
}

function freeTrial(duration: Duration, currency: Currency): PhaseContent {
  const price = { prices: [{ currency, amount: writtenDecimal('0') }] };
  return completeRecord(phase, { type: PhaseType.TRIAL, duration, fixed: completeRecord(fixed, { price }) });
}

function withPrice(version: VersionContent, plan: PlanContent, request: CheckedSimplePlan): VersionContent {
  checkAgreement(plan, request);
  const { currency, amount } = request;
  const { recurring } = plan.finalPhase;
  const price = recurring?.price ?? null;
  if (recurring === null || price === null)
    throw invalidSimplePlanError(`plan "${plan.name}" has no recurring price`);
  const known = price.prices.find((each) => each.currency === currency);
  // An empty price is zero in every currency.
  const current = price.prices.length === 0 ? ZERO : known?.amount?.value;
  if (known !== undefined || current !== undefined) {
    if (current?.equals(amount)) return version;
    const shown = current === undefined ? 'none' : formatDecimal(current);
    throw invalidSimplePlanError(`plan "${plan.name}" already has the price ${shown} in ${currency}`);
  }
  const prices = [...price.prices, { currency, amount: writtenAmount(request) }];
  const edited: PlanContent = {
    ...plan,
    initialPhases: plan.initialPhases.map((trial) => freeInCurrency(trial, currency)),
    finalPhase: { ...plan.finalPhase, recurring: { ...recurring, price: { prices } } },
  };
  return { ...version, plans: version.plans.map((each) => (each === plan ? edited : each)) };
}

/**
 * Returns the trial with a price in the currency. A trial that is free in some currencies becomes free in all
 * currencies. Otherwise, the trial could not start in a new currency.
 */
function freeInCurrency(trial: PhaseContent, currency: Currency): PhaseContent {
  const prices = trial.fixed?.price.prices ?? [];
  if (trial.fixed === null || prices.length === 0 || prices.some((each) => each.currency === currency))
    return trial;
  return { ...trial, fixed: { ...trial.fixed, price: { prices: [] } } };
}

/** Checks that an existing plan is a simple plan and matches the request (§12 rule 3, step 4). */
function checkAgreement(plan: PlanContent, request: CheckedSimplePlan): void {
  const [trial, ...others] = plan.initialPhases;
  const owner = `plan "${plan.name}"`;
  if (others.length > 0 || (trial !== undefined && !isFreeTrial(trial)))
    throw invalidSimplePlanError(
      `${owner} is not simple: it has more than a free trial before its last phase`,
    );
  if (plan.finalPhase.type !== PhaseType.EVERGREEN)
    throw invalidSimplePlanError(`${owner} is not simple: it ends with a ${plan.finalPhase.type} phase`);
  if (request.productName !== null && request.productName !== plan.product)
    throw invalidSimplePlanError(
      `${owner} belongs to product "${plan.product}", not "${request.productName}"`,
    );
  const [present, wanted] = [shownTrial(trial?.duration ?? null), shownTrial(request.trial)];
  if (request.hasTrialTerms && present !== wanted)
    throw invalidSimplePlanError(`${owner} has ${present}, not ${wanted}`);
  const { billingPeriod } = request;
  const period = plan.finalPhase.recurring?.billingPeriod ?? null;
  if (billingPeriod !== null && billingPeriod !== period)
    throw invalidSimplePlanError(`${owner} has the billing period ${period ?? 'none'}, not ${billingPeriod}`);
}

function isFreeTrial({ type, fixed, recurring, usages }: PhaseContent): boolean {
  return (
    type === PhaseType.TRIAL &&
    (fixed === null || isZeroEverywhere(fixed.price)) &&
    (recurring === null || recurring.price === null || isZeroEverywhere(recurring.price)) &&
    usages.length === 0
  );
}

function shownTrial(duration: Duration | null): string {
  return duration === null ? 'no trial' : `a trial of ${duration.number} ${duration.unit}`;
}

function withAvailability(
  version: VersionContent,
  productName: string,
  { availableBaseProducts, productCategory }: CheckedSimplePlan,
): VersionContent {
  const product = version.products.find((each) => each.name === productName);
  if ((productCategory ?? product?.category) !== ProductCategory.ADD_ON) return version;
  const unknown = availableBaseProducts.find((name) => !version.products.some((each) => each.name === name));
  if (unknown !== undefined)
    throw invalidSimplePlanError(
      `availableBaseProducts names "${unknown}", which is not a product of the catalog`,
    );
  const gains = (each: Product): boolean =>
    availableBaseProducts.includes(each.name) && !each.available.includes(productName);
  if (!version.products.some(gains)) return version;
  return {
    ...version,
    products: version.products.map((each) =>
      gains(each) ? { ...each, available: [...each.available, productName] } : each,
    ),
  };
}

function writtenAmount({ amount }: CheckedSimplePlan): WrittenDecimal {
  return { value: amount, text: formatDecimal(amount) };
}

/** A plan with one recurring price and an optional free trial. It is the body of `POST /catalog/simplePlan`. */
export interface SimplePlan {
  /** Id of the plan, an XML NCName. */
  readonly planId?: string | null;
  /** Name of the product. Required for a new plan. */
  readonly productName?: string | null;
  /** Category of the product. Required for a new product. */
  readonly productCategory?: ProductCategory | null;
  readonly currency?: string | null;
  readonly amount?: Decimal | null;
  /** Billing period of the recurring price. Required for a new plan. */
  readonly billingPeriod?: BillingPeriod | null;
  /** 0 or absent: no trial. */
  readonly trialLength?: number | null;
  readonly trialTimeUnit?: TimeUnit | null;
  /** Base products that offer the add-on. Required with ADD_ON. */
  readonly availableBaseProducts?: readonly string[] | null;
}

interface CheckedSimplePlan {
  readonly planId: string;
  readonly productName: string | null;
  readonly productCategory: ProductCategory | null;
  readonly currency: Currency;
  readonly amount: Decimal;
  readonly billingPeriod: BillingPeriod | null;
  /** The trial, or null if the request excludes a trial or does not mention one. */
  readonly trial: Duration | null;
  /** True if the request contains the length and unit of a trial. An existing plan must have the same trial. */
  readonly hasTrialTerms: boolean;
  readonly availableBaseProducts: readonly string[];
}

/** Returns the checked plan. @throws BillingError CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR (2060). */
export function checkSimplePlan(plan: SimplePlan): CheckedSimplePlan {
  const planId = planIdOf(plan);
  const price = priceOf(plan);
  checkNamed('productCategory', plan.productCategory, ProductCategory);
  checkNamed('billingPeriod', plan.billingPeriod, BillingPeriod);
  checkNamed('trialTimeUnit', plan.trialTimeUnit, TimeUnit);
  const availableBaseProducts = plan.availableBaseProducts ?? [];
  if (plan.productCategory === ProductCategory.ADD_ON && availableBaseProducts.length === 0)
    throw invalidSimplePlanError('availableBaseProducts needs to be set for an add-on');
  return {
    planId,
    productName: plan.productName || null,
    productCategory: plan.productCategory ?? null,
    ...price,
    billingPeriod: plan.billingPeriod ?? null,
    trial: trialOf(plan),
    hasTrialTerms: isPresent(plan.trialLength) && isPresent(plan.trialTimeUnit),
    availableBaseProducts,
  };
}

/** Returns the error for any rejected simple plan (§12 rule 3). */
export function invalidSimplePlanError(message: string, problems?: readonly Problem[]): BillingError {
  return new BillingError({
    code: ErrorCode.CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR,
    message: `Invalid simple plan: ${message}`,
    ...(problems === undefined ? {} : { problems }),
  });
}

function missing(field: keyof SimplePlan): BillingError {
  return billingError(
    ErrorCode.CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR,
    `SimplePlanJson ${field} needs to be set`,
  );
}

function planIdOf({ planId }: SimplePlan): string {
  if (!planId) throw missing('planId');
  if (isNcName(planId)) return planId;
  throw invalidSimplePlanError(
    `planId "${shortenText(planId)}" is not a valid name. Start with a letter or underscore, followed by letters, digits, "-", "_" and "."`,
  );
}

function priceOf({ currency, amount }: SimplePlan) {
  if (!currency) throw missing('currency');
  if (!isCurrency(currency)) throw invalidSimplePlanError(`"${shortenText(currency)}" is not a currency`);
  if (!isPresent(amount)) throw missing('amount');
  if (amount.isNegative() && !amount.isZero()) throw invalidSimplePlanError('amount is negative');
  return { currency, amount };
}

function trialOf({ trialLength, trialTimeUnit }: SimplePlan): Duration | null {
  if (!isPresent(trialLength) || trialLength === 0) return null;
  if (!Number.isInteger(trialLength))
    throw invalidSimplePlanError(`trialLength ${describeValue(trialLength)} is not a whole number`);
  if (trialLength < 0) throw invalidSimplePlanError('trialLength is negative');
  if (!isPresent(trialTimeUnit))
    throw invalidSimplePlanError('trialTimeUnit needs to be set with trialLength');
  return trialTimeUnit === TimeUnit.UNLIMITED ? null : { unit: trialTimeUnit, number: trialLength };
}

/**
 * Checks a value of an enumeration. A plan with an invalid value could not be invoiced later, and callers without type
 * checking may pass any value.
 */
function checkNamed(field: keyof SimplePlan, given: unknown, names: Readonly<Record<string, string>>): void {
  const known = Object.values(names);
  if (!isPresent(given) || known.some((name) => name === given)) return;
  throw invalidSimplePlanError(`${field} ${describeValue(given)} is not one of ${known.join(', ')}`);
}

function isPresent<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
