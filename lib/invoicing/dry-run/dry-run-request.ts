import type { PriceOverrideRequest } from '../../ports/index.ts';
import { type BillingActionPolicy, type PhaseType, ProductCategory } from '../../records/index.ts';
import {
  checkChangeRequest,
  checkPolicyName,
  checkTerms,
  type HypotheticalAction,
  HypotheticalActionType,
} from '../../subscriptions/index.ts';
import { invalidField } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { BillingPeriod, LocalDate, RequestedDate } from '../../values/time/index.ts';

/** The kinds of dry run (§11). */
export const DryRunType = {
  TARGET_DATE: 'TARGET_DATE',
  UPCOMING_INVOICE: 'UPCOMING_INVOICE',
  SUBSCRIPTION_ACTION: 'SUBSCRIPTION_ACTION',
} as const;
export type DryRunType = (typeof DryRunType)[keyof typeof DryRunType];

/**
 * A request for the invoice that a run would create. Absent, null and empty members are equivalent. Members that the
 * type does not use are ignored.
 */
export interface DryRunRequest {
  /** The account. Defaults to the account of `subscriptionId` or `bundleId`. */
  readonly accountId?: Uuid | null | undefined;
  /** Target date, as a local date of the account. Defaults to today. Ignored by UPCOMING_INVOICE. */
  readonly targetDate?: LocalDate | null | undefined;
  /** Kind of dry run. Defaults to TARGET_DATE. */
  readonly dryRunType?: DryRunType | null | undefined;
  /** The action that SUBSCRIPTION_ACTION simulates. Other types ignore this field and all options of an action. */
  readonly dryRunAction?: HypotheticalActionType | null | undefined;
  /**
   * Time at which the action takes effect. Defaults to now or to the time that the policy determines. Overrides
   * `billingPolicy`.
   */
  readonly effectiveDate?: RequestedDate | null | undefined;
  /** Policy of a change or of the end of billing. By default, the catalog rules determine it. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
  /**
   * Name of the plan to start or change to. Cannot be combined with the product, category, billing period and price
   * list.
   */
  readonly planName?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly productCategory?: ProductCategory | null | undefined;
  readonly billingPeriod?: BillingPeriod | null | undefined;
  readonly priceListName?: string | null | undefined;
  /** Phase in which the subscription starts. Earlier phases are skipped. */
  readonly phaseType?: PhaseType | null | undefined;
  readonly priceOverrides?: readonly PriceOverrideRequest[] | null | undefined;
  /** Codes of coupons that the action would redeem (coupons §2). */
  readonly coupons?: readonly string[] | null | undefined;
  /** If true, the items contain their explanations. Defaults to false. */
  readonly explain?: boolean | null | undefined;
  /** Quantity for START_BILLING and CHANGE. Defaults to 1, or to the current quantity. */
  readonly quantity?: number | null | undefined;
  /**
   * Subscription to change. Required by CHANGE and STOP_BILLING. For UPCOMING_INVOICE, selects the first invoice on a
   * date of this subscription.
   */
  readonly subscriptionId?: Uuid | null | undefined;
  /**
   * Bundle of `subscriptionId`. START_BILLING adds the new subscription to this bundle. For UPCOMING_INVOICE, selects
   * the first invoice on a date of the bundle.
   */
  readonly bundleId?: Uuid | null | undefined;
}

export interface UpcomingInvoiceRequest {
  readonly accountId: Uuid;
}

export type CheckedDryRun =
  | { readonly type: typeof DryRunType.TARGET_DATE; readonly targetDate: LocalDate | null }
  | {
      readonly type: typeof DryRunType.UPCOMING_INVOICE;
      readonly subscriptionId: Uuid | null;
      readonly bundleId: Uuid | null;
    }
  | {
      readonly type: typeof DryRunType.SUBSCRIPTION_ACTION;
      readonly targetDate: LocalDate | null;
      readonly action: HypotheticalAction;
    }
  /** The invoices after a change (§11.1). */
  | { readonly type: 'PREVIEW'; readonly action: HypotheticalAction };

interface RequestedAccount {
  readonly accountId: Uuid;
}

/**
 * Checks the request itself, without stored data (§11 rule 2).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002) for the policy ILLEGAL or an
 * unknown policy.
 */
export function checkDryRun(request: DryRunRequest & RequestedAccount): CheckedDryRun {
  const { dryRunType, targetDate = null, subscriptionId = null, bundleId = null } = request;
  checkPolicyName(request.billingPolicy);
  const type = dryRunType ?? DryRunType.TARGET_DATE;
  if (type === DryRunType.TARGET_DATE) return { type, targetDate };
  if (type === DryRunType.UPCOMING_INVOICE) return { type, subscriptionId, bundleId };
  return { type, targetDate, action: checkAction(request) };
}

function checkAction(request: DryRunRequest & RequestedAccount): HypotheticalAction {
  const { dryRunAction } = request;
  switch (dryRunAction) {
    case HypotheticalActionType.START_BILLING:
      return checkStart(request);
    case HypotheticalActionType.CHANGE:
      return checkChange(request);
    case HypotheticalActionType.STOP_BILLING:
      return checkStop(request);
    default: {
      const message = 'InvoiceDryRunJson dryRunAction needs to be set when dryRunType is SUBSCRIPTION_ACTION';
      throw invalidField(message, { field: 'dryRunAction' });
    }
  }
}

function checkStart(request: DryRunRequest & RequestedAccount) {
  checkPlanNamed(request);
  const { productCategory = null, bundleId = null } = request;
  if (productCategory === ProductCategory.ADD_ON && bundleId === null)
    throw missingIdError('bundleId', 'bundleID');
  const effectiveDate = request.effectiveDate ?? null;
  return {
    type: HypotheticalActionType.START_BILLING,
    request: {
      accountId: request.accountId,
      bundleId,
      bundleExternalKey: null,
      externalKey: null,
      plan: {
        planName: request.planName || null,
        productName: request.productName || null,
        billingPeriod: request.billingPeriod ?? null,
        priceListName: request.priceListName || null,
      },
      productCategory,
      phaseType: request.phaseType ?? null,
      ...checkTerms({
        priceOverrides: request.priceOverrides,
        quantity: request.quantity,
        coupons: request.coupons,
      }),
    },
    options: { entitlementDate: effectiveDate, billingDate: effectiveDate },
    seesEndOfDay: true,
  };
}

function checkChange(request: DryRunRequest) {
  checkPlanNamed(request);
  const of = checkSubscriptionNamed(request);
  const { effectiveDate: requestedDate = null, productCategory = null } = request;
  const billingPolicy = requestedDate === null ? request.billingPolicy : null;
  const change = { ...request, priceList: request.priceListName };
  const checked = checkChangeRequest(change, { requestedDate, billingPolicy });
  return { type: HypotheticalActionType.CHANGE, of, request: checked, productCategory, seesEndOfDay: true };
}

function checkStop(request: DryRunRequest) {
  const of = checkSubscriptionNamed(request);
  const { effectiveDate: requestedDate = null, billingPolicy } = request;
  const options =
    requestedDate === null ? { billingPolicy } : { requestedDate, useRequestedDateForBilling: true };
  return { type: HypotheticalActionType.STOP_BILLING, of, options };
}

const PRODUCT_FIELDS = ['productName', 'productCategory', 'billingPeriod'] as const;

/** The fields that identify a plan without its name, in the order of the checks, with the names used in messages. */
const BESIDE_PLAN_NAME = {
  productName: 'productName',
  billingPeriod: 'billing period',
  productCategory: 'product category',
  priceListName: 'price list',
} as const satisfies Partial<Record<keyof DryRunRequest, string>>;

/** Checks that the request identifies the plan by `planName`, or by product, category and period. */
function checkPlanNamed(request: DryRunRequest): void {
  if (!request.planName) {
    const absent = PRODUCT_FIELDS.find((field) => !request[field]);
    if (absent === undefined) return;
    const message = `InvoiceDryRunJson ${absent} needs to be set when no planName is specified`;
    throw invalidField(message, { field: absent });
  }
  const fields = Object.keys(BESIDE_PLAN_NAME) as (keyof typeof BESIDE_PLAN_NAME)[];
  const beside = fields.find((field) => request[field]);
  if (beside === undefined) return;
  const message = `DryRun subscription ${BESIDE_PLAN_NAME[beside]} should not be set when planName is specified`;
  throw invalidField(message, { field: beside });
}

function checkSubscriptionNamed({ subscriptionId, bundleId = null }: DryRunRequest) {
  if (!subscriptionId) throw missingIdError('subscriptionId', 'subscriptionID');
  return { subscriptionId, bundleId };
}

/** Returns the error for a missing id. Clients compare the text of this error (http-api §12). */
export function missingIdError(field: string, name: string) {
  return invalidField(`DryRun ${name} should be specified`, { field });
}
