import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger, RequestSpan } from '../../../lib/index.ts';
import type { TenantRef } from '../../../lib/records/index.ts';
import {
  type BillingError,
  billingError,
  ErrorCode,
  invalidParameter,
} from '../../../lib/values/errors/index.ts';
import { parseUuid } from '../../../lib/values/ids/index.ts';
import { MAX_REQUEST_MS } from '../../../lib/values/limits.ts';
import { shortenText } from '../../../lib/values/text/index.ts';
import type { Caller } from '../auth/authenticator.ts';
import { Dialect, headerFamilies } from '../dialect.ts';
import type { HttpMetrics } from '../monitoring/http-metrics.ts';
import type { ConsolePages } from '../pages/console.ts';
import { homeHeaders } from '../pages/home.ts';
import { baseUrls, clientAddresses } from '../request/addresses.ts';
import { hasUpgradableBody, readBody, readToEnd, streamBody } from '../request/body-bytes.ts';
import {
  authorshipOf,
  crossOrigin,
  negotiatedType,
  type RequestId,
  requestIdOf,
  requireAuthor,
} from '../request/headers.ts';
import { renderAnswer } from '../response/render-answer.ts';
import { errorBodyWithFacts, publicError, renderError } from '../response/render-error.ts';
import { discard, type Rendered, writeRendered } from '../response/rendered.ts';
import { jsonType } from '../routing/answer.ts';
import { type BodyStream, bodyLimit, defaultRequestLimits, type RequestLimits } from '../routing/body.ts';
import { CORE, checkPathText, PLUGIN, plainPath, withoutTrailingSlash } from '../routing/path.ts';
import type { Authorship, Method, RequestFacts, Route } from '../routing/route.ts';
import { keyedRequestOf, type Outcome, runOnce } from './keyed-request.ts';
import { noteRequest } from './note-request.ts';
import { type PathRoutes, pathRouter } from './path-router.ts';
import { type AccessOptions, checkRoutePermission, requestAccess } from './request-access.ts';
import {
  abortOnDisconnect,
  changesNothing,
  clientDisconnectedError,
  lateBody,
  statusOfLateBody,
  statusOfTimeOver,
  statusOfUnwanted,
  timeOver,
  waitsForCompletion,
  withinTime,
} from './time-limits.ts';

export interface DispatcherOptions extends Omit<AccessOptions, 'logger'> {
  readonly routes: readonly Route[];
  /** Logger for failures and, at level debug, for every request. Defaults to the engine's logger. */
  readonly logger?: Logger | undefined;
  /**
   * If true, logs every request at level info, with its path (without the query) and the client's address. Defaults to
   * false.
   */
  readonly accessLog?: boolean | undefined;
  /** Dialect of calls without a dialect header (`server.defaultDialect`). Defaults to D. */
  readonly defaultDialect?: Dialect;
  /** Request limits that differ from the defaults. The header size is set in `listen` instead. */
  readonly limits?: Partial<Omit<RequestLimits, 'header'>>;
  readonly metrics?: HttpMetrics;
  /** Origins whose pages may call the server, or `*` (`server.cors.allowedOrigins`). Defaults to none. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Time limit of a request in milliseconds (`server.limits.requestTime`). Waits for `callCompletion` do not count.
   * Defaults to 60 s.
   */
  readonly requestTimeMs?: number | undefined;
  /** If true, unknown paths return 404. If false (the default), unknown paths are passed on to the host. */
  readonly ownsEveryPath?: boolean;
  /** Returns the HTML page for the root path. By default, the root path has no page. */
  readonly home?: (basePath: string) => string;
  /** Loads the pages at `/console`. Without this option, `/console` is an unknown path. */
  readonly consolePages?: () => Promise<ConsolePages>;
}

interface Received {
  readonly path: string;
  readonly dialect: Dialect;
  readonly requestId: RequestId;
  route?: Route;
  tenant?: TenantRef | null;
  /** The authenticated principal, or the author that the caller names (platform §5.2). */
  principal?: string;
  createdBy?: string | null;
  statusOf?: Readonly<Record<number, number>> | undefined;
}

type SentBody = Pick<RequestFacts, 'bodyBytes' | 'bodyStream'>;

const withoutBody: SentBody = { bodyBytes: undefined };

interface Served {
  readonly received: Received;
  readonly route: Route;
}

interface AuthenticatedCall extends Served {
  readonly caller: Caller | null;
  readonly tenant: TenantRef | null;
}

/**
 * Serves a route table. Finds the route, then checks the user, tenant, grant and permission, in that order (http-api
 * §5).
 */
export function dispatcher(options: DispatcherOptions): Middleware {
  const { billing } = options;
  const logger = billing.requests.logger(options.logger && billing.requests.counting(options.logger));
  const limits = {
    ...defaultRequestLimits,
    bulkBytes: billing.server['usage.bulk.maxBytes'],
    bulkRecords: billing.server['usage.bulk.maxRecords'],
    ...options.limits,
  };
  const basePath = withoutTrailingSlash(options.basePath ?? '');
  const baseUrlOf = baseUrls(options);
  const addressOf = clientAddresses(options.trustedProxies ?? []);
  const access = requestAccess({ ...options, logger });
  const families = headerFamilies(options.aliasPrefixes);
  const setOrigin = crossOrigin(options.allowedOrigins ?? [], families);
  const paging = {
    prefixes: families.prefixes,
    countThreshold: billing.server['server.pagination.countThreshold'],
  };
  const requestTimeMs = options.requestTimeMs ?? MAX_REQUEST_MS;
  const prefixes = [CORE, PLUGIN].map((prefix) => `${basePath}${prefix}/`);
  const requests = new WeakMap<Context, Received>();
  const router = pathRouter(options.routes, { basePath, serve });

  return async (ctx, next) => {
    const path = plainPath(ctx.path);
    if (!(options.ownsEveryPath || isOurs(path))) return next();
    // The router matches this path instead of the original path.
    Object.assign(ctx, { newRouterPath: path });
    const received: Received = {
      path,
      dialect: families.dialectOf(ctx.headers, options.defaultDialect ?? Dialect.D),
      requestId: requestIdOf(ctx.headers, families, () => parseUuid(randomUUID())),
    };
    requests.set(ctx, received);
    ctx.set('X-Request-Id', received.requestId.echo);
    if (setOrigin !== null) await setOrigin(ctx);
    const request = {
      name: ctx.method,
      requestId: received.requestId.echo,
      traceParent: ctx.get('traceparent') || undefined,
    };
    await billing.requests.run(request, (span) => serveRequest(ctx, received, span));
    if (hasUpgradableBody(ctx)) await readToEnd(ctx);
  };

  async function serveRequest(ctx: Context, received: Received, span: RequestSpan): Promise<void> {
    const startedMs = performance.now();
    try {
      checkUrl(ctx, received, limits.url);
      checkHost(ctx);
      checkPathText(ctx.path);
      await router.route(ctx, received.path, () => refuseUnknown(ctx, received));
    } catch (error) {
      await writeRendered(ctx, failure(ctx, received, error).rendered);
    }
    const { method, status } = ctx;
    const { route, dialect, requestId, principal = null, createdBy = null } = received;
    const path = route?.path ?? 'none';
    span.tell({
      name: `${method} ${path}`,
      attributes: {
        'http.request.method': method,
        'http.response.status_code': status,
        ...(route && { 'http.route': path }),
      },
    });
    if (status >= 500) span.fail(`answered ${status}`);
    const elapsedMs = performance.now() - startedMs;
    options.metrics?.observe({ route: path, method, status, dialect, seconds: elapsedMs / 1_000 });
    noteRequest(billing.requests, ctx, { ...received, milliseconds: elapsedMs });
    const operation = route?.operationId ?? null;
    const milliseconds = Math.round(elapsedMs);
    const answered = { method, operation, principal, createdBy, status, dialect, milliseconds };
    const line = { requestId: requestId.echo, ...answered };
    if (options.accessLog) logger.info({ ...line, path: ctx.path, address: addressOf(ctx.req) }, 'request');
    else logger.debug(line, 'request');
  }

  function isOurs(path: string): boolean {
    return (
      prefixes.some((prefix) => path.startsWith(prefix)) ||
      router.knows(path) ||
      (options.consolePages !== undefined && consolePathOf(path, basePath) !== null)
    );
  }

  async function serve(ctx: Context, { byMethod, allow }: PathRoutes): Promise<void> {
    const received = requests.get(ctx);
    if (received === undefined) throw new Error('The request did not come through the dispatcher');
    if (ctx.method === 'OPTIONS') return answerOptions(ctx, allow);
    const route = byMethod.get((ctx.method === 'HEAD' ? 'GET' : ctx.method) as Method);
    if (route === undefined) {
      await access.authenticate(ctx, access.credentialsOf(ctx), received.dialect);
      throw methodNotAllowed(ctx, allow);
    }
    received.route = route;
    received.statusOf = route.statusOf;
    const authenticating = access.authenticate(ctx, route.credentials, received.dialect);
    const { caller, tenant } = await (options.test ? withTestClock(authenticating, route) : authenticating);
    received.tenant = tenant;
    if (caller !== null) {
      received.principal = caller.principal.name;
      checkRoutePermission(caller.principal, route, ctx.params as Record<string, string>);
    }
    if (changesAnything(route) && !billing.isInRotation()) throw outOfRotation();
    await answer(ctx, { received, route, caller, tenant });
  }

  /**
   * Reads the test clock during authentication, because another node may have changed it. Does not read it for health
   * checks, which must not wait for the database.
   */
  async function withTestClock<T>(authenticating: Promise<T>, { credentials }: Route): Promise<T> {
    const reading = credentials === 'NONE' ? undefined : billing.clock.refresh?.();
    const [authenticated] = await Promise.all([authenticating, reading]);
    return authenticated;
  }

  async function answer(ctx: Context, call: AuthenticatedCall): Promise<void> {
    const { received, route, tenant } = call;
    const { dialect, requestId } = received;
    const mediaType = negotiatedType(ctx, route.success);
    const authorship = authorshipOf(ctx.headers, families, dialect);
    received.createdBy = authorship.createdBy;
    if (route.author) requireAuthor(authorship, dialect);
    const sentBody = route.body === undefined ? withoutBody : await bodyOf(ctx, call, route.body);
    const startsSession = route.startsSession && call.caller !== null;
    const caller = startsSession ? await access.withSession(ctx, call.caller) : call.caller;
    const principal = caller?.principal.name ?? '';
    const context =
      tenant === null
        ? null
        : await billing.context({ tenant, ...callerFacts(authorship, requestId, { principal, dialect }) });
    const facts: Omit<RequestFacts, 'wanted'> = {
      billing,
      dialect,
      mediaType,
      authorship,
      userToken: requestId.userToken,
      user: caller?.principal ?? null,
      tokens: access.tokensOf(ctx),
      login: access.loginOf(ctx, caller),
      countNotification: (take) => access.countNotification(ctx, take),
      test: options.test ?? null,
      context,
      rawParams: ctx.params as Readonly<Record<string, string>>,
      sent: { headers: ctx.headers, queryString: ctx.querystring },
      ...sentBody,
      limits,
    };
    const rendered = await inTime(ctx, call, facts);
    if (sentBody.bodyStream !== undefined) await endStream(ctx, sentBody.bodyStream);
    await writeRendered(ctx, rendered);
  }

  /**
   * Runs work with a time limit. When the limit is reached, cancels the work if it changes nothing. If the body has not
   * been read completely, also closes the connection.
   */
  async function inTime(
    ctx: Context,
    call: AuthenticatedCall,
    facts: Omit<RequestFacts, 'wanted'>,
  ): Promise<Rendered> {
    const { received, route, tenant } = call;
    const { bodyBytes, bodyStream } = facts;
    const keyed = keyedRequestOf(ctx, { route, tenant, bodyBytes });
    // A repeated request with the same key may need the stored response.
    const reading = keyed === null ? abortReadOnDisconnect(ctx, call) : null;
    const outcome = () => outcomeOf(ctx, call, { ...facts, wanted: reading?.signal });
    const run = () => (reading === null ? outcome() : billing.requests.whileWanted(reading.signal, outcome));
    const work =
      keyed === null ? run().then(({ rendered }) => rendered) : runOnce(keyed, { billing, logger }, run);
    if (route.testMode || waitsForCompletion(route, ctx.querystring)) return work;
    const over = (): never => {
      received.statusOf = { ...route.statusOf, ...statusOfTimeOver };
      if (bodyStream !== undefined && !ctx.req.readableEnded) ctx.set('Connection', 'close');
      bodyStream?.giveUp();
      reading?.abort(clientDisconnectedError());
      throw timeOver(requestTimeMs, route);
    };
    return await withinTime(requestTimeMs, work, { over, late: discard });
  }

  /** Reads the body. If it arrives too late, closes the connection, because more of the body may follow. */
  async function bodyOf(
    ctx: Context,
    { received, route }: Served,
    body: NonNullable<Route['body']>,
  ): Promise<SentBody> {
    const maxBytes = bodyLimit(body, limits);
    const giveUp = (): void => {
      received.statusOf = { ...route.statusOf, ...statusOfLateBody };
      ctx.set('Connection', 'close');
    };
    if (body.isStreamed) {
      const bodyStream = await streamBody(ctx, body, { maxBytes, onTooSlow: giveUp });
      return { bodyBytes: undefined, bodyStream };
    }
    const over = (): never => {
      giveUp();
      throw lateBody(requestTimeMs);
    };
    const reading = readBody(ctx, body, maxBytes);
    return { bodyBytes: await withinTime(requestTimeMs, reading, { over, late: async () => undefined }) };
  }

  /** Runs the handler and converts its errors to responses. */
  async function outcomeOf(ctx: Context, { received, route }: Served, facts: RequestFacts): Promise<Outcome> {
    try {
      const answer = await route.answer(facts);
      const { mediaType, sent, wanted } = facts;
      const base = baseUrlOf(ctx);
      const place = { path: ctx.path, queryString: sent.queryString };
      const rendered = await renderAnswer({ route, answer, base, mediaType, place, paging, wanted });
      return { rendered, error: null };
    } catch (error) {
      return failure(ctx, received, error);
    }
  }

  /**
   * Rejects an unknown path, but authenticates the caller first, so that nobody can probe routes anonymously (http-api
   * §1 rule 7).
   */
  async function refuseUnknown(ctx: Context, received: Received): Promise<void> {
    if (ctx.method === 'OPTIONS') return answerOptions(ctx, 'GET, HEAD, POST, PUT, DELETE, OPTIONS');
    if (options.home !== undefined && isHome(ctx, basePath)) {
      const body = options.home(access.tokensOf(ctx).basePath());
      return writeRendered(ctx, { status: 200, headers: homeHeaders, body });
    }
    if (options.consolePages !== undefined && isRead(ctx)) {
      const path = consolePathOf(received.path, basePath);
      if (path !== null) return showConsole(ctx, path, options.consolePages);
    }
    await access.authenticate(ctx, access.credentialsOf(ctx), received.dialect);
    throw billingError(ErrorCode.ROUTE_NOT_FOUND, `There is no ${ctx.method} ${shortenText(ctx.path)}`);
  }

  async function showConsole(ctx: Context, path: string, load: () => Promise<ConsolePages>): Promise<void> {
    const pages = await load();
    ctx.set({ ...pages.headers });
    const acceptsHtml = ctx.get('Accept').includes('text/html');
    const basePathOfCaller = access.tokensOf(ctx).basePath();
    const isTestMode = options.test !== undefined;
    const found = await pages.file({ path, basePath: basePathOfCaller, acceptsHtml, isTestMode });
    if ('missing' in found) throw billingError(ErrorCode.ROUTE_NOT_FOUND, found.missing);
    return writeRendered(ctx, found);
  }

  function failure(ctx: Context, received: Received, thrown: unknown): Outcome {
    const { dialect, requestId, route, statusOf } = received;
    const error = publicError(thrown, requestId.echo);
    const scheme = access.schemeOf(ctx, route);
    const withStackTrace = options.test !== undefined && ctx.query.withStackTrace === 'true';
    const bodyOf = route?.errorsWithFacts ? errorBodyWithFacts : route?.errorBody;
    const base = baseUrlOf(ctx);
    const rendered = renderError(error, { dialect, statusOf, withStackTrace, scheme, bodyOf, base });
    if (rendered.status < 500) return { rendered, error };
    const fields = { requestId: requestId.echo, operation: route?.operationId ?? null, code: error.code };
    const refusal = refusalOf(error);
    if (refusal === null) logger.error({ ...fields, err: thrown }, 'request failed');
    else logger.info(fields, refusal);
    return { rendered, error };
  }
}

/** Returns a signal that aborts when the caller disconnects, or null for calls that change something. */
function abortReadOnDisconnect(ctx: Context, { received, route }: Served): AbortController | null {
  if (!changesNothing(route)) return null;
  return abortOnDisconnect(ctx, () => {
    received.statusOf = { ...received.statusOf, ...statusOfUnwanted };
  });
}

/** Closes the connection if the client sends more of the body than the server reads. */
async function endStream(ctx: Context, body: BodyStream): Promise<void> {
  body.giveUp();
  if (ctx.response.get('Connection') !== 'close') await readToEnd(ctx);
}

function methodNotAllowed({ method, path }: Context, allow: string): BillingError {
  const message = `${method} is not supported on ${shortenText(path)}; supported methods: ${allow}`;
  return billingError(ErrorCode.METHOD_NOT_ALLOWED, message, { allow });
}

/** Caller facts for audit rows. */
function callerFacts(
  { createdBy, reason, comment }: Authorship,
  { userToken }: RequestId,
  { principal, dialect }: { readonly principal: string; readonly dialect: Dialect },
) {
  return {
    user: createdBy ?? principal,
    roundsFloatNoise: dialect === Dialect.K,
    principal,
    userToken,
    ...(reason === null ? {} : { reason }),
    ...(comment === null ? {} : { comment }),
  };
}

async function answerOptions(ctx: Context, allow: string): Promise<void> {
  ctx.set('Allow', allow);
  await writeRendered(ctx, { status: 200, headers: { 'Content-Type': jsonType }, body: '' });
}

function changesAnything({ method, outOfRotation }: Route): boolean {
  return method !== 'GET' && outOfRotation !== true;
}

function isRead({ method }: Pick<Context, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

function isHome(ctx: Context, basePath: string): boolean {
  return isRead(ctx) && withoutTrailingSlash(ctx.path) === basePath;
}

/** Returns the part of a path after `/console`, or null if the path does not start with it. */
function consolePathOf(path: string, basePath: string): string | null {
  const root = `${basePath}/console`;
  return path === root || path.startsWith(`${root}/`) ? path.slice(root.length) : null;
}

/**
 * Returns the error for a node that is out of rotation. Read requests still succeed, so that a load balancer can drain
 * the node.
 */
function outOfRotation(): BillingError {
  return billingError(
    ErrorCode.BUSY,
    'This node is out of rotation and did not process the request; send it to another node',
    { isOutOfRotation: true },
  );
}

/** Returns the log message for a request that was deliberately rejected, or null for a failure. */
function refusalOf({ code, facts }: BillingError): string | null {
  if (code === ErrorCode.NOT_IMPLEMENTED) return 'request for an unknown path or method';
  if (facts.isUnwanted === true) return 'request processing stopped because the client disconnected';
  return facts.isOutOfRotation === true ? 'request rejected while out of rotation' : null;
}

function checkUrl(ctx: Context, received: Received, maxBytes: number): void {
  if (ctx.url.length <= maxBytes) return;
  received.statusOf = { [ErrorCode.TOO_LARGE]: 414 };
  throw billingError(ErrorCode.TOO_LARGE, `The URL is longer than ${maxBytes} bytes`);
}

/** Checks the `Host` header. HTTP/1.1 requests without this header are rejected with status 400 (RFC 9112 §3.2). */
function checkHost(ctx: Context): void {
  if (ctx.req.httpVersion !== '1.1' || ctx.req.headers.host !== undefined) return;
  throw invalidParameter('An HTTP/1.1 request needs the header Host');
}
