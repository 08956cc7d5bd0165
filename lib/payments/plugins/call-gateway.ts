import {
  type GatewayContext,
  GatewayError,
  type Meters,
  type PaymentGateway,
  type Ports,
  type SystemClock,
} from '../../ports/index.ts';
import type { CallContext } from '../../records/index.ts';
import { hostAnswer, plainError } from '../../runtime/index.ts';
import { BillingError, type ErrorCode } from '../../values/errors/index.ts';
import { frozenCopy } from '../../values/given/index.ts';
import { type GatewayReply, gatewayText } from '../claims/gateway-claims.ts';
import { gatewayFailed } from '../state/payment-errors.ts';

interface GatewayCall<T> {
  readonly reply: GatewayReply<T>;
  /** After a timeout: what the call turns out to have done, if it ever settles; else null. */
  readonly late: Promise<GatewayReply<T>> | null;
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly systemClock: SystemClock;
  /** Times the call; undefined: it is not timed. */
  readonly meters?: Meters | undefined;
}

/**
 * Calls a plugin with frozen copies of what it is given, for at most `timeoutMs` of system time; never throws. What `call`
 * reads of the answer is read as part of it: an answer that cannot be read is a throw of the plugin's own.
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
    // A clock that fails costs the timing alone.
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

/** A question to a gateway, and in whose name it is asked. */
interface Asking<R> {
  readonly context: Pick<CallContext, 'tenant' | 'userName' | 'userToken' | 'createdDate'>;
  readonly timeoutMs: number;
  readonly request: R;
}

/** Asks a gateway; never throws. */
export async function askGateway<R, T>(
  { systemClock }: Pick<Ports, 'systemClock'>,
  { context: { tenant, userName, userToken, createdDate: now }, timeoutMs, request }: Asking<R>,
  call: (request: R, context: GatewayContext) => Promise<T>,
): Promise<GatewayReply<T>> {
  const context = { tenantId: tenant.id, userName, userToken, now };
  return (await callGateway([request, context], call, { timeoutMs, systemClock })).reply;
}

/**
 * Tells a gateway something about payment methods.
 * @throws BillingError with the code of a failure, PAYMENT_PLUGIN_TIMEOUT (7100).
 */
export async function tellGateway<R, T>(
  ports: Pick<Ports, 'systemClock'>,
  {
    gateway,
    failsWith,
    ...asking
  }: Asking<R> & { readonly gateway: PaymentGateway; readonly failsWith: ErrorCode },
  call: (request: R, context: GatewayContext) => Promise<T>,
): Promise<T> {
  const reply = await askGateway(ports, asking, call);
  if (reply.kind === 'VALUE') return reply.value;
  throw gatewayFailed(failsWith, gateway.name, reply);
}
