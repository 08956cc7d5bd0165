import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'koa';
import type { Principal } from '../../../lib/records/index.ts';
import { isPermitted, type Permission } from '../../../lib/security/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { isStorable } from '../../../lib/values/text/index.ts';

/** Maximum length of a token in characters. For comparison, all headers together are limited to 16 KiB. */
const MAX_TOKEN_CHARACTERS = 8 * 1_024;

export interface Credentials {
  readonly name: string;
  readonly secret: string;
}

const basicForm = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** Parses an `Authorization: Basic` header (RFC 7617, UTF-8). Returns null if the header is invalid. */
export function basicCredentials(authorization: string | undefined): Credentials | null {
  const encoded = basicForm.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 || !isStorable(text)
    ? null
    : { name: text.slice(0, colon), secret: text.slice(colon + 1) };
}

const bearerForm = /^bearer +([\w.~+/=-]+) *$/i;

/**
 * Returns true for any bearer header, even a malformed one. Other authentication methods are then not tried (platform
 * §6.1).
 */
export function offersBearer(authorization: string | undefined): boolean {
  return /^bearer(?: |$)/i.test(authorization ?? '');
}

/** Parses an `Authorization: Bearer` header (RFC 6750). Returns null for an invalid header. */
export function bearerToken(authorization: string | undefined): string | null {
  const token = bearerForm.exec(authorization ?? '')?.[1];
  return token === undefined || token.length > MAX_TOKEN_CHARACTERS ? null : token;
}

/** Name of the session cookie. Existing clients expect this name (http-api §5 rule 5). */
const cookieName = 'JSESSIONID';
const tokenBytes = 32;
const tokenForm = /^[\w-]{43}$/;

export function sessionTokenOf({ cookies }: Pick<Context, 'cookies'>): string | null {
  const token = cookies.get(cookieName, { signed: false });
  return token !== undefined && tokenForm.test(token) ? token : null;
}

/** Returns true if the request has a session cookie, even with an invalid value. */
export function hasSessionCookie({ cookies }: Pick<Context, 'cookies'>): boolean {
  return cookies.get(cookieName, { signed: false }) !== undefined;
}

export interface SessionCookie {
  /** Null removes the cookie. */
  readonly token: string | null;
  /** True restricts the cookie to https. */
  readonly isSecure: boolean;
  readonly path: string;
  readonly sameSite: 'lax' | 'strict';
}

export function setSessionCookie({ cookies }: Pick<Context, 'cookies'>, cookie: SessionCookie): void {
  const { token, isSecure, path, sameSite } = cookie;
  // Koa trusts all proxies or none. This adapter trusts proxies by address.
  cookies.secure = isSecure;
  cookies.set(cookieName, token, { path, httpOnly: true, sameSite, signed: false });
}

/** Returns a new random token. Callers cannot choose the token, which prevents session fixation. */
export function newSessionToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

export function sessionTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Scheme of the `WWW-Authenticate` challenge. NONE omits the challenge, for calls from a page. */
export type Scheme = 'BASIC' | 'BEARER' | 'NONE';

/** Returns the `WWW-Authenticate` challenge for an error (platform §6.1, §7.2), or null if the error requires none. */
export function challengeOf(error: BillingError, scheme: Scheme): string | null {
  if (scheme === 'NONE') return null;
  const isBearer = scheme === 'BEARER';
  if (error.code === ErrorCode.UNAUTHENTICATED)
    return isBearer ? 'Bearer realm="service", error="invalid_token"' : 'Basic realm="service"';
  if (error.code === ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS && isBearer)
    return 'Bearer realm="service", error="insufficient_scope"';
  return null;
}

/** Checks that the principal has a permission. @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS (40000) if not. */
export function checkPermission(
  caller: Pick<Principal, 'name' | 'permissions'> | null,
  permission: Permission,
): void {
  if (isPermitted(caller?.permissions ?? [], permission)) return;
  const user = caller?.name ?? 'nobody';
  const message = `User ${user} lacks the permission ${permission}`;
  throw billingError(ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS, message, { user, permission });
}
