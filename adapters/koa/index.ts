/** The HTTP interface as a Koa application, or as middleware for the host's application. */
import '../supported-node.ts';
import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type { Middleware } from 'koa';
import Koa from 'koa';
import {
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_HEADERS_MS,
  MAX_REQUEST_MS,
} from '../../lib/values/limits.ts';
import { checkApp, checkListenOptions, checkOptions } from './check-options.ts';
import { type DispatcherOptions, dispatcher } from './dispatch/dispatcher.ts';
import { httpProperties } from './dispatch/http-properties.ts';
import { exchange, handedServer } from './fetch.ts';
import { HttpMetrics } from './monitoring/http-metrics.ts';
import { collectMetrics } from './monitoring/metric-forms.ts';
import { groupOfOne, type ServerGroup } from './monitoring/server-group.ts';
import { createServer } from './node-http.ts';
import { hasConsole, homePage } from './pages/home.ts';
import { refuseWhileStopping, unreadableAnswer } from './response/render-error.ts';
import { routeTable } from './routes/route-table.ts';
import { slices } from './routing/slices.ts';
import { onDemand } from './wire/lazy-values.ts';

/**
 * Keep-alive time in milliseconds. It is longer than the keep-alive time of clients and proxies (60 to 90 s), so that
 * no request arrives on a connection that is being closed.
 */
const KEPT_CONNECTION_MS = 2 * 60_000;

export type { TokenOptions } from './auth/authenticator.ts';
export { TokenAlgorithm, type TokenIssuer } from './auth/token-issuers.ts';
export { Dialect } from './dialect.ts';
export type {
  GroupMember,
  HealthChecks,
  Measured,
  MetricSeries,
  ServerGroup,
} from './monitoring/server-group.ts';
export type { RequestRates } from './request/rate-limit.ts';
export type { RequestLimits } from './routing/body.ts';
export type { MovableClock, SandboxControl, TestMode } from './test-mode.ts';

export interface KoaOptions
  extends Omit<DispatcherOptions, 'routes' | 'ownsEveryPath' | 'home' | 'consolePages' | 'metrics'> {
  /** If true, `/openapi.json`, `/docs` and `/llms.txt` describe the interface. Defaults to true (`server.docs`). */
  readonly docs?: boolean | undefined;
  /** If true, `/console` serves the operator's console. Defaults to true (`server.console`). */
  readonly console?: boolean | undefined;
  /** If true, metrics require the credentials of a user. Defaults to false (`metrics.requireAuth`). */
  readonly metricsRequireAuth?: boolean | undefined;
  /**
   * Additional server properties shown in the support diagnostic, such as the properties of `listen`. Defaults to none.
   */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  /** The processes that serve the same port. By default, only this process. */
  readonly group?: ServerGroup | undefined;
}

/**
 * Returns middleware that serves the interface below `basePath` and passes other paths on.
 *
 * @example
 * const app = new Koa();
 * app.use(billingMiddleware({ billing }));
 */
export function billingMiddleware(options: KoaOptions): Middleware {
  return dispatcher({ ...options, ...prepareDispatcher(options) });
}

/**
 * Returns a Koa application that handles every path; unknown paths return 404.
 *
 * @example
 * const server = await listen(createKoaApp({ billing }), { port: 8080 });
 */
export function createKoaApp(options: KoaOptions): Koa {
  return appOf(dispatcher({ ...options, ...prepareDispatcher(options), ownsEveryPath: true }), options);
}

function appOf(middleware: Middleware, { billing, logger = billing.requests.logger() }: KoaOptions): Koa {
  const app = new Koa();
  app.use(middleware);
  // This listener handles failures after the response has started, such as a disconnected client.
  app.on('error', (error: unknown, ctx?: Koa.Context) => {
    const requestId = ctx?.response.get('X-Request-Id');
    logger.warn({ ...(requestId && { requestId }), err: error }, 'connection failed');
  });
  return app;
}

/** Handles a request from `node:http`. Passes unknown paths to `next` if it is given. */
export type RequestListener = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/**
 * Returns the interface for other servers with Node's requests: `node:http`, Express, Fastify. `basePath` is the mount
 * path, except in Express. If a parser has read the body, it is expected in `request.rawBody` or `request.body`. Parsed
 * JSON holds numbers as doubles, so send amounts of more than 15 digits as text, or mount the interface before the
 * parsers.
 *
 * @example
 * const listener = createRequestListener({ billing });
 * createServer(listener); // of node:http
 * express().use('/billing', listener);
 * fastify().all('/*', (request, reply) => {
 *   reply.hijack();
 *   listener(Object.assign(request.raw, { body: request.body }), reply.raw);
 * });
 */
export function createRequestListener(options: KoaOptions): RequestListener {
  checkOptions(options);
  const owning = onDemand(() => createKoaApp(options).callback());
  const passing = onDemand(() => passUnknownPaths(billingMiddleware(options), options));
  return (request, response, next) => {
    if (next === undefined) void owning()(request, response);
    else passing()(request, response, next);
  };
}

/** Handles a fetch `Request`, like a route handler of Next.js. */
export type FetchHandler = (request: Request) => Promise<Response>;

export interface FetchOptions extends KoaOptions {
  /** Returns the address of the client, if known. Required for `trustedProxies`. */
  readonly remoteAddress?: ((request: Request) => string | undefined) | undefined;
}

/**
 * Returns the interface for route handlers on Node that return a `Response` for a `Request`: Next.js, SvelteKit, Hono.
 * `basePath` is the mount path; unknown paths return 404. Long responses are streams; canceling a stream ends its work. The
 * outer server compresses. The promise rejects with a TypeError if the body has been read, and with the reason of an
 * aborted signal; every other failure is a response.
 *
 * @example
 * // app/billing/[...path]/route.ts of Next.js
 * const handler = createFetchHandler({ billing, basePath: '/billing' });
 * export { handler as DELETE, handler as GET, handler as OPTIONS, handler as POST, handler as PUT };
 */
export function createFetchHandler(given: FetchOptions): FetchHandler {
  checkOptions(given);
  const { remoteAddress, ...options } = given;
  const server = onDemand(() => {
    const answer = createKoaApp(options).callback();
    return handedServer((request, response) => void answer(request, response));
  });
  return async (request) => exchange(server(), request, remoteAddress?.(request));
}

/** Wraps middleware so that it passes unknown paths to the host unchanged. */
function passUnknownPaths(middleware: Middleware, options: KoaOptions): RequestListener {
  const nexts = new WeakMap<IncomingMessage, (error?: unknown) => void>();
  const app = appOf(middleware, options);
  app.use((ctx) => {
    ctx.respond = false;
    // Koa sets 404.
    ctx.res.statusCode = 200;
    nexts.get(ctx.req)?.();
  });
  const answer = app.callback();
  return (request, response, next) => {
    if (next) nexts.set(request, next);
    void answer(request, response);
  };
}

function prepareDispatcher(options: KoaOptions) {
  checkOptions(options);
  const metrics = new HttpMetrics();
  const { billing, basePath, docs, metricsRequireAuth, group = groupOfOne() } = options;
  const servesConsole = options.console ?? true;
  group.join({
    metrics: async () => collectMetrics(await billing.metrics(), metrics),
    health: async () => ({ ...(await billing.health()) }),
    setInRotation: (isInRotation) => billing.setInRotation(isInRotation),
  });
  const testMode = options.test !== undefined;
  const properties = { ...httpProperties(options), ...options.properties };
  const routes = routeTable({ testMode, group, basePath, docs, metricsRequireAuth, properties });
  return {
    metrics,
    routes,
    home: (at: string) => homePage(at, { docs: docs ?? true, console: servesConsole && hasConsole() }),
    ...(servesConsole && { consolePages: loadedConsole }),
  };
}

/** Loads the console on the first request to it, so that startup does not wait for it. */
const loadedConsole = onDemand(async () => (await import('./pages/console.ts')).consolePages());

const TIMEOUTS_CHECKED_EVERY_MS = 500;
/**
 * Keep-alive time during shutdown in milliseconds. Each client still gets one response, which announces that the
 * connection will be closed.
 */
const KEPT_WHILE_STOPPING_MS = 1_000;
/**
 * Time in milliseconds that an open connection may wait for its next request while the server drains. It is longer than
 * the pauses of a busy client. Otherwise a request could arrive on a connection that is being closed.
 */
const KEPT_WHILE_DRAINING_MS = 3_000;

export interface ListenOptions {
  /** 0 = any free port. */
  readonly port: number;
  /** Defaults to 127.0.0.1. */
  readonly host?: string;
  /** Maximum size in bytes of the headers and the request line (`server.limits.header`). Defaults to 16 KiB. */
  readonly maxHeaderBytes?: number | undefined;
  /** Time limit in milliseconds for receiving the headers. Defaults to 10 s. */
  readonly maxHeadersMs?: number | undefined;
  /**
   * Time limit of a request in milliseconds (`server.limits.requestTime`). Also applies while the request is still
   * being received. Defaults to 60 s.
   */
  readonly requestTimeMs?: number | undefined;
  /** Maximum number of connections (`server.limits.connections`). Defaults to 2,000. */
  readonly maxConnections?: number | undefined;
  /** Called after the port is open. Requests wait until this function has finished. */
  readonly prepare?: (() => Promise<void>) | undefined;
}

export interface Listening {
  readonly server: Server;
  readonly host: string;
  readonly port: number;
  /** Rejects new requests with status 503, completes running requests, and closes idle connections. */
  close(): Promise<void>;
  /**
   * Stops accepting connections. Open connections get one more response, which announces that they will be closed. Idle
   * connections are closed after three seconds. Resolves when all connections are closed. Another process that listens
   * on the port takes over, and no request fails. Call `close` afterward.
   */
  drain(): Promise<void>;
}

/**
 * Serves `app` over HTTP/1.1.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an option of the wrong type.
 * @throws the error of `prepare` after closing the port.
 */
export async function listen(app: Koa, options: ListenOptions): Promise<Listening> {
  checkApp(app);
  checkListenOptions(options);
  const host = options.host ?? '127.0.0.1';
  const maxHeaderBytes = options.maxHeaderBytes ?? MAX_HEADER_BYTES;
  const answer = app.callback();
  let isStopping = false;
  let isDraining = false;
  let isReady = false;
  const prepared = Promise.withResolvers<void>();
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (isDraining) response.setHeader('Connection', 'close');
    if (isStopping) refuseWhileStopping(request, response);
    else if (isReady) void answer(request, response);
    else void prepared.promise.then(() => serve(request, response));
  };
  const maxHeadersMs = options.maxHeadersMs ?? MAX_HEADERS_MS;
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      // The dispatcher checks Host, so that the error has the usual body.
      requireHostHeader: false,
      headersTimeout: maxHeadersMs,
      // The dispatcher rejects late bodies; this limit is for bodies that the dispatcher does not read.
      requestTimeout: (options.requestTimeMs ?? MAX_REQUEST_MS) + maxHeadersMs,
      connectionsCheckingInterval: TIMEOUTS_CHECKED_EVERY_MS,
      keepAliveTimeout: KEPT_CONNECTION_MS,
    },
    serve,
  );
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  // A full cluster worker would pass further connections back to the primary, which would offer them again.
  Object.assign(server, { dropMaxConnection: true });
  // Idle connections are closed to make room for new connections.
  server.on('drop', () => server.closeIdleConnections());
  // Node would reject an unknown `Expect` header without a response body.
  server.on('checkExpectation', serve);
  server.on('clientError', unreadableAnswer({ maxHeaderBytes, maxHeadersMs }));
  server.listen(options.port, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    isStopping = true;
    prepared.resolve();
    const closed = once(server, 'close');
    // This timeout applies to all connections handled from now on.
    server.keepAliveTimeout = KEPT_WHILE_STOPPING_MS;
    server.close();
    server.closeIdleConnections();
    await closed;
  };
  const drain = async (): Promise<void> => {
    isDraining = true;
    const closed = once(server, 'close');
    server.keepAliveTimeout = KEPT_WHILE_DRAINING_MS;
    // `Server.close` would also close idle connections, on which a request may be arriving.
    TcpServer.prototype.close.call(server);
    const idle = setTimeout(() => server.closeIdleConnections(), KEPT_WHILE_DRAINING_MS);
    await closed;
    clearTimeout(idle);
  };
  try {
    await options.prepare?.();
  } catch (error) {
    await close();
    throw error;
  }
  isReady = true;
  prepared.resolve();
  return { server, host, port, close, drain };
}

/** Returns the OpenAPI 3.1 document of the interface, including the test endpoints. */
export async function openApi(): Promise<Readonly<Record<string, unknown>>> {
  const { documentSteps } = await import('./openapi/document.ts');
  return slices(documentSteps(routeTable({ testMode: true })));
}
