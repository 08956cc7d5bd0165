import type { IncomingHttpHeaders } from 'node:http';
import type { JSONWebKeySet } from 'jose';
import type { z } from 'zod';
import type { Billing } from '../../../lib/billing.ts';
import type { CallContext, PluginProperty, Principal, SystemAuthor } from '../../../lib/records/index.ts';
import type { Permission } from '../../../lib/security/index.ts';
import { type BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { IssuedToken } from '../auth/access-tokens.ts';
import type { CallerSession } from '../auth/authenticator.ts';
import type { Credentials as NameAndSecret } from '../auth/credentials.ts';
import type { Dialect, PerDialect } from '../dialect.ts';
import type { TestMode } from '../test-mode.ts';
import { onDemand } from '../wire/on-demand.ts';
import {
  checkQueryTexts,
  cutPage,
  type QueryOf,
  type QueryParameters,
  querySchema,
  rawQuery,
  waitBound,
} from '../wire/query.ts';
import { type JsonSchema, validationError } from '../wire/wire-type.ts';
import type { Answer } from './answer.ts';
import type { BodyStream, RequestBody, RequestLimits } from './body.ts';
import { areaSegment, CORE, type PathParameters, pathParameters } from './path.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Which credentials a route needs (http-api §5): TENANT user and tenant, USER the user only, PLUGIN a bearer token and
 * the tenant, LOGIN name and password, or NONE. With SIGNATURE nobody logs in: the route checks who has signed the body.
 */
export type Credentials = 'TENANT' | 'USER' | 'PLUGIN' | 'LOGIN' | 'SIGNATURE' | 'NONE';

/** The server's own tokens, as a request sees them. */
export interface RequestTokens {
  /** The server as the caller reaches it: scheme, host, port, path prefix. */
  baseUrl(): string;
  /** Its path prefix alone, without a slash at its end. */
  basePath(): string;
  issuer(): string;
  issue(principal: Principal): Promise<IssuedToken>;
  keySet(): Promise<JSONWebKeySet>;
}

/** Who changes something and why, as the caller says (http-api §2). */
export interface Authorship {
  readonly createdBy: string | null;
  readonly reason: string | null;
  readonly comment: string | null;
}

/** What a route answers on success. */
export interface Success {
  readonly status: 200 | 201 | 202 | 204;
  /** Another status for "nothing to do", for the document. */
  readonly emptyStatus?: 204;
  /** The status in dialect K, if it is another (http-api §4). */
  readonly statusInK?: 200 | 201;
  /** When there is nothing in the body though the status is the same; it is sent as text, for no JSON is empty. */
  readonly isEmptyWhen?: string;
  /** Further statuses of the same answer, with what they mean, for the document. */
  readonly also?: Readonly<Record<number, string>>;
  /** The JSON answer; absent = no body. */
  readonly body?: { readonly answer: PerDialect<z.ZodType>; readonly json: JsonSchema };
  /** Media types that the route can produce, the default first; default JSON where there is a body. */
  readonly mediaTypes?: readonly [string, ...string[]];
  /** True: pagination headers come with it. */
  readonly paged?: true;
  /** Shape of `Location`, for the document. */
  readonly location?: string;
}

/** What a handler of logins needs to know about the request. */
export interface RequestLogin {
  /** Name and secret of `Authorization: Basic`, unchecked. */
  basic(): NameAndSecret | null;
  /** The caller's session, with the value of its cookie. */
  readonly session: CallerSession | null;
  readonly sessionIdleMs: number;
  /** The active user or client behind a name and secret, or null; failures count towards a lock-out. */
  authenticate(kind: 'USER' | 'CLIENT', credentials: NameAndSecret): Promise<Principal | null>;
}

/** One call as a handler sees it. */
export interface Call<Path extends string, Q extends QueryParameters, B> {
  readonly billing: Billing;
  readonly dialect: Dialect;
  readonly params: PathParameters<Path>;
  readonly query: QueryOf<Q>;
  readonly body: B;
  /** The media type of the answer, one of those that the route can produce. */
  readonly mediaType: string;
  /** Author, reason and comment as sent; on W calls the author is there. */
  readonly authorship: Authorship;
  readonly userToken: Uuid;
  /** Who calls: user, client or subject of a token; null on routes without credentials. */
  readonly user: Principal | null;
  readonly tokens: RequestTokens;
  readonly login: RequestLogin;
  /**
   * Takes a notification that a processor has signed, which counts against a rate: of those with the right signature if
   * `verified` is called, else of the others.
   */
  readonly countNotification: <T>(take: (verified: () => void) => Promise<T>) => Promise<T>;
  readonly test: TestMode | null;
  readonly sent: RequestSent;
  /** Aborted once nobody waits for the answer; undefined on calls that change something, which go on to their end. */
  readonly wanted: AbortSignal | undefined;
}

/** What was sent, as it came. */
export interface RequestSent {
  readonly headers: IncomingHttpHeaders;
  /** Without `?`. */
  readonly queryString: string;
}

export interface TenantCall<Path extends string, Q extends QueryParameters, B> extends Call<Path, Q, B> {
  /** Context of the library's operations: tenant, author, token, one clock reading. */
  readonly context: CallContext;
}

interface UserCall<Path extends string, Q extends QueryParameters, B> extends Call<Path, Q, B> {
  readonly user: Principal;
}

interface RouteSpec<Path extends string, Q extends QueryParameters, B, C> {
  readonly method: Method;
  readonly path: Path;
  /** Name of the operation in the document, from which generated clients make their method names. */
  readonly operationId: string;
  /** Where the document shows it; default: the segment after the prefix. */
  readonly area?: string;
  readonly summary: string;
  /** A decision for every route: a permission, or NONE for reads (http-api §5). */
  readonly permission: Permission | 'NONE';
  /** Permissions that are needed in addition. */
  readonly alsoNeeds?: readonly Permission[];
  /** Permissions that the handler asks for in a case, which is told in words, for the document. */
  readonly needsFor?: Readonly<Record<string, Permission>>;
  /** True: a user whose name is the segment `{username}` needs no permission. */
  readonly orSelf?: true;
  /** True: the id and secret of a client may come as `Authorization: Basic`, for the document. */
  readonly takesClient?: true;
  /** True: a login by name and password starts a session, whose cookie comes with the answer (platform §6.2). */
  readonly startsSession?: true;
  /** Makes the body of a failure, if it is not the usual one. */
  readonly errorBody?: (error: BillingError, status: number) => unknown;
  /** The schema of that. */
  readonly errorJson?: JsonSchema;
  /** Default: the author header is required on every call but GET. */
  readonly author?: false;
  /** True: although it is no GET, a node out of rotation serves it too (platform §11 rule 3). */
  readonly outOfRotation?: true;
  /** True: although it is no GET, it changes nothing, so that its work ends when nobody waits for the answer. */
  readonly changesNothing?: true;
  /** True: the route exists in test mode only. */
  readonly testMode?: true;
  readonly query?: Q;
  readonly body?: RequestBody<B>;
  /** Default: 204 without a body. */
  readonly success?: Success;
  /** Error codes of the route besides the general ones, for the document and the contract tests. */
  readonly fails?: readonly ErrorCode[];
  /** Codes that answer with a status of their own here. */
  readonly statusOf?: Readonly<Record<number, number>>;
  /** Statuses of failures that no code tells by itself, with what they mean, for the document. */
  readonly outcomes?: Readonly<Record<number, string>>;
  handle(call: C): Handled;
}

/** What a handler returns: nothing if there is no more to say than that it is done. */
type Handled = Promise<Answer> | Promise<void> | Answer;

/** What the dispatcher knows about a request when it passes it to a route. */
export interface RequestFacts
  extends Omit<Call<string, QueryParameters, unknown>, 'params' | 'query' | 'body'> {
  readonly rawParams: Readonly<Record<string, string>>;
  readonly bodyBytes: Uint8Array | undefined;
  readonly bodyStream?: BodyStream | undefined;
  readonly context: CallContext | null;
  readonly limits: Pick<RequestLimits, 'json' | 'list' | 'page' | 'bulkBytes' | 'bulkRecords'>;
}

/** One record of the route table, with its types hidden inside `answer`. */
export interface Route
  extends Omit<
    RouteSpec<string, QueryParameters, unknown, never>,
    'handle' | 'area' | 'author' | 'query' | 'success' | 'fails'
  > {
  readonly credentials: Credentials;
  readonly area: string;
  readonly author: boolean;
  readonly query: QueryParameters;
  readonly success: Success;
  readonly fails: readonly ErrorCode[];
  /** Validates the request and runs the handler. @throws BillingError. */
  answer(facts: RequestFacts): Promise<Answer>;
}

const noQuery = {};

/** A route that needs a user and a tenant. */
export function tenantRoute<Path extends string, Q extends QueryParameters = typeof noQuery, B = null>(
  spec: RouteSpec<Path, Q, B, TenantCall<Path, Q, B>>,
): Route {
  return routeOf(spec, 'TENANT', (call, facts) => {
    if (facts.context === null) throw new Error(`${spec.operationId} was reached without a tenant`);
    return spec.handle({ ...call, context: withProperties(facts.context, call.query) });
  });
}

/** A route that needs a user and no tenant. */
export function userRoute<Path extends string, Q extends QueryParameters = typeof noQuery, B = null>(
  spec: RouteSpec<Path, Q, B, Call<Path, Q, B>>,
): Route {
  return routeOf(spec, 'USER', (call) => spec.handle(call));
}

/** A route of the catalog plugin: a bearer token and a tenant; without the permission always 403 (http-api §4). */
export function pluginRoute<Path extends string, Q extends QueryParameters = typeof noQuery, B = null>(
  spec: RouteSpec<Path, Q, B, TenantCall<Path, Q, B>>,
): Route {
  const statusOf = { [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS]: 403, ...spec.statusOf };
  return routeOf({ area: 'catalog', ...spec, statusOf }, 'PLUGIN', (call, facts) => {
    if (facts.context === null) throw new Error(`${spec.operationId} was reached without a tenant`);
    return spec.handle({ ...call, context: facts.context });
  });
}

/** A route that a user's name and password open, and nothing else. */
export function loginRoute<Path extends string, Q extends QueryParameters = typeof noQuery, B = null>(
  spec: RouteSpec<Path, Q, B, UserCall<Path, Q, B>>,
): Route {
  return routeOf(spec, 'LOGIN', (call) => {
    if (call.user === null) throw new Error(`${spec.operationId} was reached without a user`);
    return spec.handle({ ...call, user: call.user });
  });
}

/** A route for processors that sign what they send: the handler checks the signature, and the query is theirs. */
export function signatureRoute<Path extends string, B = null>(
  spec: RouteSpec<Path, typeof noQuery, B, Call<Path, typeof noQuery, B>>,
): Route {
  return routeOf(spec, 'SIGNATURE', (call) => spec.handle(call));
}

/** A route that anybody may call. */
export function openRoute<Path extends string, Q extends QueryParameters = typeof noQuery, B = null>(
  spec: RouteSpec<Path, Q, B, Call<Path, Q, B>>,
): Route {
  return routeOf(spec, 'NONE', (call) => spec.handle(call));
}

function routeOf<Path extends string, Q extends QueryParameters, B, C>(
  spec: RouteSpec<Path, Q, B, C>,
  credentials: Credentials,
  run: (call: Call<Path, Q, B>, facts: RequestFacts) => Handled,
): Route {
  const { query, body, handle: _handle, author, ...rest } = spec;
  const parameters = query ?? ({} as Q);
  const readQuery = queryReader(parameters);
  const boundWaits = waitBound(parameters);
  const readPath = pathParameters(spec.path);
  return {
    area: areaSegment(spec.path),
    success: { status: 204 },
    fails: [],
    ...rest,
    ...(body === undefined ? {} : { body }),
    credentials,
    query: parameters,
    author: author ?? (spec.method !== 'GET' && spec.path.startsWith(CORE)),
    async answer(facts) {
      const params = readPath(facts.rawParams) as PathParameters<Path>;
      const asked = readQuery(facts.sent.queryString);
      const value = body === undefined ? (null as B) : body.read(facts.bodyBytes, facts);
      const { billing, dialect, limits } = facts;
      const mostSec = billing.server['server.callCompletion.maxSec'];
      const query = boundWaits(cutPage(parameters, asked, limits.page), { mostSec, dialect });
      return (await run({ ...callFactsOf(facts), params, query, body: value }, facts)) ?? {};
    },
  };
}

/** What a query string asks for. Most calls have none; the empty one is read once. */
function queryReader<Q extends QueryParameters>(parameters: Q): (queryString: string) => QueryOf<Q> {
  const schema = onDemand(() => querySchema(parameters));
  const read = (queryString: string): QueryOf<Q> => {
    const raw = rawQuery(parameters, queryString);
    checkQueryTexts(raw);
    const parsed = schema().safeParse(raw);
    if (parsed.success) return parsed.data;
    throw validationError(parsed.error, 'Query parameter', ErrorCode.INVALID_PARAMETER);
  };
  let none: QueryOf<Q> | undefined;
  return (queryString) => {
    if (queryString !== '') return read(queryString);
    none ??= read('');
    return none;
  };
}

/** The context with the call's plugin properties, on routes that take them. */
function withProperties(context: CallContext, query: object): CallContext {
  const { pluginProperty } = query as { readonly pluginProperty?: readonly PluginProperty[] };
  return pluginProperty === undefined ? context : { ...context, pluginProperties: pluginProperty };
}

function callFactsOf(facts: RequestFacts) {
  const { billing, dialect, mediaType, authorship, userToken, user, tokens, login, test, sent } = facts;
  const { countNotification, wanted } = facts;
  const caller = { authorship, userToken, user, tokens, login, countNotification };
  return { billing, dialect, mediaType, ...caller, test, sent, wanted };
}

/** The media types that a route can produce; none for empty answers. */
export function producedTypes(success: Success): readonly string[] {
  return success.mediaTypes ?? (success.body === undefined ? [] : ['application/json']);
}

/** Routes whose requests are not kept under a key. */
const keyless: ReadonlySet<string> = new Set<Route['credentials']>(['NONE', 'LOGIN', 'SIGNATURE']);

/**
 * Every POST (http-api §11 rule 2) except requests for tokens, which change nothing and whose answer must not be stored
 * (RFC 6749 §5.1), those of processors, which repeat what they send, and those whose body is not kept, whose lines have
 * ids of their own.
 */
export function takesKey({
  method,
  credentials,
  body,
}: Pick<Route, 'method' | 'credentials' | 'body'>): boolean {
  return method === 'POST' && !keyless.has(credentials) && body?.isStreamed !== true;
}

/** Who makes a change of no tenant, as a call says. */
export function systemAuthorOf(call: {
  readonly authorship: Authorship;
  readonly user: Principal | null;
  readonly userToken: Uuid;
}): SystemAuthor {
  const { authorship, user, userToken } = call;
  return {
    userName: authorship.createdBy ?? user?.name ?? '',
    reasonCode: authorship.reason,
    comments: authorship.comment,
    userToken,
    principal: user,
  };
}
