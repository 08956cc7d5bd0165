import type { SystemClock } from '../../ports/index.ts';
import { GatewayError, type GatewayResult } from '../../ports/index.ts';
import type { CallOutcome } from '../state/transaction-outcome.ts';

/** What became of one call to a gateway (§2.2). */
export type GatewayReply<T> =
  | { readonly kind: 'VALUE'; readonly value: T }
  | { readonly kind: 'TIMEOUT'; readonly timeoutMs: number }
  | { readonly kind: 'GATEWAY_ERROR'; readonly message: string }
  | { readonly kind: 'FAULT'; readonly message: string };

export interface GatewayCall<T> {
  readonly reply: GatewayReply<T>;
  /** After a timeout: what the call turns out to have done, if it ever settles; else null. */
  readonly late: Promise<GatewayReply<T>> | null;
}

export interface CallLimits {
  readonly timeoutMs: number;
  readonly systemClock: SystemClock;
}

/** Calls a gateway, at most for `timeoutMs` of system time; never throws. */
export function callGateway<T>(call: () => Promise<T>, limits: CallLimits): Promise<GatewayCall<T>> {
  return new Promise((resolve) => {
    const settled = replyOf(call);
    const { timeoutMs } = limits;
    const giveUp = (): void => resolve({ reply: { kind: 'TIMEOUT', timeoutMs }, late: settled });
    const cancel = limits.systemClock.after(timeoutMs, giveUp, { keepAlive: true });
    void settled.then((reply) => {
      cancel();
      resolve({ reply, late: null });
    });
  });
}

async function replyOf<T>(call: () => Promise<T>): Promise<GatewayReply<T>> {
  try {
    return { kind: 'VALUE', value: await call() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: error instanceof GatewayError ? 'GATEWAY_ERROR' : 'FAULT', message };
  }
}

/** The outcome of a call that runs a transaction. */
export function operationOutcome(reply: GatewayReply<GatewayResult | null>): CallOutcome {
  if (reply.kind !== 'VALUE') return reply;
  return reply.value == null ? { kind: 'NO_RESULT' } : { kind: 'RESULT', result: reply.value };
}
