import { GatewayError, type Meters, type SystemClock } from '../../ports/index.ts';
import { hostAnswer, plainError } from '../../runtime/index.ts';
import { BillingError } from '../../values/errors/index.ts';
import { frozenCopy } from '../../values/given/index.ts';
import { type GatewayReply, gatewayText } from '../claims/gateway-claims.ts';

export interface GatewayCall<T> {
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
