import type { errors } from 'jose';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';

/** UNAUTHENTICATED: says why a bearer token is refused, without showing any of it. */
export function tokenRefused(why: string, cause?: unknown): BillingError {
  return new BillingError({
    code: ErrorCode.UNAUTHENTICATED,
    message: `The bearer token is not accepted: ${why}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

const reasonByCode: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'it has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'its signature is wrong',
  ERR_JWKS_NO_MATCHING_KEY: 'it is not signed with a key of its issuer',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'it does not say which key of its issuer has signed it',
  ERR_JOSE_ALG_NOT_ALLOWED: 'its algorithm is not allowed',
  ERR_JOSE_NOT_SUPPORTED: 'its algorithm is not allowed',
  ERR_JWS_INVALID: 'it is no signed JWT',
  ERR_JWT_INVALID: 'it is no signed JWT',
};

/** The refusal that an error of the verification stands for; null if it says nothing about the token. */
export function refusalOf(error: unknown): BillingError | null {
  if (!isJoseError(error)) return null;
  if (error.code === 'ERR_JWT_CLAIM_VALIDATION_FAILED') {
    return tokenRefused(`its claim "${'claim' in error ? String(error.claim) : '?'}" does not hold`);
  }
  const reason = reasonByCode[error.code];
  return reason === undefined ? null : tokenRefused(reason);
}

function isJoseError(error: unknown): error is errors.JOSEError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
