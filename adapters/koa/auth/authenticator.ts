import type { IncomingHttpHeaders } from 'node:http';
import type { Billing } from '../../../lib/billing.ts';
import type { TenantRef } from '../../../lib/context.ts';
import { BillingError, ErrorCode } from '../../../lib/errors/index.ts';
import { TOKEN_CLOCK_TOLERANCE_MS } from '../../../lib/limits.ts';
import type { Logger, SystemClock } from '../../../lib/ports/index.ts';
import { type Principal, PrincipalKind } from '../../../lib/security/model.ts';
import { normalisePermissions } from '../../../lib/security/permissions.ts';
import { isGranted } from '../../../lib/security/tenant-grants.ts';
import { type Dialect, headerPrefixOf } from '../dialect.ts';
import { familyHeader } from '../request/header-families.ts';
import { type AccessTokenOptions, AccessTokens, type TokenSubject } from './access-tokens.ts';
import { basicCredentials } from './basic-credentials.ts';
import { bearerToken, offersBearer } from './bearer-token.ts';
import { type ForeignSubject, type KeySetFetch, type TokenIssuer, TokenIssuers } from './token-issuers.ts';
import { tokenRefused } from './token-refusal.ts';
import { VerifiedCache } from './verified-cache.ts';

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
  readonly tokens: TokenOptions;
}

type Verified =
  | { readonly own: TokenSubject; readonly foreign?: never }
  | { readonly foreign: ForeignSubject; readonly own?: never };

/** Checks who calls and for which tenant (http-api.md §5, platform.md §6 and §7). */
export class Authenticator {
  readonly tokens: AccessTokens;
  readonly #billing: Surroundings['billing'];
  readonly #issuers: TokenIssuers;
  readonly #users: VerifiedCache<true>;
  readonly #tenants: VerifiedCache<TenantRef>;
  readonly #verified: VerifiedCache<Verified>;

  constructor({ billing, clock, logger, tokens }: Surroundings) {
    const { tokenKeys } = billing.security;
    this.#billing = billing;
    this.tokens = new AccessTokens(tokenKeys, tokens);
    this.#issuers = new TokenIssuers(tokens.issuers ?? [], {
      nowMs: () => tokenKeys.nowMs(),
      logger,
      fetch: tokens.fetch,
    });
    this.#users = new VerifiedCache(clock);
    this.#tenants = new VerifiedCache(clock);
    this.#verified = new VerifiedCache(clock);
  }

  /**
   * Who calls, by bearer token, else by name and password; a bad token is not followed by the next.
   * @throws BillingError UNAUTHENTICATED.
   */
  async caller(headers: IncomingHttpHeaders): Promise<Principal> {
    return offersBearer(headers.authorization) ? this.bearer(headers) : this.user(headers);
  }

  /** The user behind `Authorization: Basic`. @throws BillingError UNAUTHENTICATED, the same for every reason. */
  async user(headers: IncomingHttpHeaders): Promise<Principal> {
    const credentials = basicCredentials(headers.authorization);
    if (credentials === null) throw unauthenticated();
    const { name, secret } = credentials;
    const { security } = this.#billing;
    const user = await security.principal(PrincipalKind.USER, name);
    const version = user?.credentialVersion ?? 0;
    const isVerified = await this.#users.get({ kind: 'user', name, secret, version }, async () =>
      (await security.authenticate(name, secret)) === null ? null : true,
    );
    if (isVerified === null || user === null) throw unauthenticated();
    return user;
  }

  /** The subject of `Authorization: Bearer`. @throws BillingError UNAUTHENTICATED for any defect of the token. */
  async bearer(headers: IncomingHttpHeaders): Promise<Principal> {
    const token = bearerToken(headers.authorization);
    if (token === null) throw tokenRefused('it is missing or malformed');
    const key = { kind: 'token', name: '', secret: token, version: 0 } as const;
    const verified = await this.#verified.get(key, () => this.#verify(token));
    if (verified === null) throw tokenRefused('it is missing or malformed');
    return verified.own ? this.#ownSubject(verified.own) : this.#foreignSubject(verified.foreign);
  }

  /**
   * The tenant of the API key and secret, if the caller may use it.
   * @throws BillingError TENANT_UNAUTHENTICATED for a missing or wrong pair and for a tenant that is not granted.
   */
  async tenant(headers: IncomingHttpHeaders, caller: Principal, dialect: Dialect): Promise<TenantRef> {
    const name = familyHeader(headers, 'ApiKey') ?? '';
    const secret = familyHeader(headers, 'ApiSecret') ?? '';
    if (name === '' || secret === '') throw tenantUnauthenticated(dialect);
    const tenant = await this.#tenants.get({ kind: 'tenant', name, secret, version: 0 }, () =>
      this.#billing.tenants.authenticate(name, secret),
    );
    if (tenant === null || !isGranted(caller, tenant.id)) throw tenantUnauthenticated(dialect);
    return tenant;
  }

  async #verify(token: string): Promise<Verified> {
    const { decodeJwt, errors } = await import('jose');
    try {
      const { iss } = decodeJwt(token);
      const issuer = iss === undefined ? null : this.#issuers.find(iss);
      if (issuer !== null) return { foreign: await issuer.verify(token) };
    } catch (error) {
      if (error instanceof errors.JOSEError) throw tokenRefused('it is no signed JWT');
      throw error;
    }
    return { own: await this.tokens.verify(token) };
  }

  /** The subject as it is now: a token ends with the credential that it was issued for. */
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

  /** A token that was verified a minute ago may have expired since. */
  #checkExpiry(expiresMs: number): void {
    if (this.#billing.security.tokenKeys.nowMs() >= expiresMs + TOKEN_CLOCK_TOLERANCE_MS)
      throw tokenRefused('it has expired');
  }
}

/** @throws BillingError UNAUTHENTICATED: what is claimed must be permissions. */
function claimedPermissions(claimed: readonly string[]): readonly string[] {
  try {
    return normalisePermissions(claimed);
  } catch (error) {
    throw tokenRefused('it claims what is no permission', error);
  }
}

function unauthenticated(): BillingError {
  return new BillingError({
    code: ErrorCode.UNAUTHENTICATED,
    message: 'User name and password are needed (Authorization: Basic), and must be those of an active user',
  });
}

function tenantUnauthenticated(dialect: Dialect): BillingError {
  const prefix = headerPrefixOf[dialect];
  return new BillingError({
    code: ErrorCode.TENANT_UNAUTHENTICATED,
    message: `${prefix}ApiKey and ${prefix}ApiSecret must name a tenant that the user may use`,
  });
}
