import type {
  BillingActionPolicy,
  PhaseType,
  PlanSpecifier,
  PriceOverrideRequest,
} from '../catalog/index.ts';
import { BillingError, ErrorCode } from '../values/errors/index.ts';
import type { BillingPeriod } from '../values/time/index.ts';
import { type CheckedRequest, checkTerms, invalid } from './create-request.ts';
import { type TimedPolicy, timedPolicy } from './policy-date.ts';
import type { RequestedDate } from './requested-date.ts';

/** The plan to change to and when. Absent, null and, in texts, empty members are the same. */
export interface ChangePlanRequest {
  /** The plan by its name; the three members below count only without one. */
  readonly planName?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly billingPeriod?: BillingPeriod | null | undefined;
  /** Default by the catalog's rule, else the current list (catalog.md §8 rule 4). */
  readonly priceList?: string | null | undefined;
  /** Phase to start in; the ones before it are skipped. */
  readonly phaseType?: PhaseType | null | undefined;
  /** 1 to 31. */
  readonly billCycleDayLocal?: number | null | undefined;
  /** At least 1. */
  readonly quantity?: number | null | undefined;
  /** Prices to pay instead of the plan's, in the account's currency (catalog.md §10). */
  readonly priceOverrides?: readonly PriceOverrideRequest[] | null | undefined;
}

/** At most one of the two; neither = by the catalog's rule. */
export interface ChangePlanOptions {
  readonly requestedDate?: RequestedDate | null | undefined;
  /** ILLEGAL is refused. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
}

/** A request that passed the checks, with null for what it does not name. */
export interface CheckedChange extends Pick<CheckedRequest, 'billCycleDay' | 'quantity' | 'priceOverrides'> {
  readonly target: PlanSpecifier;
  readonly phaseType: PhaseType | null;
  readonly requestedDate: RequestedDate | null;
  readonly billingPolicy: TimedPolicy | null;
}

/**
 * Checks a request by itself (subscriptions.md §7 rule 1).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002).
 */
export function checkChangeRequest(
  request: ChangePlanRequest | null | undefined,
  options: ChangePlanOptions,
): CheckedChange {
  if (!request) throw invalid('SubscriptionJson body should be specified');
  for (const field of ['productName', 'billingPeriod'] as const) {
    if (!request.planName && !request[field])
      throw invalid(`SubscriptionJson ${field} needs to be set when no planName is specified`, field);
  }
  const terms = checkTerms(request);
  const requestedDate = options.requestedDate ?? null;
  const billingPolicy = timedPolicy(options.billingPolicy);
  if (requestedDate !== null && billingPolicy !== null) {
    throw new BillingError({
      code: ErrorCode.INVALID_PARAMETER,
      message: 'requestedDate and billingPolicy exclude each other',
      facts: { parameter: 'billingPolicy' },
    });
  }
  return {
    target: targetOf(request),
    phaseType: request.phaseType ?? null,
    requestedDate,
    billingPolicy,
    ...terms,
  };
}

function targetOf(request: ChangePlanRequest): PlanSpecifier {
  if (request.planName) return { planName: request.planName };
  return {
    productName: request.productName || null,
    billingPeriod: request.billingPeriod ?? null,
    priceListName: request.priceList || null,
  };
}
