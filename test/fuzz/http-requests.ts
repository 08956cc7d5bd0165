import fc from 'fast-check';
import type { Route } from '../../adapters/koa/routing/route.ts';
import { documentHeaders } from '../support/http/serving.ts';
import { jsonOf, oddJson, oddText, oddTexts } from './http-values.ts';

export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  /** Each character is a byte, from 0 to 255. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** A valid call of a route, from which mutations start. */
export interface Seed {
  readonly route: Route;
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const utf8 = new TextEncoder();

export function requestOf(seed: Seed, ids: readonly string[]): fc.Arbitrary<FuzzedRequest> {
  return fc
    .record({
      method: rarely(
        fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'),
        seed.route.method,
      ),
      path: pathOf(seed, ids),
      query: queryOf(seed, ids),
      headers: headersOf(seed),
      body: bodyOf(seed, ids),
    })
    .map(({ path, query, body, method, headers }) => {
      const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
      // For these methods, Node's client sends the length of a body but not the body.
      const carries = method !== 'HEAD' && method !== 'OPTIONS' && !(method === 'GET' && body === null);
      const whole = `${path}${search === '' ? '' : '?'}${search}`;
      return { method, headers, path: whole.slice(0, 20_000), body: carries ? body : null };
    });
}

function rarely<T>(odd: fc.Arbitrary<T>, usual: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });
}

/** Percent-encodes the text. Malformed text becomes the bytes of a lone surrogate. */
function encoded(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

function pathOf({ path }: Seed, ids: readonly string[]): fc.Arbitrary<string> {
  const segments = path.split('/');
  const segment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...ids) },
    { weight: 3, arbitrary: oddText.map(encoded) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%ff', '%00', '%2F', '..', '.', '', ';a=b', '%C0%AF', 'search'),
    },
  );
  const first = Math.min(3, segments.length - 1);
  const at = fc.integer({ min: first, max: segments.length - 1 });
  const change = fc.tuple(at, segment).map(([index, text]) => segments.with(index, text).join('/'));
  return fc.oneof({ weight: 3, arbitrary: fc.constant(path) }, { weight: 1, arbitrary: change });
}

/** Parameters that are never sent, because they make the call wait. */
const neverSent = new Set(['callCompletion', 'timeoutSec', 'callTimeoutSec']);

type Pairs = readonly (readonly [string, string])[];

function queryOf(seed: Seed, ids: readonly string[]): fc.Arbitrary<Pairs> {
  const names = Object.keys(seed.route.query).filter((name) => !neverSent.has(name));
  const value = fc.oneof(
    oddText,
    fc.constantFrom(...ids),
    fc.constantFrom('true', 'false', '1', '-5', 'FULL'),
  );
  const name =
    names.length === 0 ? oddText : fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...names) }, oddText);
  const added = fc.array(fc.tuple(name, value), { maxLength: 4 });
  const kept = rarely<Pairs>(fc.constant([]), seed.query);
  return fc.tuple(kept, added).map(([usual, more]) => {
    const given = new Set(more.map(([each]) => each));
    // A parameter that the seed also has is replaced, or repeated if it was generated twice.
    return [...usual.filter(([each]) => !given.has(each)), ...more];
  });
}

const headerNames = [
  'accept',
  'authorization',
  'content-type',
  'content-encoding',
  'cookie',
  'host',
  'if-none-match',
  'idempotency-key',
  'forwarded',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
  'x-service-apikey',
  'x-service-apisecret',
  'x-service-createdby',
  'x-service-comment',
  'x-service-reason',
  'x-service-encoding',
  'x-killbill-apikey',
  'x-killbill-createdby',
  'x-killbill-encoding',
];

const headerValues = [
  ...oddTexts.map((text) => Buffer.from(text.toWellFormed(), 'utf8').toString('latin1')),
  'application/json',
  'application/json; charset=utf-16',
  'text/xml',
  'text/*;q=0, */*;q=0.1',
  'image/png',
  ';;;,,,q=',
  'multipart/form-data; boundary=',
  'Basic',
  'Basic !!!!',
  'Basic OjpAOg==',
  'Bearer',
  'Bearer a.b.c',
  'Bearer eyJhbGciOiJub25lIn0.e30.',
  'JSESSIONID=',
  'JSESSIONID=x; JSESSIONID="y',
  'gzip',
  'base64',
  '////',
  'for=";',
  'example.com:99999',
  '"x", W/"y", *',
  '\xff\xfe',
  '\x80\x81',
  '\t',
];

/** Bytes that HTTP does not allow in a header. Node's parser rejects them. */
const notInHeaders = /[^\t\x20-\x7e\x80-\xff]/g;

function headersOf(seed: Seed): fc.Arbitrary<Readonly<Record<string, string>>> {
  const value = fc.oneof(
    fc.constantFrom(...headerValues),
    fc.string({ unit: 'binary-ascii', maxLength: 20 }),
  );
  const odd = fc
    .tuple(fc.constantFrom(...headerNames), value)
    .map(([name, text]) => [name, text.replace(notInHeaders, '').slice(0, 6_000)] as const);
  const usual: Readonly<Record<string, string>> = { ...documentHeaders, ...seed.headers };
  const changes = rarely<Pairs>(fc.array(odd, { minLength: 1, maxLength: 3 }), []);
  return changes.map((list) => ({ ...usual, ...Object.fromEntries(list) }));
}

const tooLarge = utf8.encode(`"${'x'.repeat(1_100_000)}"`);

function bodyOf(seed: Seed, ids: readonly string[]): fc.Arbitrary<Uint8Array | null> {
  const { body } = seed.route;
  if (body === undefined) return rarely<Uint8Array | null>(fc.constantFrom(...oddJson).map(bytesOf), null);
  const texts = [
    ...(seed.body === null ? [] : [{ weight: 3, arbitrary: mutated(seed.body) }]),
    ...(body.mediaTypes[0] === 'application/json' ? [{ weight: 3, arbitrary: jsonOf(body.json, ids) }] : []),
    { weight: 1, arbitrary: fc.oneof(fc.constantFrom(...oddJson), oddText) },
  ];
  const binary = fc.uint8Array({ maxLength: 40 });
  return fc.oneof(
    { weight: 30, arbitrary: fc.oneof(...texts).map(bytesOf) },
    { weight: 1, arbitrary: fc.oneof<fc.Arbitrary<Uint8Array | null>[]>(binary, fc.constant(null)) },
    { weight: 1, arbitrary: fc.constant(tooLarge) },
  );
}

function bytesOf(text: string): Uint8Array {
  return utf8.encode(text);
}

/** Replaces one value in the text of the seed, or inserts text at one position. */
function mutated(text: string): fc.Arbitrary<string> {
  const tokens = text.split(/("(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?|true|false|null)/);
  const odd = fc.oneof(
    fc.constantFrom(...oddJson),
    oddText.map((each) => JSON.stringify(each)),
  );
  const values = Math.floor(tokens.length / 2);
  const replace = fc
    .tuple(fc.nat(Math.max(0, values - 1)), odd)
    .map(([index, value]) => (values === 0 ? value : tokens.with(2 * index + 1, value).join('')));
  const insert = fc
    .tuple(fc.nat(text.length), odd, fc.nat(8))
    .map(([at, value, cut]) => text.slice(0, at) + value + text.slice(at + cut));
  return fc.oneof(
    { weight: 5, arbitrary: replace },
    { weight: 2, arbitrary: insert },
    { weight: 1, arbitrary: fc.nat(text.length).map((at) => text.slice(0, at)) },
    { weight: 2, arbitrary: fc.constant(text) },
  );
}
