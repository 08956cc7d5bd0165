import { checkExternalKey } from '../../accounts/index.ts';
import type { TransferBundleOptions } from '../../ports/index.ts';
import { BcdTransfer } from '../../ports/index.ts';
import { BillingActionPolicy } from '../../records/index.ts';
import { invalidField, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { RequestedDate } from '../../values/time/index.ts';

/** To which account a bundle is transferred, and how. */
export interface TransferBundleRequest {
  /** The target account. */
  readonly accountId?: Uuid | null | undefined;
  /** External keys of the new subscriptions, by the subscriptions that they continue; default: the new subscription's id. */
  readonly subscriptions?:
    | readonly {
        readonly subscriptionId?: Uuid | null | undefined;
        readonly externalKey?: string | null | undefined;
      }[]
    | null
    | undefined;
  /** Whether keys for subscriptions of the bundle that have ended are ignored; by default they are refused. */
  readonly ignoresEnded?: boolean | undefined;
}

/** A transfer that passed the checks. */
export interface CheckedTransfer {
  readonly accountId: Uuid;
  /** External keys by the id of the subscription that is continued. */
  readonly externalKeys: ReadonlyMap<Uuid, string | null>;
  readonly requestedDate: RequestedDate | null;
  readonly billingPolicy: TransferPolicy;
  readonly bcdTransfer: BcdTransfer;
  readonly ignoresEnded: boolean;
}

export type TransferPolicy = typeof BillingActionPolicy.END_OF_TERM | typeof BillingActionPolicy.IMMEDIATE;

/**
 * Checks a request by itself (§17.4).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), INVALID_PARAMETER (60002).
 */
export function checkTransferRequest(
  request: TransferBundleRequest,
  options: TransferBundleOptions,
): CheckedTransfer {
  if (!request.accountId) throw invalidField('BundleJson accountId needs to be set', { field: 'accountId' });
  return {
    accountId: request.accountId,
    externalKeys: externalKeysOf(request.subscriptions ?? []),
    requestedDate: options.requestedDate ?? null,
    billingPolicy: policyOf(options.billingPolicy ?? BillingActionPolicy.END_OF_TERM),
    bcdTransfer: options.bcdTransfer ?? BcdTransfer.USE_EXISTING,
    ignoresEnded: request.ignoresEnded ?? false,
  };
}

function externalKeysOf(
  named: NonNullable<TransferBundleRequest['subscriptions']>,
): ReadonlyMap<Uuid, string | null> {
  const keys = new Map<Uuid, string | null>();
  for (const { subscriptionId, externalKey } of named) {
    if (!subscriptionId)
      throw invalidField('SubscriptionJson subscriptionId needs to be set', { field: 'subscriptionId' });
    if (keys.has(subscriptionId))
      throw invalidField(`Subscription ${subscriptionId} is named twice`, { field: 'subscriptionId' });
    checkExternalKey(externalKey);
    keys.set(subscriptionId, externalKey || null);
  }
  return keys;
}

function policyOf(policy: BillingActionPolicy): TransferPolicy {
  if (policy === BillingActionPolicy.END_OF_TERM || policy === BillingActionPolicy.IMMEDIATE) return policy;
  throw invalidParameter(`billingPolicy ${policy} is not for transfers; choose END_OF_TERM or IMMEDIATE`, {
    parameter: 'billingPolicy',
  });
}
