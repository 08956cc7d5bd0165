import type { CreatedBundle } from '../../../../lib/subscriptions/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { minInstant } from '../../../../lib/values/time/index.ts';
import { flag, moment } from '../../wire/query.ts';
import { completionParameters, DEFAULT_WAIT_SEC_IN_K, type DoneWork } from './call-completion.ts';
import { controlledErrors, controlledQuery } from './entitlement-plugins.ts';

/** Parameters of every call that creates subscriptions (subscriptions §6, §22). */
export const creationQuery = {
  entitlementDate: moment,
  billingDate: moment,
  renameKeyIfExistsAndUnused: flag(true),
  migrated: flag(),
  skipResponse: flag(),
  ...controlledQuery,
  ...completionParameters,
};

export const creationErrors: readonly ErrorCode[] = [
  ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
  ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
  ErrorCode.SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION,
  ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE,
  ErrorCode.SUBSCRIPTION_CREATE_NO_BP,
  ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
  ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS,
  ErrorCode.SUBSCRIPTION_CREATE_AO_BP_NON_ACTIVE,
  ErrorCode.SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED,
  ErrorCode.SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE,
  ErrorCode.SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER,
  ErrorCode.SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE,
  ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
  ErrorCode.CATALOG_NO_SUCH_PLAN,
  ErrorCode.CATALOG_NO_SUCH_PRODUCT,
  ErrorCode.CATALOG_PLAN_NOT_FOUND,
  ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND,
  ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE,
  ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE,
  ErrorCode.BLOCKING_BLOCKED_ACTION,
  ErrorCode.COMPLETION_TIMEOUT,
  ...controlledErrors,
];

/** The subscription whose work a call waits for after creating several: the one that is billed first. */
export function awaitedCreation(bundles: readonly CreatedBundle[]): DoneWork {
  const [first] = bundles;
  if (first === undefined) throw new Error('a creation makes a bundle');
  const count = bundles.reduce((sum, { subscriptionIds }) => sum + subscriptionIds.length, 0);
  return {
    accountId: first.accountId,
    done: `${count} subscriptions are created`,
    billingEffect: bundles.map(({ billingStart }) => billingStart).reduce((a, b) => minInstant(a, b)),
    defaultSecInK: DEFAULT_WAIT_SEC_IN_K,
  };
}
