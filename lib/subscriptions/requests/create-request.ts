import {
  type CatalogVersion,
  type CatalogWithOverrides,
  DEFAULT_PRICE_LIST,
  defineOverrides,
  namesPrice,
  type OverrideDefinition,
  type OverridePlan,
  type Plan,
  type PlanSpecifier,
} from '../../catalog/index.ts';
import type { CreationDates, CreationPlace, CreationTerms, PriceOverrideRequest } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import type { Account, BillingEvent, PhaseType, ProductCategory } from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode, invalidField } from '../../values/errors/index.ts';
import { checkExternalKey } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { DatedInstant, Instant } from '../../values/time/index.ts';

/** A request for a new subscription. Absent fields, null and empty strings are equivalent. */
export interface CreateSubscriptionRequest extends CreationPlace, CreationTerms {
  readonly accountId?: Uuid | null | undefined;
}

export interface CreateSubscriptionOptions extends CreationDates {
  readonly migrated?: boolean | undefined;
  /** If true (the default), the key of an ended bundle may be used again (§17.2). */
  readonly renameKeyIfExistsAndUnused?: boolean | undefined;
}

/** A checked request. Absent fields are null. */
export interface CheckedRequest {
  readonly accountId: Uuid;
  readonly bundleId: Uuid | null;
  readonly bundleExternalKey: string | null;
  readonly externalKey: string | null;
  readonly plan: PlanSpecifier;
  readonly productCategory: ProductCategory | null;
  readonly phaseType: PhaseType | null;
  readonly billCycleDay: number | null;
  readonly quantity: number | null;
  readonly priceOverrides: readonly PriceOverrideRequest[];
  /** Codes of coupons to redeem. */
  readonly coupons: readonly string[];
}

/** Coupons to redeem together with an operation on a subscription (coupons §2). */
export interface CouponRequest {
  readonly codes: readonly string[];
  readonly subscriptionId: Uuid;
  readonly plan: Pick<BillingEvent, 'planName' | 'productName' | 'parentPlanName'>;
  /** Start of billing or, for a change, the date of the change. */
  readonly redeemed: DatedInstant;
}

/** Redeems coupons in the transaction of a subscription operation. */
export interface SubscriptionCoupons {
  redeem(session: WriteSession, requests: readonly CouponRequest[], by: CouponTools): Promise<void>;
  /**
   * Undoes the redemptions of a subscription's pending plan changes, unless they have already reduced a billed price.
   */
  undoPending(session: WriteSession, subscriptionId: Uuid, by: CouponTools): Promise<void>;
}

interface CouponTools {
  readonly account: Account;
  readonly now: Instant;
  readonly isOfPlanChange?: boolean;
}

/** Returns the coupons that an operation redeems, or null if it redeems no coupons. */
export function couponRequestOf(
  { coupons: codes }: Pick<CheckedRequest, 'coupons'>,
  on: Pick<CouponRequest, 'subscriptionId' | 'redeemed'> & { readonly plan: Plan },
): CouponRequest | null {
  const { subscriptionId, redeemed, plan } = on;
  if (codes.length === 0) return null;
  const { name: planName, product: productName, parentPlanName } = plan;
  const parent = parentPlanName === undefined ? {} : { parentPlanName };
  return { codes, subscriptionId, plan: { planName, productName, ...parent }, redeemed };
}

/** The terms that requests for creations and for plan changes have in common. */
export type CheckedTerms = Pick<CheckedRequest, 'billCycleDay' | 'quantity' | 'priceOverrides' | 'coupons'>;

const MAX_QUANTITY = 2_147_483_647;

/**
 * Checks a request without stored data (§6.1). Clients compare the error messages, so these messages must not change
 * (http-api §12).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5).
 */
export function checkCreateRequest(request: CreateSubscriptionRequest | null | undefined): CheckedRequest {
  if (!request) throw invalidField('SubscriptionJson body should be specified');
  const { accountId } = request;
  if (!accountId) throw invalidField('SubscriptionJson accountId needs to be set', { field: 'accountId' });
  checkPlanIdentification(request);
  checkExternalKey(request.externalKey);
  checkExternalKey(request.bundleExternalKey);
  const terms = checkTerms(request);
  return {
    accountId,
    bundleId: request.bundleId ?? null,
    bundleExternalKey: request.bundleExternalKey || null,
    externalKey: request.externalKey || null,
    plan: {
      planName: request.planName || null,
      productName: request.productName || null,
      billingPeriod: request.billingPeriod ?? null,
      priceListName: request.priceList || null,
    },
    productCategory: request.productCategory ?? null,
    phaseType: request.phaseType ?? null,
    ...terms,
  };
}

/**
 * Checks the bill cycle day, quantity and prices.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if one of them is invalid.
 */
export function checkTerms(
  request: Pick<CreateSubscriptionRequest, 'billCycleDayLocal' | 'quantity' | 'priceOverrides' | 'coupons'>,
): CheckedTerms {
  checkRange('billCycleDayLocal', request.billCycleDayLocal, 31);
  checkRange('quantity', request.quantity, MAX_QUANTITY);
  const priceOverrides = request.priceOverrides ?? [];
  checkPriceOverrides(priceOverrides);
  return {
    billCycleDay: request.billCycleDayLocal ?? null,
    quantity: request.quantity ?? null,
    priceOverrides,
    coupons: request.coupons ?? [],
  };
}

/** The fields that identify a plan, in the order in which they are checked and reported. */
const PLAN_FIELDS = ['productName', 'productCategory', 'billingPeriod', 'priceList'] as const;

function checkPlanIdentification(request: CreateSubscriptionRequest): void {
  for (const field of PLAN_FIELDS) {
    if (request.planName && request[field]) {
      throw invalidField(`SubscriptionJson ${field} should not be set when planName is specified`, { field });
    }
    if (!request.planName && !request[field]) {
      throw invalidField(`SubscriptionJson ${field} needs to be set when no planName is specified`, {
        field,
      });
    }
  }
}

function checkRange(field: string, value: number | null | undefined, max: number): void {
  if (value === null || value === undefined) return;
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  throw invalidField(`SubscriptionJson ${field} must be a whole number from 1 to ${max}, not ${value}`, {
    field,
  });
}

function checkPriceOverrides(overrides: readonly PriceOverrideRequest[]): void {
  if (overrides.every(namesPrice)) return;
  throw invalidField('At least one fixed price, one recurring price or one usage price must be overridden', {
    field: 'priceOverrides',
  });
}

/** Subscriptions to create in one bundle. */
export type CreateBundleRequest = readonly (CreateSubscriptionRequest | null)[];

export interface CheckedGroup {
  readonly bundleId: Uuid | null;
  readonly bundleExternalKey: string | null;
  /** The requests in order. The list has at least one element. */
  readonly members: readonly CheckedRequest[];
}

export interface CheckedGroups {
  readonly accountId: Uuid;
  readonly groups: readonly CheckedGroup[];
}

export function groupOf(request: CheckedRequest): CheckedGroup {
  const { bundleId, bundleExternalKey } = request;
  return { bundleId, bundleExternalKey, members: [request] };
}

/** Checks a request for one subscription. @throws BillingError The errors of `checkCreateRequest`. */
export function checkSingleRequest([group]: readonly (CreateBundleRequest | null)[]): CheckedGroups {
  const request = checkCreateRequest(group?.[0]);
  return { accountId: request.accountId, groups: [groupOf(request)] };
}

/**
 * Checks the requests of one call, and how they relate to each other (§6.1). The error messages are fixed (http-api
 * §12).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), ACCOUNT_DOES_NOT_EXIST_FOR_ID
 * (3002) for an element without an account.
 */
export function checkCreateGroups(
  groups: readonly (CreateBundleRequest | null | undefined)[],
): CheckedGroups {
  const checked = groups.map(checkGroup);
  const accountIds = checked.flatMap(({ members }) => members.map(({ accountId }) => accountId));
  const [accountId] = accountIds;
  if (accountId === undefined) throw invalidField('SubscriptionJson body should be specified');
  if (accountIds.some((other) => other !== accountId)) throw notTheSame('accountId');
  return { accountId, groups: checked };
}

/** Returns the error for an unknown account in a call for several subscriptions. Its message is fixed. */
export function noSuchAccountOfGroup(accountId: Uuid | null): BillingError {
  return billingError(
    ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
    `Object id=${accountId} type=ACCOUNT doesn't exist!`,
    { accountId },
  );
}

function checkGroup(requests: CreateBundleRequest | null | undefined): CheckedGroup {
  if (!requests || requests.length === 0) throw invalidField('SubscriptionJson body should be specified');
  const members = requests.map((request) => {
    if (request && !request.accountId) throw noSuchAccountOfGroup(null);
    return checkCreateRequest(request);
  });
  const bundleIds = members.map(({ bundleId }) => bundleId);
  const first = bundleIds.findIndex((bundleId) => bundleId !== null);
  const bundleId = bundleIds[first] ?? null;
  if (first >= 0 && bundleIds.slice(first).some((other) => other !== bundleId)) throw notTheSame('bundleId');
  const keys = new Set(members.flatMap(({ bundleExternalKey }) => bundleExternalKey ?? []));
  if (keys.size > 1) throw notTheSame('externalKey');
  const [bundleExternalKey = null] = keys;
  return { bundleId, bundleExternalKey, members };
}

/** Returns true if a request redeems coupons or overrides prices. Price overrides may store plans (catalog §10). */
export function mustRunAlone(groups: readonly CheckedGroup[]): boolean {
  return groups.some(({ members }) =>
    members.some(({ priceOverrides, coupons }) => priceOverrides.length > 0 || coupons.length > 0),
  );
}

function notTheSame(field: string): BillingError {
  return invalidField(`SubscriptionJson ${field} should be the same for each element`, { field });
}

/** Returns the bundle keys that must be looked up. A request with an id needs no lookup by key. */
export function requestedKeys(groups: readonly CheckedGroup[]): readonly string[] {
  const keys = groups.flatMap(({ bundleId, bundleExternalKey }) =>
    bundleId === null ? (bundleExternalKey ?? []) : [],
  );
  return [...new Set(keys)];
}

export interface PlanChoice {
  readonly version: CatalogVersion;
  readonly plan: Plan;
  readonly category: ProductCategory;
  readonly priceListName: string;
}

/**
 * Returns the requested plan from the catalog version of its billing date (§6.2 rule 4).
 * @throws BillingError of catalog §7 (2013, 2020, 2021, 2030, 2050, 2002), MISSING_OR_INVALID_FIELD for a wrong
 * category.
 */
export function choosePlan(
  catalog: CatalogWithOverrides,
  request: Pick<CheckedRequest, 'plan' | 'productCategory'>,
  billingAt: Instant,
): PlanChoice {
  const choice = choiceAt(catalog, request.plan, billingAt);
  checkCategory(choice, request.productCategory);
  return choice;
}

/**
 * Checks the category.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) if the requested category is not the plan's category.
 */
export function checkCategory({ plan, category }: PlanChoice, requested: ProductCategory | null): void {
  if (requested === null || requested === category) return;
  throw invalidField(
    `SubscriptionJson productCategory is ${requested}, but plan ${plan.name} is of category ${category}`,
    { field: 'productCategory', planName: plan.name },
  );
}

/** Returns the plan of a choice on a date. @throws BillingError The errors of `choosePlan` (catalog §7). */
export function choiceAt(catalog: CatalogWithOverrides, specifier: PlanSpecifier, at: Instant): PlanChoice {
  const version = catalog.resolveVersion(at);
  const plan = catalog.selectPlan(version, specifier);
  return {
    version,
    plan,
    category: version.findProduct(plan.product).category,
    priceListName: priceListOf(version, plan, specifier.priceListName ?? null),
  };
}

/**
 * Returns the requested price overrides of the chosen plan, or null if no prices are overridden (catalog §10).
 * @throws BillingError CATALOG_INVALID_PRICE_OVERRIDE (2081).
 */
export function overridesOf(
  catalog: CatalogWithOverrides,
  { plan }: Pick<PlanChoice, 'plan'>,
  request: { readonly priceOverrides: CheckedRequest['priceOverrides']; readonly currency: Currency | null },
): OverrideDefinition | null {
  const { priceOverrides: requests, currency } = request;
  if (requests.length === 0) return null;
  return defineOverrides({ plan, chosen: catalog.overridePlanNamed(plan.name), currency, requests });
}

export function withOverridePlan(choice: PlanChoice, overridePlan: OverridePlan): PlanChoice {
  return { ...choice, plan: overridePlan.planFrom(choice.version.findPlan(overridePlan.parentPlanName)) };
}

/**
 * Returns the requested price list, or DEFAULT if none is requested. If the plan is given by name, returns the price
 * list of the plan.
 */
function priceListOf(version: CatalogVersion, plan: Plan, requested: string | null): string {
  if (requested === null) return version.priceListOf(plan);
  return version.findPriceList(requested).plans.includes(plan.name) ? requested : DEFAULT_PRICE_LIST;
}

/** The fields of `priceOverrides` that contain amounts. Callers may pass these amounts as text. */
export const priceOverrideAmounts = [
  {
    fixedPrice: 'amount',
    recurringPrice: 'amount',
    usagePrices: [
      {
        tierPrices: [
          {
            blockPrices: [{ max: 'amount', price: 'amount', size: 'amount' }],
            recurringPrice: 'amount',
          },
        ],
      },
    ],
  },
] as const;
