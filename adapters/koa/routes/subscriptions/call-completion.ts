import type { Billing } from '../../../../lib/billing.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import { billingError, ErrorCode } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import type { Instant } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import { flag, pluginProperties, waitSeconds } from '../../wire/query.ts';

const secondMs = 1_000;

/** The parameters of every call that entitlement plugins control (subscriptions §22). */
export const controlledQuery = { pluginProperty: pluginProperties };

export const controlledErrors: readonly ErrorCode[] = [ErrorCode.ENTITLEMENT_PLUGIN_API_ABORTED];

/** `CC` of http-api §13: whether to wait for the invoice and payment that the call causes, and how long. */
export const completionParameters = {
  callCompletion: flag(),
  callTimeoutSec: waitSeconds(undefined),
};

/** Default of `callTimeoutSec` in dialect K when a subscription is created or changed (http-api §4 line 5). */
export const DEFAULT_WAIT_SEC_IN_K = 3;

/** The same when one is cancelled. */
export const DEFAULT_CANCEL_WAIT_SEC_IN_K = 5;

interface CompletedCall {
  readonly billing: Pick<Billing, 'completion' | 'server'>;
  readonly context: CallContext;
  readonly dialect: Dialect;
  readonly query: { readonly callCompletion: boolean; readonly callTimeoutSec: number | undefined };
}

/** What the call has done, and when it takes effect for billing. */
export interface DoneWork {
  readonly accountId: Uuid;
  /** What has been done, for the message of a timeout: it stays done. */
  readonly done: string;
  /** Null = never. */
  readonly billingEffect: Instant | null;
  readonly defaultSecInK: number;
}

/**
 * Waits, if the call asks for it, until the invoice and payment that the call causes are done; an effect in the future
 * causes none yet (subscriptions §22, call completion).
 * @throws BillingError COMPLETION_TIMEOUT (60016) when the time is up; what has been done stays done.
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
    `${work.done}, but its invoice and payment are not done after ${seconds} s; they go on`,
    { accountId: work.accountId, seconds },
  );
}
