import { MAX_TOKEN_CHARACTERS } from '../../../lib/values/limits.ts';

const bearerForm = /^bearer +([\w.~+/=-]+) *$/i;

/** Whether the header offers a bearer token, of whatever form (platform §6.1: no fallback then). */
export function offersBearer(authorization: string | undefined): boolean {
  return /^bearer(?: |$)/i.test(authorization ?? '');
}

/** The token of an `Authorization: Bearer` header (RFC 6750), or null if it holds none. */
export function bearerToken(authorization: string | undefined): string | null {
  const token = bearerForm.exec(authorization ?? '')?.[1];
  return token === undefined || token.length > MAX_TOKEN_CHARACTERS ? null : token;
}
