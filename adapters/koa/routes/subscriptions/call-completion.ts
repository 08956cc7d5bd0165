import type { Billing } from '../../../../lib/billing.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import type { Instant } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import type { ErrorName } from '../../routing/route.ts';
import { flag, pluginProperties, waitSeconds } from '../../wire/query.ts';

const secondMs = 1_000;

/** Errors of calls that entitlement plugins control (subscriptions §22). */
export const controlledQuery = { pluginProperty: pluginProperties };

export const controlledErrors: readonly ErrorName[] = ['ENTITLEMENT_PLUGIN_API_ABORTED'];

/** Errors that concern the plan in a creation, change or dry run. */
export const planErrors: readonly ErrorName[] = [
  'SUBSCRIPTION_CREATE_BAD_PHASE',
  'CATALOG_NO_SUCH_PLAN',
  'CATALOG_NO_SUCH_PRODUCT',
  'CATALOG_PLAN_NOT_FOUND',
  'CATALOG_PRICE_LIST_NOT_FOUND',
  'CATALOG_INVALID_PRICE_OVERRIDE',
  'BLOCKING_BLOCKED_ACTION',
];

export const changeErrors: readonly ErrorName[] = [
  'SUBSCRIPTION_CHANGE_NON_ACTIVE',
  'SUBSCRIPTION_CHANGE_FUTURE_CANCELLED',
  'SUBSCRIPTION_CHANGE_INVALID',
  'SUBSCRIPTION_CHANGE_FUTURE_EXPIRED',
  'CATALOG_ILLEGAL_CHANGE_REQUEST',
  ...planErrors,
];

/** Errors that concern the add-ons in a creation or change. */
export const addOnErrors: readonly ErrorName[] = [
  'SUBSCRIPTION_CREATE_AO_BP_NON_ACTIVE',
  'SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED',
  'SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE',
];

/** Parameters for call completion: whether and how long the call waits for the invoice and payment. */
export const completionParameters = {
  callCompletion: flag(),
  callTimeoutSec: waitSeconds(undefined),
};

/** Default of `callTimeoutSec` in dialect K for calls that create or change subscriptions (http-api §4 line 5). */
export const DEFAULT_WAIT_SEC_IN_K = 3;

/** Default of `callTimeoutSec` in dialect K for cancellations. */
export const DEFAULT_CANCEL_WAIT_SEC_IN_K = 5;

interface CompletedCall {
  readonly billing: Pick<Billing, 'completion' | 'server'>;
  readonly context: CallContext;
  readonly dialect: Dialect;
  readonly query: { readonly callCompletion: boolean; readonly callTimeoutSec: number | undefined };
}

export interface DoneWork {
  readonly accountId: Uuid;
  /** The action in the past tense, for the message of a timeout. */
  readonly done: string;
  /** Null means never. */
  readonly billingEffect: Instant | null;
  readonly defaultSecInK: number;
}

/**
 * Waits for the invoice and payment if the call has `callCompletion=true`. Does not wait for effects in the future
 * (subscriptions §22).
 * @throws BillingError COMPLETION_TIMEOUT (60016). The change remains in effect.
 */
export async function waitForCompletion(call: CompletedCall, work: DoneWork): Promise<void> {
  const { billing, context, dialect, query } = call;
  if (!query.callCompletion) return;
  if (work.billingEffect === null || work.billingEffect > context.createdDate) return;
  const maxWaitSec = billing.server['server.callCompletion.maxSec'];
  const byDefault = dialect === Dialect.K ? work.defaultSecInK : maxWaitSec;
  const seconds = Math.min(query.callTimeoutSec ?? byDefault, maxWaitSec);
  if (await billing.completion(context, seconds * secondMs, work.accountId)) return;
  throw billingError(
    ErrorCode.COMPLETION_TIMEOUT,
    `${work.done}, but its invoice and payment were not finished within ${seconds} s; they continue in the background`,
    { accountId: work.accountId, seconds },
  );
}
