import { BillingError, invalidField } from '../../lib/values/errors/index.ts';
import { Decimal } from '../../lib/values/money/index.ts';
import type { ClientOptions } from './client-options.ts';
import { queries, type TypedJson, type TypedKind } from './operation-calls.ts';

const RETRIES = 4;
const TIMEOUT_MS = 90_000;
const LONGEST_WAIT_MS = 30_000;
const FIRST_WAIT_MS = 250;

const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';

/** Calls an operation of a group with these arguments. */
export type CallOperation = (group: string, operation: string, input: readonly unknown[]) => Promise<unknown>;

export function operationCaller(options: ClientOptions): CallOperation {
  checkOptions(options);
  const { retries = RETRIES } = options;
  const base = `${options.url.replace(/\/+$/, '')}/1.0/kb`;

  return async (group, operation, input) => {
    const known: Readonly<Record<string, readonly string[]>> = queries;
    const isQuery = known[group]?.includes(operation) === true;
    const url = `${base}/${isQuery ? 'queries' : 'operations'}/${group}/${operation}`;
    const body = JSON.stringify(callBody(input), (_name, value) =>
      value instanceof Uint8Array ? base64Of(value) : value,
    );
    // Use the same key for each attempt, so that the change takes effect only once.
    const key = isQuery ? {} : { 'Idempotency-Key': globalThis.crypto.randomUUID() };
    for (let attempt = 0; ; attempt += 1) {
      const headers = { ...(await headersOf(options)), ...key };
      const outcome = await tryFetch(options, url, { method: 'POST', headers, body });
      const waitMs = attempt < retries ? waitAfter(outcome, attempt) : null;
      if (waitMs === null) return resultOf(outcome);
      if (outcome instanceof Response) await outcome.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  };
}

/**
 * Checks the options, because applications may pass them without type checking.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003).
 */
function checkOptions(options: ClientOptions): void {
  const given: object = Object(options);
  const usesSession = ['apiSecret', 'user', 'token'].every((field) => !Object.hasOwn(given, field));
  for (const field of ['url', 'apiKey', ...(usesSession ? [] : ['apiSecret'])])
    if (typeof Reflect.get(given, field) !== 'string')
      throw invalidField(
        `${field} of createClient must be text, as in createClient({ url, apiKey, apiSecret })`,
        { field },
      );
}

/** Returns the arguments as JSON. Omits missing arguments at the end, and converts bytes to Base64. */
function callBody(input: readonly unknown[]) {
  const given = input.slice(0, input.findLastIndex((value) => value !== undefined) + 1);
  const bytes = [...given.keys()].filter((place) => given[place] instanceof Uint8Array);
  const values = given.map((value) => {
    if (value instanceof Uint8Array) return base64Of(value);
    const isDefinition = typeof value === 'object' && value !== null && 'toXml' in value;
    return isDefinition ? (value as { toXml(): string }).toXml() : value;
  });
  return { arguments: values, ...(bytes.length > 0 && { bytes }) };
}

async function headersOf(options: ClientOptions): Promise<Record<string, string>> {
  const { apiKey, apiSecret, user, password, token, createdBy = user ?? apiKey, reason, comment } = options;
  const bearer = typeof token === 'function' ? await token() : token;
  const authorization =
    bearer === undefined
      ? `Basic ${base64Of(new TextEncoder().encode(`${user ?? ''}:${password ?? ''}`))}`
      : `Bearer ${bearer}`;
  return {
    ...(bearer === undefined && user === undefined ? {} : { Authorization: authorization }),
    'Content-Type': JSON_TYPE,
    'X-Service-ApiKey': headerText(apiKey),
    ...(apiSecret !== undefined && { 'X-Service-ApiSecret': headerText(apiSecret) }),
    'X-Service-CreatedBy': headerText(createdBy),
    ...(reason !== undefined && { 'X-Service-Reason': headerText(reason) }),
    ...(comment !== undefined && { 'X-Service-Comment': headerText(comment) }),
  };
}

/**
 * Returns the UTF-8 bytes of a string as Latin-1 characters, because `fetch` rejects all other characters in headers.
 */
function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** The response to an attempt, or the error if the attempt failed. */
type Outcome = Response | Error;

async function tryFetch(options: ClientOptions, url: string, request: RequestInit): Promise<Outcome> {
  const { fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS } = options;
  try {
    return await fetch(url, { ...request, signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Returns the number of milliseconds until the next attempt, or null if another attempt would not help. */
function waitAfter(outcome: Outcome, attempt: number): number | null {
  if (outcome instanceof Error) return FIRST_WAIT_MS * 2 ** attempt;
  if (![409, 429, 503].includes(outcome.status)) return null;
  const seconds = Number(outcome.headers.get('Retry-After') ?? Number.NaN);
  return Number.isNaN(seconds) ? null : Math.min(seconds * 1_000, LONGEST_WAIT_MS);
}

async function resultOf(outcome: Outcome): Promise<unknown> {
  if (outcome instanceof Error) throw outcome;
  if (!outcome.ok) throw await errorOf(outcome);
  if (outcome.headers.get('Content-Type')?.startsWith(LINES_TYPE)) return linesOf(outcome);
  return typedValue((await outcome.json()) as TypedJson);
}

async function errorOf(response: Response): Promise<Error> {
  const text = await response.text();
  try {
    const { code, message, facts, problems = [] } = JSON.parse(text) as BillingError;
    if (typeof code === 'number')
      return new BillingError({ code, message, facts, ...(problems.length > 0 && { problems }) });
  } catch (error) {
    // The response comes from a proxy, not from the server.
    if (!(error instanceof SyntaxError)) throw error;
  }
  return new Error(`The server answered ${response.status}: ${text.slice(0, 200)}`);
}

async function* linesOf({ body }: Response): AsyncIterable<unknown> {
  let rest = '';
  const decoder = new TextDecoder();
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield typedValue(JSON.parse(line) as TypedJson);
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}

/**
 * Restores the typed values of a result. Restores nested values first, because the value that contains them may be
 * replaced by a map or method.
 */
function typedValue({ value, types }: TypedJson): unknown {
  const places = Object.entries(types).flatMap(([kind, found = []]) =>
    found.map((place) => ({ kind: kind as TypedKind, steps: stepsOf(place) })),
  );
  places.sort((one, other) => other.steps.length - one.steps.length);
  return places.reduce((restored, { kind, steps }) => restoreAtPath(restored, steps, kind), value);
}

function stepsOf(place: string): readonly string[] {
  if (place === '') return [];
  return place.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function restoreAtPath(value: unknown, [step, ...rest]: readonly string[], kind: TypedKind): unknown {
  if (step === undefined) return value === null || value === undefined ? value : restore[kind](value);
  if (typeof value !== 'object' || value === null) return value;
  if (step === '*')
    return Array.isArray(value) ? value.map((each) => restoreAtPath(each, rest, kind)) : value;
  const owner = value as Record<string, unknown>;
  if (Object.hasOwn(owner, step)) owner[step] = restoreAtPath(owner[step], rest, kind);
  return owner;
}

/** Restores a value according to its type. A list may contain values of other types, which do not change. */
const restore: Readonly<Record<TypedKind, (value: unknown) => unknown>> = {
  instant: (value) => (typeof value === 'string' ? new Date(value) : value),
  amount: (value) => (typeof value === 'string' ? new Decimal(value) : value),
  map: (value) => (Array.isArray(value) ? new Map(value as [unknown, unknown][]) : value),
  bytes: (value) => (typeof value === 'string' ? bytesOf(value) : value),
  method: (value) => () => value,
};

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
