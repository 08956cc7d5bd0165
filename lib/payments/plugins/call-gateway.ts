import {
  type GatewayContext,
  GatewayError,
  type GatewayRequest,
  type Meters,
  type PaymentGateway,
  PluginStatus,
  type Ports,
  type SystemClock,
} from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import {
  type ActivityPorts,
  hostAnswer,
  ofAccount,
  plainError,
  runInChildSpan,
} from '../../runtime/index.ts';
import { BillingError, type ErrorCode } from '../../values/errors/index.ts';
import { frozenCopy } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import {
  type CallOutcome,
  claimedResult,
  type GatewayReply,
  gatewayText,
  operationOutcome,
} from '../claims/gateway-claims.ts';
import { operationOf, type ReservedCall } from '../planning/reservation.ts';
import { gatewayFailed } from '../state/payment-errors.ts';
import { type ControlResult, ownOutcome } from '../state/transaction-outcome.ts';

interface GatewayCall<T> {
  readonly reply: GatewayReply<T>;
  /** The reply that may still arrive after a timeout, or null if the call has ended. */
  readonly late: Promise<GatewayReply<T>> | null;
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly systemClock: SystemClock;
  /** Records the duration of the call. If this function is undefined, the call is not measured. */
  readonly meters?: Meters | undefined;
}

/**
 * Calls a plugin with frozen copies of its arguments, for at most `timeoutMs` of system time. Never throws. If `call`
 * cannot read the result, the plugin is considered to have failed.
 */
export function callGateway<const G extends readonly unknown[], T>(
  given: G,
  call: (...copies: G) => Promise<T>,
  limits: CallLimits,
): Promise<GatewayCall<T>> {
  return new Promise((resolve) => {
    const { timeoutMs } = limits;
    const startedMs = limits.systemClock.nowMs();
    const settled = replyOf(() => call(...frozenCopy(given)));
    const giveUp = (): void => resolve({ reply: { kind: 'TIMEOUT', timeoutMs }, late: settled });
    const cancel = limits.systemClock.after(timeoutMs, giveUp, { keepAlive: true });
    const ended = settled.then((reply) => {
      cancel();
      resolve({ reply, late: null });
      limits.meters?.time('payment.plugin', limits.systemClock.nowMs() - startedMs);
    });
    // If the clock fails, only the measured time is lost.
    ended.catch(() => undefined);
  });
}

async function replyOf<T>(call: () => Promise<T>): Promise<GatewayReply<T>> {
  try {
    return { kind: 'VALUE', value: await hostAnswer(call) };
  } catch (thrown) {
    const error = plainError(thrown);
    return {
      kind: error instanceof GatewayError ? 'GATEWAY_ERROR' : 'FAULT',
      message: gatewayText(error.message) ?? '',
      ...(error instanceof BillingError && { cause: error }),
    };
  }
}

interface Asking<R> {
  readonly context: Pick<CallContext, 'tenant' | 'userName' | 'userToken' | 'createdDate'>;
  readonly timeoutMs: number;
  readonly request: R;
}

export async function callGatewayOnce<R, T>(
  { systemClock }: Pick<Ports, 'systemClock'>,
  { context: { tenant, userName, userToken, createdDate }, timeoutMs, request }: Asking<R>,
  call: (request: R, context: GatewayContext) => Promise<T>,
): Promise<GatewayReply<T>> {
  const context = { tenantId: tenant.id, userName, userToken, now: new Date(createdDate) };
  return (await callGateway([request, context], call, { timeoutMs, systemClock })).reply;
}

/**
 * Notifies a gateway about payment methods.
 * @throws BillingError with the given code if the gateway fails, PAYMENT_PLUGIN_TIMEOUT (7100) if the call times out.
 */
export async function notifyGateway<R, T>(
  ports: Pick<Ports, 'systemClock'>,
  asked: Asking<R> & { readonly gateway: PaymentGateway; readonly failsWith: ErrorCode },
  call: (request: R, context: GatewayContext) => Promise<T>,
): Promise<T> {
  const { gateway, failsWith, ...asking } = asked;
  const reply = await callGatewayOnce(ports, asking, call);
  if (reply.kind === 'VALUE') return reply.value;
  throw gatewayFailed(failsWith, gateway.name, reply);
}

export interface OpenCall extends ReservedCall {
  /** Value of `payment.plugin.timeout` when the operation was reserved. It determines the end of the lease. */
  readonly timeoutMs: number;
  readonly caller: ControlCaller;
  /** For a completion, the amount sent to the gateway if it differs from the stored amount (§4.3 rule 7). */
  readonly told?: { readonly amount: Decimal | null; readonly currency: Currency | null };
  /** The outcome, if it is already known. The gateway is then not called. */
  readonly outcome?: CallOutcome;
}

export interface Answer {
  readonly outcome: CallOutcome;
  /** The outcome that the call may still return after its timeout, or null if the call has ended. */
  readonly late: Promise<CallOutcome> | null;
}
export type AnsweredCall = OpenCall & Answer & { readonly control?: ControlResult };

/**
 * Calls the gateway for a reserved operation (§5.1 rule 2). A gateway with external effects is called outside
 * transactions.
 */
export async function callOperation(
  call: OpenCall,
  ports: Pick<Ports, 'clock' | 'systemClock' | 'meters'> & ActivityPorts,
): Promise<Answer> {
  const { clock, systemClock, meters } = ports;
  const { tenant, userName, userToken } = call.caller;
  const { leaseUntil } = call.transaction;
  const now = clock.now();
  const { gateway, outcome } = call;
  if (outcome !== undefined) return { outcome, late: null };
  // The gateway is not called if the lease has expired.
  // Recovery may already be resolving the transaction.
  if (leaseUntil !== null && now >= leaseUntil) return { outcome: notCalled(call.transaction), late: null };
  if (gateway === null) return { outcome: chargebackOutcome(call), late: null };
  const context = { tenantId: tenant.id, userName, userToken, now: new Date(now) };
  const limits = { timeoutMs: call.timeoutMs, systemClock, meters };
  return tracedCall(ports, { ...call, gateway }, async () => {
    const { reply, late } = await callGatewayOf({ ...call, gateway }, context, limits);
    return { outcome: operationOutcome(reply), late: late?.then(operationOutcome) ?? null };
  });
}

function callGatewayOf(
  {
    account,
    gateway,
    properties,
    transaction,
    told,
    ...call
  }: OpenCall & { readonly gateway: PaymentGateway },
  context: GatewayContext,
  limits: CallLimits,
) {
  const { id: transactionId, transactionType, status } = transaction;
  const operation = operationOf(gateway, transactionType);
  const isCompletion = status === 'PENDING';
  const { paymentId, paymentMethodId } = call;
  const ids = { accountId: account.id, paymentId, transactionId, paymentMethodId };
  const asked = { ...ids, properties, ...(isCompletion && { isCompletion }) };
  const amount = told?.amount ?? transaction.amount;
  const currency = told?.currency ?? transaction.currency;
  const request = amount && currency ? { ...asked, amount, currency } : asked;
  return callGateway(
    [request as GatewayRequest, context],
    (asking, as) =>
      whileRunning(gateway, transactionId, async () => claimedResult(await operation(asking, as))),
    limits,
  );
}

/**
 * Returns the outcome of a transaction without calling the gateway. A pending transaction stays pending, because the
 * gateway has already received it.
 */
function notCalled({ status, ...transaction }: OpenCall['transaction']): CallOutcome {
  if (status === 'PENDING') return ownOutcome(transaction, { ...transaction, status: PluginStatus.PENDING });
  const message = 'The payment was not submitted: its time had passed before the call began';
  return { kind: 'NEVER_RECEIVED', message };
}

/**
 * Returns the outcome of a chargeback or its reversal. The card network reports this outcome, so no gateway is called
 * (§2.1 rule 3).
 */
function chargebackOutcome({ transaction, isRefused }: OpenCall): CallOutcome {
  const status = transaction.amount === null || isRefused ? PluginStatus.ERROR : PluginStatus.PROCESSED;
  return ownOutcome(transaction, { ...transaction, status });
}

/** Records a gateway call in the trace of its account, even if a batch contains several accounts. */
export function tracedCall<A extends { readonly outcome: CallOutcome }>(
  ports: ActivityPorts,
  { account, gateway, paymentId, transaction }: ReservedCall & { readonly gateway: PaymentGateway },
  call: () => Promise<A>,
): Promise<A> {
  const start = () => ({
    name: `gateway ${transaction.transactionType}`,
    kind: 'CLIENT' as const,
    attributes: {
      'billwright.plugin.name': gateway.name,
      'billwright.account.id': account.id,
      'billwright.payment.id': paymentId,
      'billwright.transaction.id': transaction.id,
    },
  });
  return ofAccount(ports, account.recordId, () =>
    runInChildSpan(ports, start, async (span) => {
      const answer = await call();
      const { outcome } = answer;
      const status = outcome.kind === 'RESULT' ? outcome.result.status : outcome.kind;
      span?.tell({ attributes: { 'billwright.outcome': status ?? 'UNDEFINED' } });
      if (outcome.kind !== 'RESULT') span?.fail(new Error(outcome.kind));
      return answer;
    }),
  );
}

/** Ids of the transactions with a running gateway call in this process, including calls that have timed out. */
const running = new WeakMap<PaymentGateway, Set<Uuid>>();

export async function whileRunning<T>(
  gateway: PaymentGateway,
  transactionId: Uuid,
  call: () => Promise<T>,
): Promise<T> {
  const ids = running.get(gateway) ?? new Set();
  running.set(gateway, ids.add(transactionId));
  try {
    return await call();
  } finally {
    ids.delete(transactionId);
  }
}

/** Returns true if a gateway call for the transaction is still running. The outcome of the transaction is then open. */
export function isRunning(gateway: PaymentGateway, transactionId: Uuid): boolean {
  return running.get(gateway)?.has(transactionId) === true;
}

export type ControlCaller = Pick<CallContext, 'tenant' | 'userName' | 'userToken'> &
  Partial<Pick<CallContext, 'reasonCode' | 'comments'>>;
