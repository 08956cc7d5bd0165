import type { IncomingHttpHeaders } from 'node:http';
import type { Billing } from '../../../lib/billing.ts';
import type { TenantRef } from '../../../lib/context.ts';
import { BillingError, ErrorCode } from '../../../lib/errors/index.ts';
import type { SystemClock } from '../../../lib/ports/index.ts';
import type { User } from '../../../lib/security/model.ts';
import { type Dialect, headerPrefixOf } from '../dialect.ts';
import { familyHeader } from '../request/header-families.ts';
import { basicCredentials } from './basic-credentials.ts';
import { VerifiedCache } from './verified-cache.ts';

/** The challenge that goes with a missing or wrong user. */
export const basicChallenge = 'Basic realm="service"';

/** Checks who calls and for which tenant (http-api.md §5, platform.md §6). */
export class Authenticator {
  readonly #billing: Pick<Billing, 'security' | 'tenants'>;
  readonly #users: VerifiedCache<true>;
  readonly #tenants: VerifiedCache<TenantRef>;

  constructor(billing: Pick<Billing, 'security' | 'tenants'>, clock: Pick<SystemClock, 'nowMs'>) {
    this.#billing = billing;
    this.#users = new VerifiedCache(clock);
    this.#tenants = new VerifiedCache(clock);
  }

  /** The user behind `Authorization: Basic`. @throws BillingError UNAUTHENTICATED, the same for every reason. */
  async user(headers: IncomingHttpHeaders): Promise<User> {
    const credentials = basicCredentials(headers.authorization);
    if (credentials === null) throw unauthenticated();
    const { name, secret } = credentials;
    const { security } = this.#billing;
    // The row is read at each call: a change of password, roles or grants holds at once on every node.
    const user = await security.find(name);
    const version = user?.credentialVersion ?? 0;
    const isVerified = await this.#users.get({ kind: 'user', name, secret, version }, async () =>
      (await security.authenticate(name, secret)) === null ? null : true,
    );
    if (isVerified === null || user === null || !user.isActive) throw unauthenticated();
    return user;
  }

  /**
   * The tenant of the API key and secret, if the user may use it.
   * @throws BillingError TENANT_UNAUTHENTICATED for a missing or wrong pair and for a tenant that is not granted.
   */
  async tenant(headers: IncomingHttpHeaders, user: User, dialect: Dialect): Promise<TenantRef> {
    const name = familyHeader(headers, 'ApiKey') ?? '';
    const secret = familyHeader(headers, 'ApiSecret') ?? '';
    if (name === '' || secret === '') throw tenantUnauthenticated(dialect);
    const tenant = await this.#tenants.get({ kind: 'tenant', name, secret, version: 0 }, () =>
      this.#billing.tenants.authenticate(name, secret),
    );
    if (tenant === null || !isGranted(user)) throw tenantUnauthenticated(dialect);
    return tenant;
  }
}

/** Whether the user may use a tenant (http-api.md §5 rule 3); without all of them a user has none in this version. */
function isGranted(user: User): boolean {
  return user.allTenants;
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
