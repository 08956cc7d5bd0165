import { createHash } from 'node:crypto';
import type { Context } from 'koa';
import type { Billing } from '../../../lib/billing.ts';
import type { Logger } from '../../../lib/ports/index.ts';
import type { TenantRef } from '../../../lib/records/index.ts';
import { type BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Rendered } from '../response/rendered.ts';
import { withoutTrailingSlash } from '../routing/path.ts';
import { type Route, takesKey } from '../routing/route.ts';

export interface Outcome {
  readonly rendered: Rendered;
  readonly error: BillingError | null;
}

export interface KeyedRequest {
  readonly tenant: TenantRef | null;
  readonly key: string;
  readonly hash: string;
}

/**
 * Returns the idempotency key of a request. Returns null if there is no `Idempotency-Key` header, or if the route
 * ignores it.
 */
export function keyedRequestOf(
  ctx: Context,
  call: {
    readonly route: Pick<Route, 'method' | 'credentials' | 'body'>;
    readonly tenant: TenantRef | null;
    readonly bodyBytes: Uint8Array | undefined;
  },
): KeyedRequest | null {
  const key = ctx.get('Idempotency-Key').trim();
  if (key === '' || !takesKey(call.route)) return null;
  const hash = createHash('sha256')
    .update(`${call.route.method} ${withoutTrailingSlash(ctx.path)}?${ctx.querystring}\n`)
    .update(call.bodyBytes ?? '');
  return { tenant: call.tenant, key, hash: hash.digest('hex') };
}

/**
 * Runs a request only once per idempotency key.
 * @throws BillingError IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED or INVALID_PARAMETER.
 */
export async function runOnce(
  request: KeyedRequest,
  services: { readonly billing: Pick<Billing, 'idempotency'>; readonly logger: Logger },
  run: () => Promise<Outcome>,
): Promise<Rendered> {
  const { idempotency } = services.billing;
  const { claim, answer } = await idempotency.begin(request);
  if (answer !== undefined)
    return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
  const { rendered, error } = await run();
  const whole = { ...rendered, body: await textOf(rendered.body) };
  try {
    if (isStorable(whole.status, error)) await idempotency.keep(claim, whole);
    else if (error?.facts.isOutcomeUnknown !== true) await idempotency.release(claim);
    // If the outcome is unknown, the claim is kept.
    // As after a crash, repeats are refused until the claim is treated as abandoned.
  } catch (failure) {
    // The request succeeded and must not run again.
    // Repeats are therefore refused until the claim is treated as abandoned.
    services.logger.error(
      { err: failure },
      'the response to a request with an Idempotency-Key was not stored',
    );
  }
  return whole;
}

/**
 * Returns true if the response can be stored. Returns false if nothing was attempted, or if the server failed without
 * creating a payment transaction.
 */
export function isStorable(status: number, error: Pick<BillingError, 'code' | 'facts'> | null): boolean {
  if (status >= 500) return error?.facts.transactionId !== undefined;
  const passing: readonly unknown[] = [ErrorCode.PAYMENT_INTERNAL_ERROR, ErrorCode.VERSION_CONFLICT];
  return !(status === 409 && passing.includes(error?.code));
}

async function textOf(body: Rendered['body']): Promise<string> {
  if (typeof body === 'string') return body;
  if (Buffer.isBuffer(body)) return body.toString();
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}
