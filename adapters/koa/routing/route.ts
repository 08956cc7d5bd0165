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
import { onDemand } from '../wire/lazy-values.ts';
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
import { areaSegment, CORE, type PathParameters, PLUGIN, parameterNamesOf, pathParameters } from './path.ts';

export type ErrorName = keyof typeof ErrorCode;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

type Endpoint = `${Method} /${string}`;

/**
 * Credentials that a route requires (http-api §5). PLUGIN requires a bearer token and the tenant. For SIGNATURE, the
 * handler verifies the signature of the body.
 */
export type Credentials = 'TENANT' | 'USER' | 'PLUGIN' | 'LOGIN' | 'SIGNATURE' | 'NONE';

export interface RequestTokens {
  /** Returns the URL under which the caller reaches the server. */
  baseUrl(): string;
  /** Returns the path prefix, without a trailing slash. */
  basePath(): string;
  issuer(): string;
  issue(principal: Principal): Promise<IssuedToken>;
  keySet(): Promise<JSONWebKeySet>;
}

/** Author, reason and comment of a change (http-api §2). */
export interface Authorship {
  readonly createdBy: string | null;
  readonly reason: string | null;
  readonly comment: string | null;
}

export interface Success {
  readonly status: 200 | 201 | 202 | 204;
  /** Documented status of a call that has no effect because there is nothing to do. */
  readonly emptyStatus?: 204;
  /** Status in dialect K (http-api §4). */
  readonly statusInK?: 200 | 201;
  /** Condition under which the body is empty. An empty body is sent as text, because it is not valid JSON. */
  readonly isEmptyWhen?: string;
  /** Other statuses in the API document, with their descriptions. */
  readonly also?: Readonly<Record<number, string>>;
  /** JSON body of the response. The field is absent if the response has no body. */
  readonly body?: { readonly answer: PerDialect<z.ZodType>; readonly json: JsonSchema };
  /** Media types. The first one is the default. If this field is absent, the type is JSON. */
  readonly mediaTypes?: readonly [string, ...string[]];
  /** True: with pagination headers. */
  readonly paged?: true;
  readonly location?: string;
}

export interface SignedIn {
  readonly user: Principal;
  readonly session: CallerSession;
}

export interface RequestLogin {
  /** Unchecked Basic credentials. */
  basic(): NameAndSecret | null;
  readonly session: CallerSession | null;
  readonly sessionIdleMs: number;
  /**
   * Starts a session for the user, and ends the session of the cookie in the request. The response sets the new cookie.
   * @throws BillingError UNAUTHENTICATED for wrong credentials, or for a request that a form on another origin could
   * have sent.
   */
  signIn(credentials: NameAndSecret): Promise<SignedIn>;
  /** Ends the session of the caller, if there is one. The response removes the cookie. */
  signOut(): Promise<void>;
  /** Returns the active user or client, or null for wrong credentials. Failed attempts can lock the user out. */
  authenticate(kind: 'USER' | 'CLIENT', credentials: NameAndSecret): Promise<Principal | null>;
}

export interface Call<E extends string, Q extends QueryParameters, B> {
  readonly billing: Billing;
  readonly dialect: Dialect;
  readonly params: PathParameters<E>;
  readonly query: QueryOf<Q>;
  readonly body: B;
  readonly mediaType: string;
  /** The author of the change. Always present in calls marked W (http-api §2). */
  readonly authorship: Authorship;
  readonly userToken: Uuid;
  /** The authenticated user, or null on routes that require no credentials. */
  readonly user: Principal | null;
  readonly tokens: RequestTokens;
  readonly login: RequestLogin;
  /** Counts a signed notification. Verified and unverified notifications have separate limits. */
  readonly countNotification: <T>(take: (verified: () => void) => Promise<T>) => Promise<T>;
  readonly test: TestMode | null;
  readonly sent: RequestSent;
  /** Signal that aborts when the caller disconnects, or undefined for calls that change data. */
  readonly wanted: AbortSignal | undefined;
}

export interface RequestSent {
  readonly headers: IncomingHttpHeaders;
  /** The query string without `?`. */
  readonly queryString: string;
}

export interface TenantCall<E extends string, Q extends QueryParameters, B> extends Call<E, Q, B> {
  readonly context: CallContext;
}

interface RouteFacts<Q extends QueryParameters, B> {
  /** Area of the OpenAPI document that lists the route. Defaults to the first segment after the prefix. */
  readonly area?: string;
  readonly summary: string;
  /**
   * The required permission. Defaults to NONE for GET routes. All other routes must specify a permission or NONE
   * (http-api §5).
   */
  readonly permission?: Permission | 'NONE';
  readonly alsoNeeds?: readonly Permission[];
  /** Permissions that apply under a condition. The keys are the conditions as described in the API document. */
  readonly needsFor?: Readonly<Record<string, Permission>>;
  /** If true, users can call the route for their own `{username}` without the permission. */
  readonly orSelf?: true;
  /** If true, the API document states that a client may authenticate with Basic credentials. */
  readonly takesClient?: true;
  /** If true, a login with Basic credentials starts a session (platform §6.2). */
  readonly startsSession?: true;
  /** If true, a 401 response has no `WWW-Authenticate` header. Such a header would open a dialog in the browser. */
  readonly withoutChallenge?: true;
  /** Default: the usual error body. */
  readonly errorBody?: (error: BillingError, status: number) => unknown;
  readonly errorJson?: JsonSchema;
  /**
   * If true, the body of an error response also contains the facts and problems of the library's error (http-api §16).
   */
  readonly errorsWithFacts?: true;
  /** If false, no author is required. By default, all methods except GET require an author. */
  readonly author?: false;
  /**
   * True if the route also works while the node is out of rotation, even though its method is not GET (platform §11
   * rule 3).
   */
  readonly outOfRotation?: true;
  /**
   * True if the route only reads data, even though its method is not GET. Its work is then canceled when the caller
   * disconnects.
   */
  readonly changesNothing?: true;
  readonly testMode?: true;
  readonly query?: Q;
  readonly body?: RequestBody<B>;
  /**
   * Error codes that are specific to this route, for the API document and the contract tests. General codes are added
   * automatically.
   */
  readonly fails?: readonly ErrorName[];
  /** True if the route accepts the id of an unknown object. */
  readonly takesUnknownObjects?: true;
  /** HTTP statuses of error codes, if they differ on this route. */
  readonly statusOf?: Readonly<Record<number, number>>;
  /** Statuses of failures that have no error code, with their descriptions for the API document. */
  readonly outcomes?: Readonly<Record<number, string>>;
}

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
      readonly success?: Pick<Success, 'status'>;
      /**
       * Returns the view that `shows` converts to a response. A route with `pageParameters` returns a `Page` of views.
       */
      handle(call: C): unknown;
    } & Shown)
  | {
      readonly shows?: never;
      /**
       * Template of the `Location` header for the created object. The last segment in braces is the id of the object.
       */
      readonly creates: string;
      readonly success?: never;
      handle(call: C): Promise<{ readonly id: string }> | Promise<void>;
    };

type RouteSpec<Q extends QueryParameters, B, C> = RouteFacts<Q, B> & Handler<C>;

export interface RequestFacts
  extends Omit<Call<string, QueryParameters, unknown>, 'params' | 'query' | 'body'> {
  readonly rawParams: Readonly<Record<string, string>>;
  readonly bodyBytes: Uint8Array | undefined;
  readonly bodyStream?: BodyStream | undefined;
  readonly context: CallContext | null;
  readonly limits: Pick<RequestLimits, 'json' | 'list' | 'page' | 'bulkBytes' | 'bulkRecords'>;
}

/** A route. Its `answer` function hides the types of the call. */
export interface Route
  extends Omit<
    RouteFacts<QueryParameters, unknown>,
    'area' | 'permission' | 'author' | 'query' | 'fails' | 'takesUnknownObjects'
  > {
  readonly method: Method;
  readonly path: string;
  /** Id of the operation. Generated clients use it as the name of their method. */
  readonly operationId: string;
  readonly credentials: Credentials;
  readonly area: string;
  readonly permission: Permission | 'NONE';
  readonly author: boolean;
  readonly query: QueryParameters;
  readonly success: Success;
  readonly fails: readonly ErrorCode[];
  /** @throws BillingError. */
  answer(facts: RequestFacts): Promise<Answer>;
}

const noQuery = {};

interface Known {
  readonly TENANT: Pick<TenantCall<string, QueryParameters, unknown>, 'context'>;
  readonly USER: unknown;
  readonly PLUGIN: Known['TENANT'];
  readonly LOGIN: { readonly user: Principal };
  readonly SIGNATURE: unknown;
  readonly NONE: unknown;
}

/** Returns a function that creates routes whose paths start with the prefix. */
function maker<K extends Credentials>(
  credentials: K,
  prefix: string,
  common: Partial<RouteFacts<never, never>> = {},
) {
  return <E extends Endpoint, Q extends QueryParameters = typeof noQuery, B = null>(
    operationId: string,
    endpoint: E,
    spec: RouteSpec<Q, B, Call<E, Q, B> & Known[K]>,
  ): Route => routeOf({ credentials, operationId, prefix, endpoint }, { ...common, ...spec });
}

export const tenantRoute = maker('TENANT', CORE);
export const userRoute = maker('USER', CORE);

/** Creates a tenant route whose path does not start with the core prefix. */
export const rootTenantRoute = maker('TENANT', '');
export const rootUserRoute = maker('USER', '');

/**
 * Creates a route that requires a bearer token and a tenant. A missing permission always results in 403 (http-api §4).
 */
export const pluginRoute = maker('PLUGIN', PLUGIN, {
  area: 'catalog',
  statusOf: { [ErrorCode.SECURITY_NOT_ENOUGH_PERMISSIONS]: 403 },
});

/** Creates a route that accepts only the name and password of a user. */
export const loginRoute = maker('LOGIN', '');

/** Creates a route for signed notifications. Its handler verifies the signature and reads the query. */
export const signatureRoute = maker('SIGNATURE', '');

export const openRoute = maker('NONE', '');

/** Creates a route with the core prefix that requires no credentials. */
export const openCoreRoute = maker('NONE', CORE);

export function inArea(area: string, routes: readonly Route[]): readonly Route[] {
  return routes.map((route) => ({ ...route, area }));
}

interface Place {
  readonly credentials: Credentials;
  readonly operationId: string;
  readonly prefix: string;
  readonly endpoint: Endpoint;
}

function routeOf<Q extends QueryParameters, B, C>(place: Place, spec: RouteSpec<Q, B, C>): Route {
  const { credentials, operationId, prefix, endpoint } = place;
  const { query, body, author, permission, fails = [], takesUnknownObjects, ...others } = spec;
  const { handle, shows, auditedIds, isLong, creates, ...facts } = others as typeof others & Partial<Shown>;
  const [method, ending] = endpoint.split(' ') as [Method, string];
  const path = prefix + ending;
  if (permission === undefined && method !== 'GET') throw new Error(`${operationId} needs a permission`);
  const parameters: QueryParameters = query ?? noQuery;
  const readQuery = queryReader(parameters);
  const boundWaits = waitBound(parameters);
  const readPath = pathParameters(path);
  const paged = isPaged(parameters);
  const unknown = takesUnknownObjects ? [] : unknownObjectErrors(path, parameters);
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
    fails: [...new Set([...fails, ...unknown])].map((name) => ErrorCode[name]),
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
        return await shownAnswer({ shows, auditedIds, isLong, isPaged: paged }, call, result);
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

/** The errors for unknown objects, by path segment or query parameter. */
const unknownObjects: Readonly<Record<string, ErrorName>> = {
  accountId: 'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
  childAccountId: 'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
  bundleId: 'SUBSCRIPTION_GET_INVALID_BUNDLE_ID',
  subscriptionId: 'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID',
  invoiceId: 'INVOICE_NOT_FOUND',
  groupId: 'INVOICE_NOT_FOUND',
  invoiceItemId: 'INVOICE_ITEM_NOT_FOUND',
  itemId: 'INVOICE_ITEM_NOT_FOUND',
  invoiceNumber: 'INVOICE_NUMBER_NOT_FOUND',
  creditId: 'INVOICE_NO_SUCH_CREDIT',
  invoicePaymentId: 'INVOICE_PAYMENT_NOT_FOUND',
  paymentId: 'PAYMENT_NO_SUCH_PAYMENT',
  transactionId: 'PAYMENT_NO_SUCH_PAYMENT',
  paymentTransactionId: 'PAYMENT_NO_SUCH_PAYMENT',
  paymentMethodId: 'PAYMENT_NO_SUCH_PAYMENT_METHOD',
  tagDefinitionId: 'TAG_DEFINITION_DOES_NOT_EXIST',
  tenantId: 'TENANT_DOES_NOT_EXIST_FOR_ID',
  username: 'SECURITY_INVALID_USER',
  clientId: 'SECURITY_INVALID_USER',
  productName: 'CATALOG_ENTRY_PRODUCT_NOT_FOUND',
  planName: 'CATALOG_ENTRY_PLAN_NOT_FOUND',
  accountEmailId: 'OBJECT_NOT_FOUND',
  blockingId: 'OBJECT_NOT_FOUND',
  creditNoteId: 'OBJECT_NOT_FOUND',
  customFieldId: 'OBJECT_NOT_FOUND',
  sellerId: 'OBJECT_NOT_FOUND',
  deliveryId: 'OBJECT_NOT_FOUND',
  eventId: 'OBJECT_NOT_FOUND',
  paymentAttemptId: 'OBJECT_NOT_FOUND',
  tagId: 'OBJECT_NOT_FOUND',
  trackingId: 'OBJECT_NOT_FOUND',
};

function unknownObjectErrors(path: string, query: QueryParameters): readonly ErrorName[] {
  return [...parameterNamesOf(path), ...Object.keys(query)].flatMap((name) => unknownObjects[name] ?? []);
}

function filledLocation(location: string, params: Readonly<Record<string, string>>, created: unknown) {
  const { id } = (created ?? {}) as { readonly id?: string };
  const last = parameterNamesOf(location).at(-1);
  return location.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((name === last ? id : undefined) ?? params[name] ?? ''),
  );
}

/** Returns a function that reads the query. The result for an empty query, which most calls have, is cached. */
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

function withProperties(context: CallContext, query: object): CallContext {
  const { pluginProperty } = query as { readonly pluginProperty?: readonly PluginProperty[] };
  return pluginProperty === undefined ? context : { ...context, pluginProperties: pluginProperty };
}

export function producedTypes(success: Success): readonly string[] {
  return success.mediaTypes ?? (success.body === undefined ? [] : ['application/json']);
}

const keyless: ReadonlySet<string> = new Set<Route['credentials']>(['NONE', 'LOGIN', 'SIGNATURE']);

/**
 * Returns true if the route accepts an idempotency key. All POST routes do (http-api §11 rule 2), except those for
 * tokens (RFC 6749 §5.1), notifications and streamed bodies.
 */
export function takesKey({
  method,
  credentials,
  body,
}: Pick<Route, 'method' | 'credentials' | 'body'>): boolean {
  return method === 'POST' && !keyless.has(credentials) && body?.isStreamed !== true;
}

/** Returns the author of a change that does not belong to a tenant. */
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
