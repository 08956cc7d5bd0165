import type { Context } from 'koa';
import type { Billing } from '../../../lib/billing.ts';
import type { Logger, SystemClock } from '../../../lib/ports/index.ts';
import { type Principal, PrincipalKind, type TenantRef } from '../../../lib/records/index.ts';
import { GATEWAY_NOTIFICATION_RATE, SESSION_IDLE_MS } from '../../../lib/values/limits.ts';
import { Authenticator, type Caller, type Presented, type TokenOptions } from '../auth/authenticator.ts';
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
import { NotificationRate, type RateLimit, type RequestRates, rateLimit } from '../request/rate-limit.ts';
import { PLUGIN, plainPath, withoutTrailingSlash } from '../routing/path.ts';
import type { RequestLogin, RequestTokens, Route } from '../routing/route.ts';
import type { TestMode } from '../test-mode.ts';

export interface AccessOptions extends BaseUrlOptions {
  readonly billing: Billing;
  readonly logger: Logger;
  /** Measures the age of verified credentials; default the process clock. */
  readonly systemClock?: Pick<SystemClock, 'nowMs'>;
  /** Header prefixes accepted like `X-Service-`; default `X-Killbill-` (`server.headers.aliasPrefixes`). */
  readonly aliasPrefixes?: readonly string[] | undefined;
  readonly tokens?: TokenOptions;
  /** Lock-out after failed logins; default true, in test mode false (`security.lockout`). */
  readonly lockOut?: boolean | undefined;
  /** Idle timeout of a session; default one hour (`rbac.globalSessionTimeout`). */
  readonly sessionIdleMs?: number | undefined;
  /** Requests per second; default unlimited, 20 for a tenant's gateway (`server.limits.rate.…`). */
  readonly rates?: Partial<RequestRates>;
  /** Present: test mode (platform §14). */
  readonly test?: TestMode | undefined;
}

/** Null if the route does not require it. */
export interface Access {
  readonly caller: Caller | null;
  readonly tenant: TenantRef | null;
}

/** Authenticates and rate-limits requests (http-api §5). */
export class RequestAccess {
  readonly #authenticator: Authenticator;
  readonly #baseUrlOf: ReturnType<typeof baseUrls>;
  readonly #addressOf: ReturnType<typeof clientAddresses>;
  readonly #pluginPrefix: string;
  readonly #rateLimit: RateLimit;
  /** Separate, since anybody can name any number of tenants and gateways. */
  readonly #notificationRate: NotificationRate;

  constructor(options: AccessOptions) {
    const clock = options.systemClock ?? { nowMs: () => performance.now() };
    const rates = { gateways: GATEWAY_NOTIFICATION_RATE, ...options.rates };
    this.#rateLimit = rateLimit(rates, () => clock.nowMs());
    this.#notificationRate = new NotificationRate(rates, () => clock.nowMs());
    this.#authenticator = new Authenticator({
      billing: options.billing,
      clock,
      logger: options.logger,
      families: headerFamilies(options.aliasPrefixes),
      tokens: options.tokens ?? {},
      lockOut: options.lockOut ?? options.test === undefined,
      sessionIdleMs: options.sessionIdleMs ?? SESSION_IDLE_MS,
    });
    // An issuer is always a full URL.
    this.#baseUrlOf = baseUrls({ ...options, locationFullUrl: true });
    this.#addressOf = clientAddresses(options.trustedProxies ?? []);
    this.#pluginPrefix = `${withoutTrailingSlash(options.basePath ?? '')}${PLUGIN}/`;
  }

  /** The credentials that an unknown path requires. */
  credentialsOf(ctx: Context): Route['credentials'] {
    return plainPath(ctx.path).startsWith(this.#pluginPrefix) ? 'PLUGIN' : 'USER';
  }

  schemeOf(ctx: Context, route: Route | undefined): Scheme {
    const credentials = route?.credentials ?? this.credentialsOf(ctx);
    if (credentials === 'PLUGIN') return 'BEARER';
    return credentials !== 'LOGIN' && offersBearer(ctx.headers.authorization) ? 'BEARER' : 'BASIC';
  }

  /** Authenticates the caller and tenant and counts against both rates. */
  async authenticate(ctx: Context, credentials: Route['credentials'], dialect: Dialect): Promise<Access> {
    if (credentials === 'NONE' || credentials === 'SIGNATURE') return { caller: null, tenant: null };
    const presented = this.#presented(ctx);
    const caller = await this.#caller(presented, credentials);
    const needsTenant = credentials !== 'USER' && credentials !== 'LOGIN';
    const tenant = needsTenant
      ? await this.#authenticator.tenant(presented, caller.principal, dialect)
      : null;
    const { kind, name } = caller.principal;
    this.#rateLimit([
      { kind: 'principal', name: `${kind}/${name}` },
      ...(tenant === null ? [] : [{ kind: 'tenant', name: tenant.id } as const]),
    ]);
    return { caller, tenant };
  }

  /** Starts a session for a Basic login without one; the answer sets its cookie. */
  async withSession(ctx: Context, caller: Caller): Promise<Caller> {
    if (caller.by !== 'BASIC') return caller;
    const { principal } = caller;
    const known = await this.#authenticator.sessionOf(principal, sessionTokenOf(ctx));
    if (known !== null) return { ...caller, session: known };
    const session = await this.#authenticator.startSession(principal, this.#addressOf(ctx.req));
    const isSecure = this.#baseUrlOf(ctx).origin.startsWith('https:');
    setSessionCookie(ctx, session.token, { isSecure });
    return { ...caller, session };
  }

  /** Counts an unauthenticated notification by the names in its path. */
  countNotification<T>(ctx: Context, take: (verified: () => void) => Promise<T>): Promise<T> {
    return this.#notificationRate.count(JSON.stringify(ctx.params), take);
  }

  tokensOf(ctx: Context): RequestTokens {
    const { tokens } = this.#authenticator;
    const baseUrl = (): string => {
      const { origin, path } = this.#baseUrlOf(ctx);
      return origin + path;
    };
    return {
      baseUrl,
      basePath: () => this.#baseUrlOf(ctx).path,
      issuer: () => tokens.issuerAt(baseUrl()),
      issue: (principal) => tokens.issue(principal, baseUrl()),
      keySet: () => tokens.keySet(),
    };
  }

  loginOf(ctx: Context, caller: Caller | null): RequestLogin {
    return {
      basic: () => basicCredentials(ctx.headers.authorization),
      session: caller?.session ?? null,
      sessionIdleMs: this.#authenticator.sessionIdleMs,
      authenticate: (kind, credentials) =>
        this.#authenticator.login(kind, credentials, this.#addressOf(ctx.req)),
    };
  }

  async #caller(presented: Presented, credentials: Route['credentials']): Promise<Caller> {
    const authenticator = this.#authenticator;
    switch (credentials) {
      case 'LOGIN':
        return { principal: await authenticator.user(presented), by: 'BASIC', session: null };
      case 'PLUGIN':
        return { principal: await authenticator.bearer(presented), by: 'BEARER', session: null };
      default:
        return authenticator.caller(presented);
    }
  }

  #presented(ctx: Context): Presented {
    return { headers: ctx.headers, sessionToken: sessionTokenOf(ctx), address: this.#addressOf(ctx.req) };
  }
}

/** @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS. */
export function checkRoutePermission(
  principal: Principal,
  { permission, alsoNeeds = [], orSelf }: Pick<Route, 'permission' | 'alsoNeeds' | 'orSelf'>,
  params: Readonly<Record<string, string | undefined>>,
): void {
  if (permission === 'NONE') return;
  if (orSelf && principal.kind === PrincipalKind.USER && params.username === principal.name) return;
  for (const needed of [permission, ...alsoNeeds]) checkPermission(principal, needed);
}
