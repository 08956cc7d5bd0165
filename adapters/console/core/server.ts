import { BillingError, ErrorCode } from '../../client/index.ts';
import { recordingFetch } from './calls.ts';
import { serverBase } from './location.ts';

/** An error of a call that `billwright/client` does not make, with the sentence of the server. */
export async function failureOf(response: Response): Promise<Error> {
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
 * Calls an endpoint of the whole server, such as `GET /security/users`. Operations of a tenant are called with `api`.
 * @param route method and path below `/1.0/kb`, such as `GET /nodesInfo`.
 * @returns the JSON of the response; null if the response is empty.
 */
export async function callServer<T>(route: string, request: ServerRequest = {}): Promise<T> {
  const text = await (await responseOf(route, request)).text();
  return (text === '' ? null : JSON.parse(text)) as T;
}

/** Returns a page of a list of the whole server, with the length of the list. */
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
