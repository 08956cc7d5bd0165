import { Agent, request } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { routeTable } from '../../adapters/koa/routes/route-table.ts';
import type { Route } from '../../adapters/koa/routing/route.ts';
import { ErrorCode } from '../../lib/values/errors/index.ts';
import { populate, type Serving, START, serve, type World } from '../support/http/index.ts';
import { pathOf, samples } from '../support/http/route-samples.ts';
import { anyDatabase, expect, expectBelow, isLongRun, migrated, seed } from '../support/index.ts';
import { ACCEPTS_UNKNOWN_UNITS } from '../support/usage/unknown-units.ts';
import { type FuzzedRequest, requestOf, type Seed } from './http-requests.ts';

/** Requests per database: a few seconds' worth on each commit, 500,000 in total in the long run. */
const runs = Number(process.env.BILLWRIGHT_FUZZ_RUNS ?? (isLongRun ? 250_000 : 300));

/** After this many requests, a new database is used, so that stored data does not slow later requests. */
const RUNS_PER_DATABASE = 5_000;

/** How much the memory may grow between the first and a later database, in the long run. */
const MOST_HEAP_GROWTH = 64 * 2 ** 20;

/**
 * Maximum processor time of one request in the long run. A request that moves the clock also does all work due until
 * then.
 */
const MOST_MS_PER_REQUEST = 1_000;
const MOST_MS_PER_MOVE = 10_000;

/**
 * Thousands of requests bill a subscription on one day. The default bound would treat this as an illegal state (500).
 */
const configuration = {
  ...ACCEPTS_UNKNOWN_UNITS,
  'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1,
};

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function liveHeap(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

const statuses = new Set([
  200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 412, 413, 414, 415, 422, 501,
]);
const codes = new Set<number>(Object.values(ErrorCode));
const errorKeys = ['causeClassName', 'causeMessage', 'className', 'code', 'message', 'stackTrace'];

anyDatabase.describe('fuzzed HTTP requests', (open) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  after(() => agent.destroy());

  it('get a known status, get an error body on failure, and never hang', async () => {
    let heapAtFirst: number | null = null;
    for (let left = runs; left > 0; left -= RUNS_PER_DATABASE) {
      const serving = await serve(await open(migrated), { configuration });
      try {
        const world = await populate(serving);
        const numRuns = Math.min(left, RUNS_PER_DATABASE);
        await fuzz(world, agent, { numRuns, seed: seed + runs - left });
        const errors = serving.log.lines.filter(
          ({ level, fields }) => level === 'error' && Reflect.get(fields, 'code') !== DEFAULT_PAYMENT_METHOD,
        );
        expect(errors).to.eql([]);
        expect(({} as { polluted?: unknown }).polluted).to.equal(undefined);
        expect((await serving.get('/accounts/pagination')).status).to.equal(200);
      } finally {
        agent.destroy();
        await serving.close();
      }
      const heap = liveHeap();
      heapAtFirst ??= heap;
      expectBelow(MOST_HEAP_GROWTH, heap - heapAtFirst, 'growth of the heap');
    }
  }).timeout(0);
});

async function fuzz(
  world: World,
  agent: Agent,
  parameters: { readonly numRuns: number; readonly seed: number },
): Promise<void> {
  const serving = world.serving as Awaited<ReturnType<typeof serve>>;
  const seeds: Seed[] = [];
  for (const route of routeTable({ testMode: true })) seeds.push(await seedOf(route, world));
  const ids = [...new Set(Object.values(world).filter((id) => typeof id === 'string'))];
  const call = fc.oneof(
    ...seeds.map((each) => requestOf(each, ids).map((fuzzed) => ({ route: each.route, fuzzed }))),
  );
  await fc.assert(
    fc.asyncProperty(call, async ({ route, fuzzed }) => {
      const began = process.cpuUsage();
      const reply = await send(serving, agent, fuzzed);
      const { user, system } = process.cpuUsage(began);
      check(route, fuzzed, reply);
      const most = route.area === 'test' ? MOST_MS_PER_MOVE : MOST_MS_PER_REQUEST;
      expectBelow(most, (user + system) / 1_000, 'processor time in ms');
      if (route.area === 'test') serving.clock.set(START);
      // If the node stayed out of rotation, the next change would get status 503.
      serving.billing.setInRotation(true);
    }),
    parameters,
  );
}

async function seedOf(route: Route, world: World): Promise<Seed> {
  const make = samples[route.operationId];
  if (make === undefined) throw new Error(`${route.operationId} has no sample`);
  const sample = await make(world);
  const { body, query, segments, headers } = sample;
  const text = body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : body;
  return {
    route,
    path: pathOf(route.path, world, segments),
    query: [...new URLSearchParams(query)],
    headers: {
      'content-type': route.body?.mediaTypes[0] ?? 'application/json',
      ...Object.fromEntries(
        Object.entries(headers ?? {}).filter((entry): entry is [string, string] => entry[1] !== undefined),
      ),
    },
    body: text === undefined ? null : typeof text === 'string' ? text : JSON.stringify(text),
  };
}

interface RawReply {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

function send(serving: Serving, agent: Agent, fuzzed: FuzzedRequest): Promise<RawReply> {
  const { method, path, body } = fuzzed;
  const { hostname, port } = new URL(serving.url);
  const headers = {
    host: `${hostname}:${port}`,
    ...fuzzed.headers,
    ...(body === null ? {} : { 'content-length': String(body.length) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, type: answer.headers['content-type'], text });
      });
    });
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

/** Deletion of the default payment method in dialect D (http-api §4 line 7). */
const DEFAULT_PAYMENT_METHOD = ErrorCode.PAYMENT_DEL_DEFAULT_PAYMENT_METHOD;

function isDocumentedFailure(status: number, text: string): boolean {
  return status === 500 && JSON.parse(text).code === DEFAULT_PAYMENT_METHOD;
}

function check(route: Route, { method }: FuzzedRequest, { status, type, text }: RawReply): void {
  expect(statuses.has(status) || isDocumentedFailure(status, text), `${status} ${text}`).to.equal(true);
  if (status < 400 || method === 'HEAD') return;
  expect(type).to.equal('application/json');
  const body = JSON.parse(text) as { readonly code: number; readonly message: string };
  // The token endpoint uses the error format of OAuth.
  if (route.errorBody !== undefined && !('code' in body)) return;
  const more = route.errorsWithFacts && 'facts' in body ? ['facts', 'problems'] : [];
  expect(Object.keys(body)).to.have.members([...errorKeys, ...more]);
  expect(codes.has(body.code), text).to.equal(true);
  expect(body.message).to.be.a('string').and.to.have.length.greaterThan(0);
}
