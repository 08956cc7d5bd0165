import type { PlanSpecifier } from '../../catalog/index.ts';
import type { ChangePlanOptions, ChangePlanRequest } from '../../ports/index.ts';
import { BillingActionPolicy, type PhaseType } from '../../records/index.ts';
import { invalidField, invalidParameter } from '../../values/errors/index.ts';
import type { RequestedDate } from '../../values/time/index.ts';
import { type CheckedRequest, checkTerms } from './create-request.ts';

/** A request that passed the checks, with null for what it does not name. */
export interface CheckedChange extends Pick<CheckedRequest, 'billCycleDay' | 'quantity' | 'priceOverrides'> {
  readonly target: PlanSpecifier;
  readonly phaseType: PhaseType | null;
  readonly requestedDate: RequestedDate | null;
  readonly billingPolicy: TimedPolicy | null;
}

/**
 * Checks a request by itself (§7 rule 1).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), INVALID_PARAMETER (60002).
 */
export function checkChangeRequest(
  request: ChangePlanRequest | null | undefined,
  options: ChangePlanOptions,
): CheckedChange {
  if (!request) throw invalidField('SubscriptionJson body should be specified');
  for (const field of ['productName', 'billingPeriod'] as const) {
    if (!request.planName && !request[field])
      throw invalidField(`SubscriptionJson ${field} needs to be set when no planName is specified`, {
        field,
      });
  }
  const terms = checkTerms(request);
  const requestedDate = options.requestedDate ?? null;
  const billingPolicy = timedPolicy(options.billingPolicy);
  if (requestedDate !== null && billingPolicy !== null) {
    throw invalidParameter('requestedDate and billingPolicy exclude each other', {
      parameter: 'billingPolicy',
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

/** A policy that gives a date: all but ILLEGAL. */
export type TimedPolicy = Exclude<BillingActionPolicy, typeof BillingActionPolicy.ILLEGAL>;

/** @throws BillingError INVALID_PARAMETER (60002) for ILLEGAL. */
export function timedPolicy(policy: BillingActionPolicy | null | undefined): TimedPolicy | null {
  if (policy !== BillingActionPolicy.ILLEGAL) return policy ?? null;
  throw invalidParameter(
    'billingPolicy ILLEGAL says no date; choose IMMEDIATE, END_OF_TERM or START_OF_TERM',
    { parameter: 'billingPolicy' },
  );
}
