import { signal } from '@preact/signals';
import { BillingError, ErrorCode } from '../../client/index.ts';
import { serverBase } from './location.ts';

/** An HTTP call that the console made. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request body, or null for a call without a body and for a body that may contain a secret. */
  readonly body: string | null;
  readonly isSecret: boolean;
  /** True for calls that change something. */
  readonly changes: boolean;
  /** Status of the response; null if no response arrived. */
  readonly status: number | null;
  readonly milliseconds: number;
}

const KEPT_CALLS = 100;

/** The latest calls, newest first. */
export const calls = signal<readonly Call[]>([]);

/** Increases after each change, so that the data on the page are loaded again. */
export const revision = signal(0);

/** API key of the tenant that the server refused, because the tenant does not exist or the user may not open it. */
export const refusedTenant = signal<string | null>(null);

/** True after a call was rejected because the session has ended. The sign-in form then covers the page. */
export const sessionEnded = signal(false);

/** False while the server cannot be reached. */
export const isReachable = signal(true);

let lastId = 0;

/** Matches calls whose body may contain a password, an API secret or the credentials of a gateway. */
const SECRET_CALLS = /\/(?:security|tenants|operations\/(?:keyValues|paymentMethods))(?:[/?]|$)/;

/** Calls `fetch` and records the call. */
export async function recordingFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const started = performance.now();
  const method = init.method ?? 'GET';
  const url = String(input);
  const changes = method !== 'GET' && !url.includes('/queries/') && !isSignIn(url);
  const headers = Object.fromEntries(new Headers(init.headers));
  const isSecret = init.body !== undefined && SECRET_CALLS.test(url);
  const body = isSecret ? null : ((init.body as string | undefined) ?? null);
  const record = (status: number | null) => {
    lastId += 1;
    const milliseconds = performance.now() - started;
    const call = { id: lastId, method, url, headers, body, isSecret, changes, status, milliseconds };
    calls.value = [call, ...calls.value].slice(0, KEPT_CALLS);
  };
  try {
    const response = await fetch(input, init);
    record(response.status);
    isReachable.value = true;
    if (response.status === 401 && !isSignIn(url)) await endSession(response, headers['x-service-apikey']);
    if (changes && response.ok) revision.value += 1;
    return response;
  } catch (error) {
    record(null);
    if (!(error instanceof DOMException && error.name === 'AbortError')) isReachable.value = false;
    throw error;
  }
}

function isSignIn(url: string): boolean {
  return url.includes('/security/sessions');
}

/** Reports that the session has ended, or that the server knows the session but refuses the tenant. */
async function endSession(response: Response, apiKey: string | undefined): Promise<void> {
  // A proxy may respond with text that is not JSON.
  const text = await response.clone().text();
  const isTenantRefused = text.includes(`"code":${ErrorCode.TENANT_UNAUTHENTICATED}`);
  if (isTenantRefused) refusedTenant.value = apiKey ?? null;
  else sessionEnded.value = true;
}

/** Returns the call as a curl command. Credentials are placeholders, because the page does not know them. */
export function curlOf({ method, url, headers, body, isSecret }: Call): string {
  const quoteForShell = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const lines = [
    `curl -X ${method} ${quoteForShell(new URL(url, location.href).href)}`,
    '-u "$USER:$PASSWORD"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...('x-service-apikey' in headers ? ['-H "X-Service-ApiSecret: $API_SECRET"'] : []),
    ...(body === null ? [] : [`-d ${quoteForShell(body)}`]),
    ...(isSecret ? ['-d "$BODY"'] : []),
  ];
  return lines.join(' \\\n  ');
}

/** Error of a call that is made without `billwright/client`. It contains the server's message. */
async function failureOf(response: Response): Promise<Error> {
  const text = await response.text();
  try {
    const { code, message } = JSON.parse(text) as { readonly code?: ErrorCode; readonly message?: string };
    if (code !== undefined && message !== undefined) return new BillingError({ code, message });
  } catch (error) {
    // A proxy answered instead of the server.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new Error(`${response.status}: ${text.slice(0, 200)}`);
}

/** Returns true for the error of a call without a valid session or password. */
export function isUnauthenticated(error: unknown): boolean {
  return error instanceof BillingError && error.code === ErrorCode.UNAUTHENTICATED;
}

interface ServerRequest {
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the UTF-8 bytes of a string as Latin-1 characters, because `fetch` accepts no other characters in a header.
 */
export function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Returns the response of a successful call. */
async function responseOf(route: string, request: ServerRequest): Promise<Response> {
  const [method = 'GET', path = '/'] = route.split(' ');
  const given = Object.entries(request.query ?? {}).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  const response = await recordingFetch(`${serverBase}/1.0/kb${path}${search === '' ? '' : `?${search}`}`, {
    method,
    headers: {
      Accept: 'application/json',
      'X-Requested-With': 'billwright',
      ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
      ...request.headers,
    },
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  });
  if (!response.ok) throw await failureOf(response);
  return response;
}

/**
 * Calls a server-wide endpoint, such as `GET /security/users`. For operations of a tenant, use `api`.
 * @param route method and path below `/1.0/kb`, such as `GET /nodesInfo`.
 * @returns the JSON of the response; null if the response is empty.
 */
export async function callServer<T>(route: string, request: ServerRequest = {}): Promise<T> {
  const text = await (await responseOf(route, request)).text();
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** Returns a page of a server-wide list, with the length of the list. */
export async function callServerPage<T>(
  route: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<{ readonly rows: readonly T[]; readonly total: number }> {
  const response = await responseOf(route, { query: { offset, limit } });
  const rows = (await response.json()) as readonly T[];
  return {
    rows,
    total: Number(response.headers.get('X-Service-Pagination-TotalNbRecords') ?? offset + rows.length),
  };
}
