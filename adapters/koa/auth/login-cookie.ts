import { createHash, randomBytes } from 'node:crypto';
import type { Context } from 'koa';

/** Name that clients in the field know (http-api §5 rule 5). */
const cookieName = 'JSESSIONID';
const tokenBytes = 32;
const tokenForm = /^[\w-]{43}$/;

/** The session token of the request's cookie, or null where there is none that could be ours. */
export function sessionTokenOf({ cookies }: Pick<Context, 'cookies'>): string | null {
  const token = cookies.get(cookieName, { signed: false });
  return token !== undefined && tokenForm.test(token) ? token : null;
}

/** Lets the answer set the cookie of a session; one set over https is sent over https only. */
export function setSessionCookie(
  { cookies }: Pick<Context, 'cookies'>,
  token: string,
  { isSecure }: { readonly isSecure: boolean },
): void {
  // Koa knows TLS that ends elsewhere by a setting of the application; here proxies are trusted by their addresses.
  cookies.secure = isSecure;
  cookies.set(cookieName, token, { path: '/', httpOnly: true, sameSite: 'lax', signed: false });
}

/**
 * A token that nobody can guess. It is always made here, never taken from a caller, so that no session can be fixed in
 * advance.
 */
export function newSessionToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** What is stored of a token. */
export function sessionTokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
