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
  isPaged,
  type QueryOf,
  type QueryParameters,
  querySchema,
  rawQuery,
  waitBound,
} from '../wire/query.ts';
import { type JsonSchema, validationError } from '../wire/wire-type.ts';
import type { Answer } from './answer.ts';
import { type Shown, shownAnswer } from './audited.ts';
import type { BodyStream, RequestBody, RequestLimits } from './body.ts';
import { areaSegment, CORE, type PathParameters, parameterNamesOf, pathParameters } from './path.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Method and path, such as `GET /1.0/kb/accounts/{accountId}`. */
type Endpoint = `${Method} /${string}`;

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
export interface Call<E extends string, Q extends QueryParameters, B> {
  readonly billing: Billing;
  readonly dialect: Dialect;
  readonly params: PathParameters<E>;
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

export interface TenantCall<E extends string, Q extends QueryParameters, B> extends Call<E, Q, B> {
  /** Context of the library's operations: tenant, author, token, one clock reading. */
  readonly context: CallContext;
}

/** What is known of a route besides its place and its handler. */
interface RouteFacts<Q extends QueryParameters, B> {
  /** Where the document shows it; default: the segment after the prefix. */
  readonly area?: string;
  readonly summary: string;
  /** A decision for every route that writes: a permission, or NONE. The default for GET is NONE (http-api §5). */
  readonly permission?: Permission | 'NONE';
  /** Permissions that are needed in addition. */
  readonly alsoNeeds?: readonly Permission[];
  /** Permissions that the handler requires in some cases, which the document names by these words. */
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
  /** True: although it is no GET, it changes nothing, so its work ends when nobody waits for the answer. */
  readonly changesNothing?: true;
  /** True: the route exists in test mode only. */
  readonly testMode?: true;
  readonly query?: Q;
  readonly body?: RequestBody<B>;
  /**
   * Error codes of the route, for the document and the contract tests. General codes, and those of unknown objects in the
   * path and the query, are added.
   */
  readonly fails?: readonly ErrorCode[];
  /** True: an unknown object is not an error. */
  readonly takesUnknownObjects?: true;
  /** Codes that answer with a status of their own here. */
  readonly statusOf?: Readonly<Record<number, number>>;
  /** Statuses of failures that do not follow from a code, with their meaning, for the document. */
  readonly outcomes?: Readonly<Record<number, string>>;
}

/** The handler of a route, which returns its answer, or a view to show, or the id of what it has created. */
type Handler<C> =
  | {
      readonly shows?: never;
      readonly creates?: never;
      /** Default: 204 without a body. */
      readonly success?: Success;
      handle(call: C): Promise<Answer> | Promise<void> | Answer;
    }
  | ({
      readonly creates?: never;
      /** With these facts of its success besides; default: status 200. */
      readonly success?: Pick<Success, 'status'>;
      /** Returns the view that `shows` writes; with `pageParameters` in the query, a `Page` of views. */
      handle(call: C): unknown;
    } & Shown)
  | {
      readonly shows?: never;
      /** `Location` of what is created: its id is the last segment in braces, the others are those of the path. */
      readonly creates: string;
      readonly success?: never;
      handle(call: C): Promise<{ readonly id: string }> | Promise<void>;
    };

type RouteSpec<Q extends QueryParameters, B, C> = RouteFacts<Q, B> & Handler<C>;

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
    RouteFacts<QueryParameters, unknown>,
    'area' | 'permission' | 'author' | 'query' | 'fails' | 'takesUnknownObjects'
  > {
  readonly method: Method;
  readonly path: string;
  /** Name of the operation in the document, from which generated clients make their method names. */
  readonly operationId: string;
  readonly credentials: Credentials;
  readonly area: string;
  readonly permission: Permission | 'NONE';
  readonly author: boolean;
  readonly query: QueryParameters;
  readonly success: Success;
  readonly fails: readonly ErrorCode[];
  /** Validates the request and runs the handler. @throws BillingError. */
  answer(facts: RequestFacts): Promise<Answer>;
}

const noQuery = {};

/** What the handlers know besides, by the credentials of their route. */
interface Known {
  readonly TENANT: Pick<TenantCall<string, QueryParameters, unknown>, 'context'>;
  readonly USER: unknown;
  readonly PLUGIN: Known['TENANT'];
  readonly LOGIN: { readonly user: Principal };
  readonly SIGNATURE: unknown;
  readonly NONE: unknown;
}

function maker<K extends Credentials>(credentials: K, common: Partial<RouteFacts<never, never>> = {}) {
  return <E extends Endpoint, Q extends QueryParameters = typeof noQuery, B = null>(
    operationId: string,
    endpoint: E,
    spec: RouteSpec<Q, B, Call<E, Q, B> & Known[K]>,
  ): Route => routeOf({ credentials, operationId, endpoint }, { ...common, ...spec });
}

/** A route that needs a user and a tenant. */
export const tenantRoute = maker('TENANT');

/** A route that needs a user and no tenant. */
export const userRoute = maker('USER');

/** A route of the catalog plugin: a bearer token and a tenant; without the permission always 403 (http-api §4). */
export const pluginRoute = maker('PLUGIN', {
  area: 'catalog',
  statusOf: { [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS]: 403 },
});

/** A route that a user's name and password open, and nothing else. */
export const loginRoute = maker('LOGIN');

/** A route for processors that sign what they send: the handler checks the signature, and the query is theirs. */
export const signatureRoute = maker('SIGNATURE');

/** A route that anybody may call. */
export const openRoute = maker('NONE');

/** The routes in one area of the document. */
export function inArea(area: string, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, area }));
}

interface Place {
  readonly credentials: Credentials;
  readonly operationId: string;
  readonly endpoint: Endpoint;
}

function routeOf<Q extends QueryParameters, B, C>(place: Place, spec: RouteSpec<Q, B, C>): Route {
  const { credentials, operationId, endpoint } = place;
  const { query, body, author, permission, fails = [], takesUnknownObjects, ...others } = spec;
  const { handle, shows, auditedIds, isLong, creates, ...facts } = others as typeof others & Partial<Shown>;
  const [method, path] = endpoint.split(' ') as [Method, string];
  if (permission === undefined && method !== 'GET') throw new Error(`${operationId} needs a permission`);
  const parameters: QueryParameters = query ?? noQuery;
  const readQuery = queryReader(parameters);
  const boundWaits = waitBound(parameters);
  const readPath = pathParameters(path);
  const paged = isPaged(parameters);
  return {
    area: areaSegment(path),
    ...facts,
    ...(body === undefined ? {} : { body }),
    method,
    path,
    operationId,
    credentials,
    permission: permission ?? 'NONE',
    query: parameters,
    success: successOf(spec, paged),
    fails: takesUnknownObjects ? fails : [...new Set([...fails, ...unknownObjectCodes(path, parameters)])],
    author: author ?? (method !== 'GET' && path.startsWith(CORE)),
    async answer(request) {
      const params = readPath(request.rawParams);
      const asked = readQuery(request.sent.queryString);
      const value = body === undefined ? null : body.read(request.bodyBytes, request);
      const { billing, dialect, limits } = request;
      const mostSec = billing.server['server.callCompletion.maxSec'];
      const query = boundWaits(cutPage(parameters, asked, limits.page), { mostSec, dialect });
      const context = request.context && withProperties(request.context, query);
      const call = { ...request, params, query, body: value, context };
      const result: unknown = await handle(call as C);
      if (shows !== undefined)
        return shownAnswer({ shows, auditedIds, isLong, isPaged: paged }, call, result);
      if (creates !== undefined) return { location: filledLocation(creates, params, result) };
      return (result as Answer | undefined) ?? {};
    },
  };
}

function successOf<C>({ shows, creates, success }: Handler<C>, paged: boolean): Success {
  if (creates !== undefined) return { status: 201, location: creates };
  if (shows === undefined) return success ?? { status: 204 };
  return { status: 200, ...success, body: shows, ...(paged && { paged }) };
}

/** Codes of objects that do not exist, by the segment or query parameter that names the object. */
const unknownObjects: Readonly<Record<string, ErrorCode>> = {
  accountId: ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
  childAccountId: ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
  bundleId: ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
  subscriptionId: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
  invoiceId: ErrorCode.INVOICE_NOT_FOUND,
  groupId: ErrorCode.INVOICE_NOT_FOUND,
  invoiceItemId: ErrorCode.INVOICE_ITEM_NOT_FOUND,
  itemId: ErrorCode.INVOICE_ITEM_NOT_FOUND,
  invoiceNumber: ErrorCode.INVOICE_NUMBER_NOT_FOUND,
  creditId: ErrorCode.INVOICE_NO_SUCH_CREDIT,
  invoicePaymentId: ErrorCode.INVOICE_PAYMENT_NOT_FOUND,
  paymentId: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  transactionId: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  paymentTransactionId: ErrorCode.PAYMENT_NO_SUCH_PAYMENT,
  paymentMethodId: ErrorCode.PAYMENT_NO_SUCH_PAYMENT_METHOD,
  tagDefinitionId: ErrorCode.TAG_DEFINITION_DOES_NOT_EXIST,
  tenantId: ErrorCode.TENANT_DOES_NOT_EXIST_FOR_ID,
  username: ErrorCode.SECURITY_INVALID_USER,
  clientId: ErrorCode.SECURITY_INVALID_USER,
  productName: ErrorCode.CATALOG_ENTRY_PRODUCT_NOT_FOUND,
  planName: ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND,
  accountEmailId: ErrorCode.OBJECT_NOT_FOUND,
  blockingId: ErrorCode.OBJECT_NOT_FOUND,
  creditNoteId: ErrorCode.OBJECT_NOT_FOUND,
  customFieldId: ErrorCode.OBJECT_NOT_FOUND,
  deliveryId: ErrorCode.OBJECT_NOT_FOUND,
  eventId: ErrorCode.OBJECT_NOT_FOUND,
  paymentAttemptId: ErrorCode.OBJECT_NOT_FOUND,
  tagId: ErrorCode.OBJECT_NOT_FOUND,
  trackingId: ErrorCode.OBJECT_NOT_FOUND,
};

function unknownObjectCodes(path: string, query: QueryParameters): readonly ErrorCode[] {
  return [...parameterNamesOf(path), ...Object.keys(query)].flatMap((name) => unknownObjects[name] ?? []);
}

/** The path of what was created, or of what the path of the request names. */
function filledLocation(location: string, params: Readonly<Record<string, string>>, created: unknown) {
  const { id } = (created ?? {}) as { readonly id?: string };
  const last = parameterNamesOf(location).at(-1);
  return location.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((name === last ? id : undefined) ?? params[name] ?? ''),
  );
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
