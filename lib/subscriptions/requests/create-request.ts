import { checkExternalKey } from '../../accounts/index.ts';
import type { PlanSpecifier } from '../../catalog/index.ts';
import { namesPrice } from '../../catalog/index.ts';
import type { CreationDates, CreationPlace, CreationTerms, PriceOverrideRequest } from '../../ports/index.ts';
import type { PhaseType, ProductCategory } from '../../records/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** A subscription to create. Absent, null and, in texts, empty members are the same. */
export interface CreateSubscriptionRequest extends CreationPlace, CreationTerms {
  readonly accountId?: Uuid | null | undefined;
}

export interface CreateSubscriptionOptions extends CreationDates {
  readonly migrated?: boolean | undefined;
  /** Default true: the key of a bundle that has ended may be used again (§17.2). */
  readonly renameKeyIfExistsAndUnused?: boolean | undefined;
}

/** A request that passed the checks, with null for what it does not name. */
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
}

/** Largest quantity that a row holds. */
const MAX_QUANTITY = 2_147_483_647;

/**
 * Checks a request by itself (§6.1). Callers compare the messages, so they are fixed (http-api §12).
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
 * Checks the bill cycle day, quantity and prices of a request.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
export function checkTerms(
  request: Pick<CreateSubscriptionRequest, 'billCycleDayLocal' | 'quantity' | 'priceOverrides'>,
): Pick<CheckedRequest, 'billCycleDay' | 'quantity' | 'priceOverrides'> {
  checkRange('billCycleDayLocal', request.billCycleDayLocal, 31);
  checkRange('quantity', request.quantity, MAX_QUANTITY);
  const priceOverrides = request.priceOverrides ?? [];
  checkPriceOverrides(priceOverrides);
  return {
    billCycleDay: request.billCycleDayLocal ?? null,
    quantity: request.quantity ?? null,
    priceOverrides,
  };
}

/** In the order in which they are checked and listed in messages. */
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
