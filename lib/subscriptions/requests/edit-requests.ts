import type { PlanSpecifier } from '../../catalog/index.ts';
import {
  BcdTransfer,
  type BlockingStateRequest,
  type CancelSubscriptionOptions,
  type ChangePlanOptions,
  type ChangePlanRequest,
  type EntitlementActionPolicy,
  type TransferBundleOptions,
} from '../../ports/index.ts';
import {
  BillingActionPolicy,
  type BlockingState,
  ENTITLEMENT_SERVICE,
  EntitlementStateName,
  type PhaseType,
} from '../../records/index.ts';
import {
  type BillingError,
  billingError,
  ErrorCode,
  invalidField,
  invalidParameter,
} from '../../values/errors/index.ts';
import { checkExternalKey } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { MAX_BLOCKING_STATE_NAME_CHARACTERS } from '../../values/limits.ts';
import { checkText, shortenText } from '../../values/text/index.ts';
import type { RequestedDate } from '../../values/time/index.ts';
import { type CheckedTerms, checkTerms } from './create-request.ts';

/** A checked request for a change. Absent fields are null. */
export interface CheckedChange extends CheckedTerms {
  readonly target: PlanSpecifier;
  readonly phaseType: PhaseType | null;
  readonly requestedDate: RequestedDate | null;
  readonly billingPolicy: TimedPolicy | null;
}

/**
 * Checks a request without stored data (§7 rule 1).
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
    throw invalidParameter('requestedDate and billingPolicy cannot both be set', {
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

export type TimedPolicy = Exclude<BillingActionPolicy, typeof BillingActionPolicy.ILLEGAL>;

const timedPolicies: readonly string[] = [
  'IMMEDIATE',
  'END_OF_TERM',
  'START_OF_TERM',
] satisfies TimedPolicy[];

/**
 * Checks that the policy determines a date, and returns the policy.
 * @throws BillingError INVALID_PARAMETER (60002) for ILLEGAL, and for any invalid value from callers without type
 * checking.
 */
export function timedPolicy(policy: BillingActionPolicy | null | undefined): TimedPolicy | null {
  checkPolicyName(policy);
  if (policy !== BillingActionPolicy.ILLEGAL) return policy ?? null;
  throw invalidParameter(
    'billingPolicy ILLEGAL does not define a date; use IMMEDIATE, END_OF_TERM or START_OF_TERM',
    { parameter: 'billingPolicy' },
  );
}

/** Checks the name of a policy. @throws BillingError INVALID_PARAMETER (60002) for an unknown name. */
export function checkPolicyName(policy: BillingActionPolicy | null | undefined): void {
  if (policy === null || policy === undefined || policy === BillingActionPolicy.ILLEGAL) return;
  if (timedPolicies.includes(policy)) return;
  throw invalidParameter(
    `billingPolicy ${shortenText(String(policy))} is not one of IMMEDIATE, END_OF_TERM and START_OF_TERM`,
    { parameter: 'billingPolicy' },
  );
}

export interface CancelSubscriptionRequest extends CancelSubscriptionOptions {
  /**
   * The policy for the end of service. It applies if neither the request nor an entitlement plugin sets a date or
   * policy for that end. If this policy is absent, service ends together with billing.
   */
  readonly defaultEntitlementPolicy?: EntitlementActionPolicy | null | undefined;
}

/** Adds the default policy to the terms if they define no end of service (§9 rule 10). */
export function withDefaultEnd(
  terms: CancelSubscriptionOptions,
  { defaultEntitlementPolicy }: CancelSubscriptionRequest,
): CancelSubscriptionOptions {
  const { requestedDate, entitlementPolicy, useRequestedDateForBilling } = terms;
  if (requestedDate || entitlementPolicy || useRequestedDateForBilling) return terms;
  return { ...terms, entitlementPolicy: defaultEntitlementPolicy };
}

export interface TransferBundleRequest {
  readonly accountId?: Uuid | null | undefined;
  /**
   * External keys of the new subscriptions, by the id of the old subscription. The default key is the id of the new
   * subscription.
   */
  readonly subscriptions?:
    | readonly {
        readonly subscriptionId?: Uuid | null | undefined;
        readonly externalKey?: string | null | undefined;
      }[]
    | null
    | undefined;
  /** If true, keys for ended subscriptions are ignored. By default they are rejected. */
  readonly ignoresEnded?: boolean | undefined;
}

export type TransferPolicy = typeof BillingActionPolicy.END_OF_TERM | typeof BillingActionPolicy.IMMEDIATE;

/**
 * Checks a request for a transfer (§17.4), except the terms that plugins may replace.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5).
 */
export function checkTransferRequest({
  accountId,
  subscriptions,
  ignoresEnded = false,
}: TransferBundleRequest) {
  if (!accountId) throw invalidField('BundleJson accountId needs to be set', { field: 'accountId' });
  return { accountId, externalKeys: externalKeysOf(subscriptions ?? []), ignoresEnded };
}

/** Checks the options of a transfer. @throws BillingError INVALID_PARAMETER (60002) for an unsupported policy. */
export function checkTransferOptions(options: TransferBundleOptions) {
  return {
    requestedDate: options.requestedDate ?? null,
    billingPolicy: policyOf(options.billingPolicy ?? BillingActionPolicy.END_OF_TERM),
    bcdTransfer: options.bcdTransfer ?? BcdTransfer.USE_EXISTING,
  };
}

/** A checked transfer. Its external keys are listed by the id of the subscription that continues. */
export type CheckedTransfer = ReturnType<typeof checkTransferRequest> &
  ReturnType<typeof checkTransferOptions>;

function externalKeysOf(named: NonNullable<TransferBundleRequest['subscriptions']>) {
  const keys = new Map<Uuid, string | null>();
  for (const { subscriptionId, externalKey } of named) {
    if (!subscriptionId)
      throw invalidField('SubscriptionJson subscriptionId needs to be set', { field: 'subscriptionId' });
    if (keys.has(subscriptionId))
      throw invalidField(`Subscription ${subscriptionId} is listed twice`, { field: 'subscriptionId' });
    checkExternalKey(externalKey);
    keys.set(subscriptionId, externalKey || null);
  }
  return keys;
}

function policyOf(policy: BillingActionPolicy): TransferPolicy {
  if (policy === BillingActionPolicy.END_OF_TERM || policy === BillingActionPolicy.IMMEDIATE) return policy;
  throw invalidParameter(
    `billingPolicy ${policy} is not allowed for transfers; use END_OF_TERM or IMMEDIATE`,
    {
      parameter: 'billingPolicy',
    },
  );
}

/**
 * Checks the key of a bundle.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5).
 */
export function checkBundleKey(externalKey: string | null | undefined): string {
  checkExternalKey(externalKey);
  if (externalKey) return externalKey;
  throw invalidField('BundleJson externalKey needs to be set', { field: 'externalKey' });
}

export type CheckedBlock = Pick<
  BlockingState,
  'service' | 'stateName' | 'isBlockChange' | 'isBlockEntitlement' | 'isBlockBilling'
>;

/** The state of a paused bundle (§14.3). */
export const PAUSED: CheckedBlock = {
  service: ENTITLEMENT_SERVICE,
  stateName: EntitlementStateName.ENT_BLOCKED,
  isBlockChange: true,
  isBlockEntitlement: true,
  isBlockBilling: true,
};

/** The state of a resumed bundle (§14.3). */
export const RESUMED: CheckedBlock = {
  service: ENTITLEMENT_SERVICE,
  stateName: EntitlementStateName.ENT_CLEAR,
  isBlockChange: false,
  isBlockEntitlement: false,
  isBlockBilling: false,
};

const reservedNames: ReadonlySet<string> = new Set(Object.values(EntitlementStateName));

/**
 * Checks a request without stored data (§14.1 rule 1).
 * @throws BillingError SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG (1107), MISSING_OR_INVALID_FIELD (60003).
 */
export function checkBlockingRequest(request: BlockingStateRequest): CheckedBlock {
  const { service, stateName } = request;
  if (!service) throw invalidArgument('BlockingStateJson service needs to be set');
  if (service === ENTITLEMENT_SERVICE) {
    throw invalidArgument(
      `BlockingStateJson service ${ENTITLEMENT_SERVICE} is reserved for the engine; choose another`,
    );
  }
  if (!stateName) throw invalidArgument('BlockingStateJson stateName needs to be set');
  if (reservedNames.has(stateName)) {
    throw invalidArgument(
      `BlockingStateJson stateName ${stateName} is reserved for the engine; choose another`,
    );
  }
  checkText('BlockingStateJson service', service, MAX_BLOCKING_STATE_NAME_CHARACTERS);
  checkText('BlockingStateJson stateName', stateName, MAX_BLOCKING_STATE_NAME_CHARACTERS);
  return {
    service,
    stateName,
    isBlockChange: request.isBlockChange ?? false,
    isBlockEntitlement: request.isBlockEntitlement ?? false,
    isBlockBilling: request.isBlockBilling ?? false,
  };
}

function invalidArgument(message: string): BillingError {
  return billingError(ErrorCode.SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG, message);
}
