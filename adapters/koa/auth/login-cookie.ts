import { createHash, randomBytes } from 'node:crypto';

/** Name that clients in the field know (http-api §5 rule 5). */
const cookieName = 'JSESSIONID';
const tokenBytes = 32;
const cookieForm = new RegExp(`(?:^|;\\s*)${cookieName}=([\\w-]{43})(?:;|$)`);

/** The session token of a `Cookie` header, or null where there is none that could be ours. */
export function sessionTokenOf(cookie: string | undefined): string | null {
  return cookieForm.exec(cookie ?? '')?.[1] ?? null;
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

/** `Set-Cookie` of a session; one set over https is sent over https only. */
export function sessionCookie(token: string, options: { readonly isSecure: boolean }): string {
  return `${cookieName}=${token}; Path=/; HttpOnly; SameSite=Lax${options.isSecure ? '; Secure' : ''}`;
}
