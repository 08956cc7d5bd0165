import type { Context } from 'koa';
import type { Billing } from '../../../lib/billing.ts';
import type { Logger, SystemClock } from '../../../lib/ports/index.ts';
import { type Principal, PrincipalKind, type TenantRef } from '../../../lib/records/index.ts';
import { GATEWAY_NOTIFICATION_RATE, SESSION_IDLE_MS } from '../../../lib/values/limits.ts';
import { authenticator, type Caller, type Presented, type TokenOptions } from '../auth/authenticator.ts';
import {
  basicCredentials,
  checkPermission,
  offersBearer,
  type Scheme,
  sessionTokenOf,
  setSessionCookie,
} from '../auth/credentials.ts';
import { type Dialect, headerFamilies } from '../dialect.ts';
import { type BaseUrlOptions, baseUrls, clientAddresses } from '../request/addresses.ts';
import { notificationRate, type RequestRates, rateLimit } from '../request/rate-limit.ts';
import { PLUGIN, plainPath, withoutTrailingSlash } from '../routing/path.ts';
import type { RequestLogin, RequestTokens, Route } from '../routing/route.ts';
import type { TestMode } from '../test-mode.ts';

export interface AccessOptions extends BaseUrlOptions {
  readonly billing: Billing;
  readonly logger: Logger;
  /** Measures the age of verified credentials; defaults to the process clock. */
  readonly systemClock?: Pick<SystemClock, 'nowMs'>;
  /** Header prefixes accepted like `X-Service-`; defaults to `X-Killbill-` (`server.headers.aliasPrefixes`). */
  readonly aliasPrefixes?: readonly string[] | undefined;
  readonly tokens?: TokenOptions;
  /** Lock-out after failed logins; defaults to true, in test mode false (`security.lockout`). */
  readonly lockOut?: boolean | undefined;
  /** Idle timeout of a session; default one hour (`rbac.globalSessionTimeout`). */
  readonly sessionIdleMs?: number | undefined;
  /** Requests per second; default unlimited, 20 for a tenant's gateway (`server.limits.rate.…`). */
  readonly rates?: Partial<RequestRates>;
  /** If present, the server runs in test mode (platform §14). */
  readonly test?: TestMode | undefined;
}

/** Access of a request. A member is null if the route does not require it. */
export interface Access {
  readonly caller: Caller | null;
  readonly tenant: TenantRef | null;
}

/** Authenticates and rate-limits requests (http-api §5). */
export function requestAccess(options: AccessOptions) {
  const { billing, logger, systemClock: clock = { nowMs: () => performance.now() } } = options;
  const rates = { gateways: GATEWAY_NOTIFICATION_RATE, ...options.rates };
  const limit = rateLimit(rates, () => clock.nowMs());
  // Counted separately, because any caller can name any number of tenants and gateways.
  const countNotifications = notificationRate(rates, () => clock.nowMs());
  const callers = authenticator({
    billing,
    clock,
    logger,
    families: headerFamilies(options.aliasPrefixes),
    tokens: options.tokens ?? {},
    lockOut: options.lockOut ?? options.test === undefined,
    sessionIdleMs: options.sessionIdleMs ?? SESSION_IDLE_MS,
  });
  const { tokens, sessionIdleMs } = callers;
  // An issuer is always a full URL.
  const baseUrlOf = baseUrls({ ...options, locationFullUrl: true });
  const addressOf = clientAddresses(options.trustedProxies ?? []);
  const pluginPrefix = `${withoutTrailingSlash(options.basePath ?? '')}${PLUGIN}/`;

  /** Returns the credentials that an unknown path requires. */
  function credentialsOf(ctx: Context): Route['credentials'] {
    return plainPath(ctx.path).startsWith(pluginPrefix) ? 'PLUGIN' : 'USER';
  }

  function schemeOf(ctx: Context, route: Route | undefined): Scheme {
    const credentials = route?.credentials ?? credentialsOf(ctx);
    if (credentials === 'PLUGIN') return 'BEARER';
    return credentials !== 'LOGIN' && offersBearer(ctx.headers.authorization) ? 'BEARER' : 'BASIC';
  }

  /** Authenticates the caller and the tenant, and counts the request against both rate limits. */
  async function authenticate(
    ctx: Context,
    credentials: Route['credentials'],
    dialect: Dialect,
  ): Promise<Access> {
    if (credentials === 'NONE' || credentials === 'SIGNATURE') return { caller: null, tenant: null };
    const presented = {
      headers: ctx.headers,
      sessionToken: sessionTokenOf(ctx),
      address: addressOf(ctx.req),
    };
    const caller = await callerOf(presented, credentials);
    const { kind, name } = caller.principal;
    const needsTenant = credentials !== 'USER' && credentials !== 'LOGIN';
    const tenant = needsTenant ? await callers.tenant(presented, caller.principal, dialect) : null;
    limit([
      { kind: 'principal', name: `${kind}/${name}` },
      ...(tenant === null ? [] : [{ kind: 'tenant', name: tenant.id } as const]),
    ]);
    return { caller, tenant };
  }

  async function callerOf(presented: Presented, credentials: Route['credentials']): Promise<Caller> {
    switch (credentials) {
      case 'LOGIN':
        return { principal: await callers.user(presented), by: 'BASIC', session: null };
      case 'PLUGIN':
        return { principal: await callers.bearer(presented), by: 'BEARER', session: null };
      default:
        return callers.caller(presented);
    }
  }

  /** Starts a session for a Basic login that has none. The response sets the session cookie. */
  async function withSession(ctx: Context, caller: Caller): Promise<Caller> {
    if (caller.by !== 'BASIC') return caller;
    const { principal } = caller;
    const known = await callers.sessionOf(principal, sessionTokenOf(ctx));
    if (known !== null) return { ...caller, session: known };
    const session = await callers.startSession(principal, addressOf(ctx.req));
    setSessionCookie(ctx, session.token, baseUrlOf(ctx).origin.startsWith('https:'));
    return { ...caller, session };
  }

  /** Counts an unauthenticated notification by the tenant and gateway in its path. */
  function countNotification<T>(ctx: Context, take: (verified: () => void) => Promise<T>): Promise<T> {
    return countNotifications(JSON.stringify(ctx.params), take);
  }

  function tokensOf(ctx: Context): RequestTokens {
    const baseUrl = (): string => {
      const { origin, path } = baseUrlOf(ctx);
      return origin + path;
    };
    return {
      baseUrl,
      basePath: () => baseUrlOf(ctx).path,
      issuer: () => tokens.issuerAt(baseUrl()),
      issue: (principal) => tokens.issue(principal, baseUrl()),
      keySet: tokens.keySet,
    };
  }

  function loginOf(ctx: Context, caller: Caller | null): RequestLogin {
    return {
      basic: () => basicCredentials(ctx.headers.authorization),
      session: caller?.session ?? null,
      sessionIdleMs,
      authenticate: (kind, credentials) => callers.login(kind, credentials, addressOf(ctx.req)),
    };
  }

  return { credentialsOf, schemeOf, authenticate, withSession, countNotification, tokensOf, loginOf };
}

/** Checks the permission of a route. @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS. */
export function checkRoutePermission(
  principal: Principal,
  { permission, alsoNeeds = [], orSelf }: Pick<Route, 'permission' | 'alsoNeeds' | 'orSelf'>,
  params: Readonly<Record<string, string | undefined>>,
): void {
  if (permission === 'NONE') return;
  if (orSelf && principal.kind === PrincipalKind.USER && params.username === principal.name) return;
  for (const needed of [permission, ...alsoNeeds]) checkPermission(principal, needed);
}
