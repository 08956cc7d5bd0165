import { signal } from '@preact/signals';
import { ErrorCode } from '../../client/index.ts';

/** An HTTP call that the console made. */
export interface Call {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Null without a body, and for a body that may contain a secret. */
  readonly body: string | null;
  readonly isSecret: boolean;
  /** Status of the response; null if no response arrived. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** True for calls that change something. */
  readonly changes: boolean;
}

const KEPT_CALLS = 100;

/** The latest calls, newest first. */
export const calls = signal<readonly Call[]>([]);

/** Increases after each change, so that the data on the page are loaded again. */
export const revision = signal(0);

/** API key of the tenant that the server refused: it does not exist, or the user may not open it. */
export const refusedTenant = signal<string | null>(null);

/** True after a call was rejected because the session has ended. The sign-in form then covers the page. */
export const sessionEnded = signal(false);

/** False while the server cannot be reached. */
export const isReachable = signal(true);

let lastId = 0;

/** Calls whose body may contain a password, an API secret or the credentials of a gateway. */
const SECRET_CALLS = /\/(?:security|tenants|operations\/(?:keyValues|paymentMethods))(?:[/?]|$)/;

/** Like `fetch`, and records the call. */
export async function recordingFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const started = performance.now();
  const method = init.method ?? 'GET';
  const url = String(input);
  const changes = method !== 'GET' && !url.includes('/queries/') && !url.includes('/security/sessions');
  const headers = Object.fromEntries(new Headers(init.headers));
  const isSecret = init.body !== undefined && SECRET_CALLS.test(url);
  const record = (status: number | null) => {
    lastId += 1;
    const call: Call = {
      id: lastId,
      method,
      url,
      headers,
      body: typeof init.body === 'string' && !isSecret ? init.body : null,
      isSecret,
      status,
      milliseconds: performance.now() - started,
      changes,
    };
    calls.value = [call, ...calls.value].slice(0, KEPT_CALLS);
  };
  try {
    const response = await fetch(input, init);
    record(response.status);
    isReachable.value = true;
    if (response.status === 401 && !url.includes('/security/sessions')) {
      if (await isTenantRefused(response)) refusedTenant.value = headers['x-service-apikey'] ?? null;
      else sessionEnded.value = true;
    }
    if (changes && response.ok) revision.value += 1;
    return response;
  } catch (error) {
    record(null);
    if (!(error instanceof DOMException && error.name === 'AbortError')) isReachable.value = false;
    throw error;
  }
}

/** Returns true if the server knows the session, but refuses the tenant. */
async function isTenantRefused(response: Response): Promise<boolean> {
  // The answer of a proxy may be other text than JSON.
  const text = await response.clone().text();
  return text.includes(`"code":${ErrorCode.TENANT_UNAUTHENTICATED}`);
}

/** Returns the call as a curl command. Credentials are placeholders, because the page does not know them. */
export function curlOf({ method, url, headers, body, isSecret }: Call): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const lines = [
    `curl -X ${method} ${quoted(new URL(url, location.href).href)}`,
    '-u "$USER:$PASSWORD"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...('x-service-apikey' in headers ? ['-H "X-Service-ApiSecret: $API_SECRET"'] : []),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
    ...(isSecret ? ['-d "$BODY"'] : []),
  ];
  return lines.join(' \\\n  ');
}
