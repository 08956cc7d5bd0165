import type { IncomingHttpHeaders } from 'node:http';
import type { Billing } from '../../../lib/billing.ts';
import type { Logger, SystemClock } from '../../../lib/ports/index.ts';
import {
  type LoginSession,
  type Principal,
  PrincipalKind,
  type TenantRef,
} from '../../../lib/records/index.ts';
import {
  isGranted,
  type LoginAttempt,
  normalisePermissions,
  tenantsOfSession,
} from '../../../lib/security/index.ts';
import { BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { TOKEN_CLOCK_TOLERANCE_MS } from '../../../lib/values/limits.ts';
import { isStorable } from '../../../lib/values/text/index.ts';
import { type Dialect, type HeaderFamilies, headerPrefixOf } from '../dialect.ts';
import { type AccessTokenOptions, accessTokens, type TokenSubject, tokenRefused } from './access-tokens.ts';
import {
  basicCredentials,
  bearerToken,
  type Credentials,
  newSessionToken,
  offersBearer,
  sessionTokenHash,
} from './credentials.ts';
import { type ForeignSubject, type KeySetFetch, type TokenIssuer, tokenIssuers } from './token-issuers.ts';
import { verifiedCache } from './verified-cache.ts';

export interface TokenOptions extends AccessTokenOptions {
  /** Other issuers whose tokens are accepted (`security.jwt.issuers`). Defaults to none. */
  readonly issuers?: readonly TokenIssuer[];
  /** Fetches key sets, for example through a proxy. Defaults to the runtime's `fetch`. */
  readonly fetch?: KeySetFetch;
}

interface Surroundings {
  readonly billing: Pick<Billing, 'security' | 'tenants'>;
  readonly clock: Pick<SystemClock, 'nowMs'>;
  readonly logger: Logger;
  readonly families: HeaderFamilies;
  readonly tokens: TokenOptions;
  readonly lockOut: boolean;
  readonly sessionIdleMs: number;
}

/** Unchecked credentials of a request. */
export interface Presented {
  readonly headers: IncomingHttpHeaders;
  /** Value of the session cookie. */
  readonly sessionToken: string | null;
  /** Null if unknown. */
  readonly address: string | null;
}

export interface CallerSession {
  readonly token: string;
  readonly session: Pick<LoginSession, 'startedMs' | 'lastAccessMs' | 'host'>;
}

export interface Caller {
  readonly principal: Principal;
  readonly by: 'BEARER' | 'BASIC' | 'COOKIE';
  readonly session: CallerSession | null;
}

type Verified =
  | { readonly own: TokenSubject; readonly foreign?: never }
  | { readonly foreign: ForeignSubject; readonly own?: never };

/** Authenticates callers and tenants (http-api §5, platform §6 and §7). */
export function authenticator(surroundings: Surroundings) {
  const { clock, logger, families, tokens: tokenOptions, lockOut, sessionIdleMs } = surroundings;
  const { security, tenants } = surroundings.billing;
  const { tokenKeys, sessions } = security;
  const tokens = accessTokens(tokenKeys, tokenOptions);
  const { issuers: given = [], fetch } = tokenOptions;
  const issuers = tokenIssuers(given, { nowMs: () => tokenKeys.nowMs(), logger, fetch });
  const secrets = verifiedCache<true>(clock);
  const knownTenants = verifiedCache<TenantRef>(clock);
  const verifiedTokens = verifiedCache<Verified>(clock);

  /**
   * Authenticates a caller by bearer token, otherwise by Basic credentials, otherwise by session cookie. After an invalid
   * token, tries no other method (platform §6.1).
   */
  async function caller(presented: Presented): Promise<Caller> {
    const { authorization } = presented.headers;
    if (offersBearer(authorization))
      return { principal: await bearer(presented), by: 'BEARER', session: null };
    const token = authorization === undefined ? presented.sessionToken : null;
    if (token === null) return { principal: await user(presented), by: 'BASIC', session: null };
    const found = await findSession(token);
    if (found === null) throw unauthenticatedError();
    return { principal: found.user, by: 'COOKIE', session: { token, session: found.session } };
  }

  async function user({ headers, address }: Presented): Promise<Principal> {
    const credentials = basicCredentials(headers.authorization);
    const found = credentials && (await login(PrincipalKind.USER, credentials, address));
    if (found) return found;
    throw unauthenticatedError();
  }

  /**
   * Returns the active user or client, or null if the login fails.
   * @throws BillingError SECURITY_LOCKED_OUT after too many failed logins.
   */
  async function login(
    kind: 'USER' | 'CLIENT',
    { name, secret }: Credentials,
    address: string | null,
  ): Promise<Principal | null> {
    const isUser = kind === PrincipalKind.USER;
    const cacheKind = isUser ? 'user' : 'client';
    const principal = await security.principal(kind, name);
    const version = principal?.credentialVersion ?? 0;
    const isRight = await secrets({ kind: cacheKind, name, secret, version }, () =>
      guardAttempt({ kind: cacheKind, name, address }, async () => {
        const found = await (isUser ? security : security.clients).authenticate(name, secret);
        return found === null ? null : true;
      }),
    );
    return isRight ? principal : null;
  }

  /** Returns the session named in the cookie if it belongs to this user. */
  async function sessionOf(principal: Principal, token: string | null): Promise<CallerSession | null> {
    const found = token === null ? null : await findSession(token);
    return token !== null && found?.user.name === principal.name ? { token, session: found.session } : null;
  }

  async function startSession(principal: Principal, host: string | null): Promise<CallerSession> {
    const token = newSessionToken();
    const tokenHash = sessionTokenHash(token);
    return { token, session: await sessions.start(principal, { tokenHash, host, idleMs: sessionIdleMs }) };
  }

  async function endSession(token: string): Promise<void> {
    await sessions.end(sessionTokenHash(token));
  }

  async function bearer({ headers }: Pick<Presented, 'headers'>): Promise<Principal> {
    const token = bearerToken(headers.authorization);
    const key = { kind: 'token', name: '', secret: token ?? '', version: 0 } as const;
    const verified = token === null ? null : await verifiedTokens(key, () => verify(token));
    if (verified === null) throw tokenRefused('it is missing or malformed');
    return verified.own ? ownSubject(verified.own) : foreignSubject(verified.foreign);
  }

  /**
   * Returns the tenant of the API key.
   * @throws BillingError TENANT_UNAUTHENTICATED for a wrong key or secret, or if the caller has no access to the
   * tenant.
   */
  async function tenant(
    { headers, address }: Presented,
    { principal, by }: Pick<Caller, 'principal' | 'by'>,
    dialect: Dialect,
  ): Promise<TenantRef> {
    const name = families.header(headers, 'ApiKey') ?? '';
    const secret = families.header(headers, 'ApiSecret') ?? '';
    if (secret === '' && by === 'COOKIE') return tenantOfSession(name, principal, dialect);
    if (name === '' || secret === '') throw tenantUnauthenticated(dialect);
    const found = await knownTenants({ kind: 'tenant', name, secret, version: 0 }, () =>
      guardAttempt({ kind: 'tenant', name, address }, () => tenants.authenticate(name, secret)),
    );
    if (found === null || !isGranted(principal, found.id)) throw tenantUnauthenticated(dialect);
    return found;
  }

  /**
   * Returns the tenant of an API key that was sent without its secret (platform §6.2 rule 4). The key must be in a
   * header, because pages of other origins cannot send such a header.
   * @throws BillingError TENANT_UNAUTHENTICATED.
   */
  async function tenantOfSession(name: string, principal: Principal, dialect: Dialect): Promise<TenantRef> {
    const key = { kind: 'tenant', name, secret: '', version: 0 } as const;
    const found = await knownTenants(key, () => tenantOfKey(name));
    const allowed = tenantsOfSession(principal);
    if (found !== null && (allowed === null || allowed.includes(found.id))) return found;
    throw tenantUnauthenticated(dialect);
  }

  async function tenantOfKey(apiKey: string): Promise<TenantRef | null> {
    if (apiKey === '' || !isStorable(apiKey)) return null;
    try {
      return await tenants.refOf((await tenants.getByApiKey(apiKey)).id);
    } catch (error) {
      if (error instanceof BillingError && error.code === ErrorCode.TENANT_DOES_NOT_EXIST_FOR_API_KEY)
        return null;
      throw error;
    }
  }

  /**
   * Counts a login attempt only if the slow hash check runs. Credentials that were verified recently are therefore
   * never locked out.
   */
  function guardAttempt<T>(attempt: LoginAttempt, check: () => Promise<T | null>): Promise<T | null> {
    return lockOut ? security.guard.attempt(attempt, check) : check();
  }

  function findSession(token: string) {
    return sessions.find(sessionTokenHash(token), sessionIdleMs);
  }

  async function verify(token: string): Promise<Verified> {
    const { decodeJwt, errors } = await import('jose');
    try {
      const { iss } = decodeJwt(token);
      const verifyForeign = iss === undefined ? undefined : issuers.get(iss);
      if (verifyForeign !== undefined) return { foreign: await verifyForeign(token) };
    } catch (error) {
      if (error instanceof errors.JOSEError) throw tokenRefused('it is not a signed JWT');
      throw error;
    }
    return { own: await tokens.verify(token) };
  }

  /**
   * Loads the current subject of a token. A token becomes invalid when the credentials for which it was issued change.
   */
  async function ownSubject(subject: TokenSubject): Promise<Principal> {
    checkExpiry(subject.expiresMs);
    const principal = await security.principal(subject.kind, subject.name);
    if (principal?.credentialVersion === subject.credentialVersion) return principal;
    throw tokenRefused('its subject is inactive or has changed credentials');
  }

  async function foreignSubject(subject: ForeignSubject): Promise<Principal> {
    checkExpiry(subject.expiresMs);
    const { name, permissions, tenants: claimed } = subject;
    const local = claimed === null ? await security.principal(PrincipalKind.USER, name) : null;
    return {
      kind: PrincipalKind.EXTERNAL,
      name,
      credentialVersion: 0,
      permissions:
        permissions === null ? await security.permissionsOf(subject.roles) : claimedPermissions(permissions),
      allTenants: claimed === '*' || (local?.allTenants ?? false),
      tenantIds: claimed === '*' ? [] : (claimed ?? local?.tenantIds ?? []),
    };
  }

  /** Checks that a token has not expired. A cached token may have expired since it was verified. */
  function checkExpiry(expiresMs: number): void {
    if (tokenKeys.nowMs() >= expiresMs + TOKEN_CLOCK_TOLERANCE_MS) throw tokenRefused('it has expired');
  }

  return { tokens, sessionIdleMs, caller, user, login, sessionOf, startSession, endSession, bearer, tenant };
}

function claimedPermissions(claimed: readonly string[]): readonly string[] {
  try {
    return normalisePermissions(claimed);
  } catch (error) {
    throw tokenRefused('it contains an invalid permission', error);
  }
}

function unauthenticatedError(): BillingError {
  return billingError(
    ErrorCode.UNAUTHENTICATED,
    'The user name and password of an active user are required (Authorization: Basic)',
  );
}

function tenantUnauthenticated(dialect: Dialect): BillingError {
  const prefix = headerPrefixOf[dialect];
  return billingError(
    ErrorCode.TENANT_UNAUTHENTICATED,
    `${prefix}ApiKey and ${prefix}ApiSecret must identify a tenant that the user can access`,
  );
}
