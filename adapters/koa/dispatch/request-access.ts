import type { Context } from 'koa';
import type { Billing } from '../../../lib/billing.ts';
import type { Logger, SystemClock } from '../../../lib/ports/index.ts';
import { type Principal, PrincipalKind, type TenantRef } from '../../../lib/records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import { GATEWAY_NOTIFICATION_RATE, SESSION_IDLE_MS } from '../../../lib/values/limits.ts';
import { authenticator, type Caller, type Presented, type TokenOptions } from '../auth/authenticator.ts';
import {
  basicCredentials,
  type Credentials,
  checkPermission,
  hasSessionCookie,
  offersBearer,
  type Scheme,
  sessionTokenOf,
  setSessionCookie,
} from '../auth/credentials.ts';
import { type Dialect, type HeaderFamilies, headerFamilies } from '../dialect.ts';
import { type BaseUrlOptions, baseUrls, clientAddresses } from '../request/addresses.ts';
import { notificationRate, type RequestRates, rateLimit } from '../request/rate-limit.ts';
import { PLUGIN, plainPath, withoutTrailingSlash } from '../routing/path.ts';
import type { RequestLogin, RequestTokens, Route, SignedIn } from '../routing/route.ts';
import type { TestMode } from '../test-mode.ts';

export interface AccessOptions extends BaseUrlOptions {
  readonly billing: Billing;
  readonly logger: Logger;
  /** Clock that measures the age of verified credentials. Defaults to the process clock. */
  readonly systemClock?: Pick<SystemClock, 'nowMs'>;
  /**
   * Header prefixes that are accepted in place of `X-Service-` (`server.headers.aliasPrefixes`). Defaults to
   * `X-Killbill-`.
   */
  readonly aliasPrefixes?: readonly string[] | undefined;
  readonly tokens?: TokenOptions;
  /**
   * If true, locks users out after failed logins (`security.lockout`). Defaults to false in test mode and to true
   * otherwise.
   */
  readonly lockOut?: boolean | undefined;
  /** Idle timeout of a session (`rbac.globalSessionTimeout`). Defaults to one hour. */
  readonly sessionIdleMs?: number | undefined;
  /**
   * Maximum number of requests per second (`server.limits.rate.…`). Unlimited by default, except that a tenant's
   * gateway is limited to 20.
   */
  readonly rates?: Partial<RequestRates>;
  /** If this option is present, the server runs in test mode (platform §14). */
  readonly test?: TestMode | undefined;
}

/** The authenticated parties of a request. A field is null if the route does not require that party. */
export interface Access {
  readonly caller: Caller | null;
  readonly tenant: TenantRef | null;
}

/** Authenticates requests and limits their rate (http-api §5). */
export function requestAccess(options: AccessOptions) {
  const { billing, logger, systemClock: clock = { nowMs: () => performance.now() } } = options;
  const rates = { gateways: GATEWAY_NOTIFICATION_RATE, ...options.rates };
  const limit = rateLimit(rates, () => clock.nowMs());
  // Gateway notifications are counted separately, because a caller can invent any number of tenants and gateways.
  const countNotifications = notificationRate(rates, () => clock.nowMs());
  const families = headerFamilies(options.aliasPrefixes);
  const callers = authenticator({
    billing,
    clock,
    logger,
    families,
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
    if (route?.withoutChallenge || isFromPage(ctx, families)) return 'NONE';
    const credentials = route?.credentials ?? credentialsOf(ctx);
    if (credentials === 'PLUGIN') return 'BEARER';
    return credentials !== 'LOGIN' && offersBearer(ctx.headers.authorization) ? 'BEARER' : 'BASIC';
  }

  /** Authenticates the caller and the tenant, then counts the request toward both rate limits. */
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
    if (caller.by === 'COOKIE' && !safeMethods.has(ctx.method)) checkSentByScript(ctx, families);
    const { kind, name } = caller.principal;
    const needsTenant = credentials !== 'USER' && credentials !== 'LOGIN';
    const tenant = needsTenant ? await callers.tenant(presented, caller, dialect) : null;
    limit([
      { kind: 'principal', name: `${kind}/${name}` },
      ...(tenant === null ? [] : [{ kind: 'tenant', name: tenant.id } as const]),
    ]);
    return { caller, tenant };
  }

  function callerOf(presented: Presented, credentials: Route['credentials']): Promise<Caller> {
    switch (credentials) {
      case 'LOGIN':
        return callers.user(presented).then((principal) => ({ principal, by: 'BASIC', session: null }));
      case 'PLUGIN':
        return callers.bearer(presented).then((principal) => ({ principal, by: 'BEARER', session: null }));
      default:
        return callers.caller(presented);
    }
  }

  /** Starts a session for a Basic login that has no session. The response sets the session cookie. */
  async function withSession(ctx: Context, caller: Caller): Promise<Caller> {
    if (caller.by !== 'BASIC') return caller;
    const { principal } = caller;
    const known = await callers.sessionOf(principal, sessionTokenOf(ctx));
    if (known !== null) return { ...caller, session: known };
    const session = await callers.startSession(principal, addressOf(ctx.req));
    setSessionCookie(ctx, { token: session.token, isSecure: isSecure(ctx), path: '/', sameSite: 'lax' });
    return { ...caller, session };
  }

  function isSecure(ctx: Context): boolean {
    return baseUrlOf(ctx).origin.startsWith('https:');
  }

  /** Sets or removes the cookie of a session that a page started. Pages of other sites cannot send this cookie. */
  function setPageCookie(ctx: Context, token: string | null): void {
    const path = baseUrlOf(ctx).path || '/';
    setSessionCookie(ctx, { token, isSecure: isSecure(ctx), path, sameSite: 'strict' });
  }

  async function signIn(ctx: Context, credentials: Credentials): Promise<SignedIn> {
    checkSentByScript(ctx, families);
    const address = addressOf(ctx.req);
    const user = await callers.login(PrincipalKind.USER, credentials, address);
    if (user === null)
      throw unauthenticatedError('The user name or the password is wrong, or the user is inactive');
    const replaced = sessionTokenOf(ctx);
    if (replaced !== null) await callers.endSession(replaced);
    const session = await callers.startSession(user, address);
    setPageCookie(ctx, session.token);
    return { user, session };
  }

  async function signOut(ctx: Context, { session }: Pick<Caller, 'session'>): Promise<void> {
    if (session === null) return;
    await callers.endSession(session.token);
    setPageCookie(ctx, null);
  }

  /** Counts an unauthenticated notification toward the limit of the tenant and gateway in its path. */
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
      signIn: (credentials) => signIn(ctx, credentials),
      signOut: () => signOut(ctx, { session: caller?.session ?? null }),
      authenticate: (kind, credentials) => callers.login(kind, credentials, addressOf(ctx.req)),
    };
  }

  return { credentialsOf, schemeOf, authenticate, withSession, countNotification, tokensOf, loginOf };
}

/**
 * Checks that the caller has the permission for a route.
 * @throws BillingError SECURITY_NOT_ENOUGH_PERMISSIONS if not.
 */
export function checkRoutePermission(
  principal: Principal,
  { permission, alsoNeeds = [], orSelf }: Pick<Route, 'permission' | 'alsoNeeds' | 'orSelf'>,
  params: Readonly<Record<string, string | undefined>>,
): void {
  if (permission === 'NONE') return;
  if (orSelf && principal.kind === PrincipalKind.USER && params.username === principal.name) return;
  for (const needed of [permission, ...alsoNeeds]) checkPermission(principal, needed);
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Header that marks calls from a page. Pages of other origins cannot send it without CORS. */
const pageHeader = 'x-requested-with';

/**
 * Checks that the request has a header that forms and links cannot send (http-api §5 rule 5). Pages of other origins
 * can send such a header only if CORS allows it.
 * @throws BillingError UNAUTHENTICATED.
 */
function checkSentByScript({ headers }: Pick<Context, 'headers'>, families: HeaderFamilies): void {
  if (headers[pageHeader] !== undefined || families.isPresent(headers)) return;
  throw unauthenticatedError(
    'A call with a session cookie that changes anything, and a sign-in, needs the header X-Requested-With or a header X-Service-…',
  );
}

/** Returns true if a page made the call without an `Authorization` header. The page's session may have ended. */
function isFromPage(ctx: Context, families: HeaderFamilies): boolean {
  const { headers } = ctx;
  if (headers.authorization !== undefined) return false;
  const isWithoutSecret = families.header(headers, 'ApiSecret') === undefined;
  return (
    hasSessionCookie(ctx) ||
    headers[pageHeader] !== undefined ||
    (isWithoutSecret && families.header(headers, 'ApiKey') !== undefined)
  );
}

function unauthenticatedError(message: string): BillingError {
  return billingError(ErrorCode.UNAUTHENTICATED, message);
}
