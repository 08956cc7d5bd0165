import { type BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** How a caller has to prove who it is, or has tried to. */
export type Scheme = 'BASIC' | 'BEARER';

/** The challenge that goes with a refusal (platform §6.1, §7.2), or null if there is none. */
export function challengeOf(error: BillingError, scheme: Scheme): string | null {
  const isBearer = scheme === 'BEARER';
  if (error.code === ErrorCode.UNAUTHENTICATED)
    return isBearer ? 'Bearer realm="service", error="invalid_token"' : 'Basic realm="service"';
  if (error.code === ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS && isBearer)
    return 'Bearer realm="service", error="insufficient_scope"';
  return null;
}
