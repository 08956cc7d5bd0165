import type { GatewayResult } from '../../ports/index.ts';

/** A call that gave no value: nobody knows what happened. */
export type GatewayFailure =
  | { readonly kind: 'TIMEOUT'; readonly timeoutMs: number }
  /** A declared error of the gateway. */
  | { readonly kind: 'GATEWAY_ERROR'; readonly message: string; readonly cause?: unknown }
  /** Any other throw. */
  | { readonly kind: 'FAULT'; readonly message: string; readonly cause?: unknown };

/** The reply to one gateway call (§2.2). */
export type GatewayReply<T> = { readonly kind: 'VALUE'; readonly value: T } | GatewayFailure;

/** How one question about a transaction ended. Only RESULT and NEVER_RECEIVED tell what happened. */
export type CallOutcome =
  | { readonly kind: 'RESULT'; readonly result: GatewayResult }
  /** Certainly nothing happened: the call was not made, or a gateway with a complete ledger has no trace of it. */
  | { readonly kind: 'NEVER_RECEIVED'; readonly message: string }
  /** No result for this transaction was given. */
  | { readonly kind: 'NO_RESULT' }
  | GatewayFailure;

/** The outcome of a call that runs a transaction. */
export function operationOutcome(reply: GatewayReply<GatewayResult | null>): CallOutcome {
  if (reply.kind !== 'VALUE') return reply;
  return reply.value == null ? { kind: 'NO_RESULT' } : { kind: 'RESULT', result: reply.value };
}

/** Why a call gave nothing readable, in words; undefined = its gateway is not registered. */
export function failureOf(reply: GatewayReply<unknown> | undefined): string {
  switch (reply?.kind) {
    case undefined:
      return 'it is not registered';
    case 'VALUE':
      return 'its answer cannot be read';
    case 'TIMEOUT':
      return `no answer within ${reply.timeoutMs} ms`;
    case 'GATEWAY_ERROR':
    case 'FAULT':
      return reply.message;
  }
}
