import type { IncomingHttpHeaders } from 'node:http';
import type { Billing } from '../../../lib/billing.ts';
import type { Logger, SystemClock } from '../../../lib/ports/index.ts';
import {
  type LoginSession,
  type Principal,
  PrincipalKind,
  type TenantRef,
} from '../../../lib/records/index.ts';
import { isGranted, type LoginAttempt, normalisePermissions } from '../../../lib/security/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { TOKEN_CLOCK_TOLERANCE_MS } from '../../../lib/values/limits.ts';
import { type Dialect, type HeaderFamilies, headerPrefixOf } from '../dialect.ts';
import { type AccessTokenOptions, AccessTokens, type TokenSubject, tokenRefused } from './access-tokens.ts';
import {
  basicCredentials,
  bearerToken,
  type Credentials,
  newSessionToken,
  offersBearer,
  sessionTokenHash,
} from './credentials.ts';
import { type ForeignSubject, type KeySetFetch, type TokenIssuer, tokenIssuers } from './token-issuers.ts';
import { type VerifiedCache, verifiedCache } from './verified-cache.ts';

export interface TokenOptions extends AccessTokenOptions {
  /** Other issuers whose tokens are taken (`security.jwt.issuers`); default none. */
  readonly issuers?: readonly TokenIssuer[];
  /** Fetches their key sets, for hosts with a proxy; default the runtime's own. */
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

/** Credentials of a request, unchecked. */
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
export class Authenticator {
  readonly tokens: AccessTokens;
  readonly sessionIdleMs: number;
  readonly #billing: Surroundings['billing'];
  readonly #families: HeaderFamilies;
  readonly #lockOut: boolean;
  readonly #issuers: ReturnType<typeof tokenIssuers>;
  readonly #secrets: VerifiedCache<true>;
  readonly #tenants: VerifiedCache<TenantRef>;
  readonly #verified: VerifiedCache<Verified>;

  constructor({ billing, clock, logger, families, tokens, lockOut, sessionIdleMs }: Surroundings) {
    const { tokenKeys } = billing.security;
    this.#billing = billing;
    this.#families = families;
    this.#lockOut = lockOut;
    this.sessionIdleMs = sessionIdleMs;
    this.tokens = new AccessTokens(tokenKeys, tokens);
    this.#issuers = tokenIssuers(tokens.issuers ?? [], {
      nowMs: () => tokenKeys.nowMs(),
      logger,
      fetch: tokens.fetch,
    });
    this.#secrets = verifiedCache(clock);
    this.#tenants = verifiedCache(clock);
    this.#verified = verifiedCache(clock);
  }

  /** Uses a bearer token, else Basic, else the session cookie. A bad token ends the search (platform §6.1). */
  async caller(presented: Presented): Promise<Caller> {
    const { authorization } = presented.headers;
    if (offersBearer(authorization))
      return { principal: await this.bearer(presented), by: 'BEARER', session: null };
    const token = authorization === undefined ? presented.sessionToken : null;
    if (token === null) return { principal: await this.user(presented), by: 'BASIC', session: null };
    const found = await this.#session(token);
    if (found === null) throw unauthenticated();
    return { principal: found.user, by: 'COOKIE', session: { token, session: found.session } };
  }

  async user({ headers, address }: Presented): Promise<Principal> {
    const credentials = basicCredentials(headers.authorization);
    const user = credentials && (await this.login(PrincipalKind.USER, credentials, address));
    if (user) return user;
    throw unauthenticated();
  }

  /** Returns the active user or client; null for any reason. @throws BillingError SECURITY_LOCKED_OUT. */
  async login(
    kind: 'USER' | 'CLIENT',
    { name, secret }: Credentials,
    address: string | null,
  ): Promise<Principal | null> {
    const { security } = this.#billing;
    const isUser = kind === PrincipalKind.USER;
    const cacheKind = isUser ? 'user' : 'client';
    const principal = await security.principal(kind, name);
    const version = principal?.credentialVersion ?? 0;
    const isRight = await this.#secrets({ kind: cacheKind, name, secret, version }, () =>
      this.#attempt({ kind: cacheKind, name, address }, async () => {
        const found = await (isUser ? security : security.clients).authenticate(name, secret);
        return found === null ? null : true;
      }),
    );
    return isRight ? principal : null;
  }

  /** Returns the session of the cookie if it belongs to this user. */
  async sessionOf(principal: Principal, token: string | null): Promise<CallerSession | null> {
    const found = token === null ? null : await this.#session(token);
    return token !== null && found?.user.name === principal.name ? { token, session: found.session } : null;
  }

  async startSession(principal: Principal, host: string | null): Promise<CallerSession> {
    const { security } = this.#billing;
    const token = newSessionToken();
    const tokenHash = sessionTokenHash(token);
    const session = await security.sessions.start(principal, { tokenHash, host, idleMs: this.sessionIdleMs });
    return { token, session };
  }

  async bearer({ headers }: Pick<Presented, 'headers'>): Promise<Principal> {
    const token = bearerToken(headers.authorization);
    if (token === null) throw tokenRefused('it is missing or malformed');
    const key = { kind: 'token', name: '', secret: token, version: 0 } as const;
    const verified = await this.#verified(key, () => this.#verify(token));
    if (verified === null) throw tokenRefused('it is missing or malformed');
    return verified.own ? this.#ownSubject(verified.own) : this.#foreignSubject(verified.foreign);
  }

  /** Returns the tenant of the API key. @throws BillingError TENANT_UNAUTHENTICATED for a wrong pair or no grant. */
  async tenant({ headers, address }: Presented, caller: Principal, dialect: Dialect): Promise<TenantRef> {
    const name = this.#families.header(headers, 'ApiKey') ?? '';
    const secret = this.#families.header(headers, 'ApiSecret') ?? '';
    if (name === '' || secret === '') throw tenantUnauthenticated(dialect);
    const tenant = await this.#tenants({ kind: 'tenant', name, secret, version: 0 }, () =>
      this.#attempt({ kind: 'tenant', name, address }, () =>
        this.#billing.tenants.authenticate(name, secret),
      ),
    );
    if (tenant === null || !isGranted(caller, tenant.id)) throw tenantUnauthenticated(dialect);
    return tenant;
  }

  /** Only slow hash checks count as attempts, so a recently verified pair is never locked out. */
  async #attempt<T>(attempt: LoginAttempt, check: () => Promise<T | null>): Promise<T | null> {
    return this.#lockOut ? this.#billing.security.guard.attempt(attempt, check) : check();
  }

  async #session(token: string) {
    return this.#billing.security.sessions.find(sessionTokenHash(token), this.sessionIdleMs);
  }

  async #verify(token: string): Promise<Verified> {
    const { decodeJwt, errors } = await import('jose');
    try {
      const { iss } = decodeJwt(token);
      const verify = iss === undefined ? undefined : this.#issuers.get(iss);
      if (verify !== undefined) return { foreign: await verify(token) };
    } catch (error) {
      if (error instanceof errors.JOSEError) throw tokenRefused('it is no signed JWT');
      throw error;
    }
    return { own: await this.tokens.verify(token) };
  }

  /** Reads the current subject: a token ends with the credential it was issued for. */
  async #ownSubject(subject: TokenSubject): Promise<Principal> {
    this.#checkExpiry(subject.expiresMs);
    const principal = await this.#billing.security.principal(subject.kind, subject.name);
    if (principal?.credentialVersion === subject.credentialVersion) return principal;
    throw tokenRefused('its subject is not active, or has other credentials now');
  }

  async #foreignSubject(subject: ForeignSubject): Promise<Principal> {
    this.#checkExpiry(subject.expiresMs);
    const { name, permissions, tenants } = subject;
    const { security } = this.#billing;
    const local = tenants === null ? await security.principal(PrincipalKind.USER, name) : null;
    return {
      kind: PrincipalKind.EXTERNAL,
      name,
      credentialVersion: 0,
      permissions:
        permissions === null ? await security.permissionsOf(subject.roles) : claimedPermissions(permissions),
      allTenants: tenants === '*' || (local?.allTenants ?? false),
      tenantIds: tenants === '*' ? [] : (tenants ?? local?.tenantIds ?? []),
    };
  }

  /** Cached tokens may have expired since their verification. */
  #checkExpiry(expiresMs: number): void {
    if (this.#billing.security.tokenKeys.nowMs() >= expiresMs + TOKEN_CLOCK_TOLERANCE_MS)
      throw tokenRefused('it has expired');
  }
}

function claimedPermissions(claimed: readonly string[]): readonly string[] {
  try {
    return normalisePermissions(claimed);
  } catch (error) {
    throw tokenRefused('it claims what is no permission', error);
  }
}

function unauthenticated(): BillingError {
  return billingError(
    ErrorCode.UNAUTHENTICATED,
    'User name and password are needed (Authorization: Basic), and must be those of an active user',
  );
}

function tenantUnauthenticated(dialect: Dialect): BillingError {
  const prefix = headerPrefixOf[dialect];
  return billingError(
    ErrorCode.TENANT_UNAUTHENTICATED,
    `${prefix}ApiKey and ${prefix}ApiSecret must name a tenant that the user may use`,
  );
}
