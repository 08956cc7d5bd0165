import { readFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request as startRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'chai';
import { eInvoiceWriter } from '../../../adapters/e-invoice/index.ts';
import { createKoaApp, type KoaOptions, listen, type TestMode } from '../../../adapters/koa/index.ts';
import { Billing, type BillingOptions } from '../../../adapters/node/billwright.ts';
import { sharedTestClock, systemClock, uuidGenerator } from '../../../adapters/node/index.ts';
import { pdfRenderer } from '../../../adapters/pdf/index.ts';
import type { FakeClock, SandboxGateway } from '../../../adapters/testing/index.ts';
import { fakeClock, sandboxGateway } from '../../../adapters/testing/index.ts';
import type { Clock, Instant, Uuid } from '../../../lib/index.ts';
import type { Storage } from '../../../lib/ports/storage/index.ts';
import { secondCell } from '../cells/registered-cells.ts';
import { cellsBeside } from '../cells.ts';
import {
  areCells as areAllCells,
  freshDatabase,
  type OpenDatabase,
  type TestDatabase,
} from '../databases.ts';
import { example } from '../files.ts';
import { type SigningGateway, signingGateway } from '../payments/scripted-gateway.ts';
import { plainHasher } from '../plain-hasher.ts';
import { migrated, storageOf } from '../storage.ts';
import { recordingLogger } from '../system-time.ts';
import { ACCEPTS_UNKNOWN_UNITS } from '../usage/unknown-units.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Pick<globalThis.Headers, 'get' | 'has'>;
  readonly text: string;
  /** The body as JSON; undefined without one. */
  readonly json: unknown;
}

type Headers = Readonly<Record<string, string | undefined>>;

export interface Request {
  /** Sent as JSON unless it is text. */
  readonly body?: unknown;
  readonly headers?: Headers;
}

/**
 * A server over a separate database, with an administrator `admin`/`password` and tenants `bob`/`lazar`, `eve`/`other`.
 */
export interface Serving extends CallsOfMethods {
  readonly url: string;
  readonly database: TestDatabase;
  readonly billing: Billing<never>;
  readonly storage: Storage<never>;
  readonly nextId: () => Uuid;
  readonly gateway: SandboxGateway;
  readonly signing: SigningGateway;
  /** The stored hashes that were checked so far; null for unknown names. */
  readonly hashChecks: readonly (string | null)[];
  readonly log: ReturnType<typeof recordingLogger>;
  /** Calls as the administrator and tenant `bob` with the headers of the documents. */
  call(method: string, path: string, request?: Request): Promise<Reply>;
  close(): Promise<void>;
}

/** Calls of one method, on paths below `/1.0/kb`. */
interface CallsOfMethods {
  get(path: string, headers?: Headers): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Headers): Promise<Reply>;
  put(path: string, body?: unknown, headers?: Headers): Promise<Reply>;
  remove(path: string, headers?: Headers): Promise<Reply>;
}

function callsOfMethods(call: Serving['call']): CallsOfMethods {
  const calling =
    (method: string) =>
    (path: string, body?: unknown, headers: Headers = {}) =>
      call(method, `/1.0/kb${path}`, { body, headers });
  return {
    get: (path, headers) => calling('GET')(path, undefined, headers),
    post: calling('POST'),
    put: calling('PUT'),
    remove: (path, headers) => calling('DELETE')(path, undefined, headers),
  };
}

export const START = '2024-02-10T08:15:30.120Z';

export function basic(name: string, secret: string): string {
  return `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`;
}

/** A sender that reports success without sending. */
const silentSender = { resolve: async () => ['192.0.2.1'], send: async () => ({ status: 200 }) };

/** Headers of a caller that follows the documents. */
export const documentHeaders = {
  authorization: basic('admin', 'password'),
  'x-service-apikey': 'bob',
  'x-service-apisecret': 'lazar',
  'x-service-createdby': 'demo',
};

/** The same headers in their other spelling, which selects dialect K. */
export const aliasHeaders = {
  'x-service-apikey': undefined,
  'x-service-apisecret': undefined,
  'x-service-createdby': undefined,
  'x-killbill-apikey': 'bob',
  'x-killbill-apisecret': 'lazar',
  'x-killbill-createdby': 'demo',
};

type Opened = Pick<
  BillingOptions<never>,
  | 'documentRenderer'
  | 'entitlementPlugins'
  | 'invoicePlugins'
  | 'configuration'
  | 'gateways'
  | 'paymentControls'
  | 'pushSender'
  | 'testMode'
  | 'tracer'
>;

type ServeOptions = Opened & {
  readonly http?: Partial<Pick<KoaOptions, 'rates' | 'systemClock'>>;
  /** Default: a storage of the database, like the server on the command line. */
  readonly storage?: Storage<never>;
  /** True: on PostgreSQL, the database is one of two cells, with tenant `bob`. Tenant `eve` is in the other cell. */
  readonly areCells?: boolean;
};

export type Served = Serving & { readonly clock: FakeClock };

export async function serve(database: TestDatabase, options: ServeOptions = {}): Promise<Served> {
  const clock = fakeClock(START);
  const serving = await serveAt(database, () => ({ clock, test: { clock: movable(clock) } }), options);
  return { ...serving, clock };
}

/**
 * Serves a migrated database to all tests of the surrounding `describe`. Before the first hook, only its methods exist.
 */
export function serveOnce(open: OpenDatabase, options?: ServeOptions): Served {
  const { serving, start, stop } = deferredServer(open, options);
  before(start);
  after(stop);
  return serving;
}

/** Serves a new migrated database to each test of the surrounding `describe`. */
export function serveEach(open: OpenDatabase, options?: ServeOptions): Served {
  const { serving, start, stop } = deferredServer(open, options);
  beforeEach(start);
  afterEach(stop);
  return serving;
}

function deferredServer(open: OpenDatabase, options?: ServeOptions) {
  let current: Served | undefined;
  const call: Serving['call'] = async (...request) => {
    if (current === undefined) throw new Error('The server has not started');
    return current.call(...request);
  };
  const serving = { call, ...callsOfMethods(call) } as Served;
  return {
    serving,
    async start() {
      const areCells = options?.areCells ?? areAllCells;
      current = await serve(await open(areCells ? secondCell() : migrated), options);
      Object.assign(serving, current);
    },
    async stop() {
      await current?.close();
      current = undefined;
    },
  };
}

export const freshSqlite: OpenDatabase = (template) => freshDatabase('sqlite', template);

/** Starts a server in test mode with the shared clock of its database. Its system time does not advance. */
export async function serveInTestMode(database: TestDatabase, options: ServeOptions = {}): Promise<Serving> {
  const standing = { ...systemClock(), nowMs: () => Date.UTC(2026, 0, 1) };
  return serveAt(
    database,
    (storage) => {
      const clock = sharedTestClock(storage.system, standing);
      return { clock, test: { clock } };
    },
    options,
  );
}

async function serveAt(
  database: TestDatabase,
  clockOver: (storage: Storage<never>) => { readonly clock: Clock; readonly test: TestMode },
  options: ServeOptions,
): Promise<Serving> {
  const log = recordingLogger();
  const { storage: given = storageOf(database), http, areCells = areAllCells, ...engine } = options;
  const cells =
    areCells && database.kind === 'postgresql'
      ? await cellsBeside(database, given, { hasTenants: false })
      : null;
  const storage = cells?.storage ?? given;
  const { clock, test } = clockOver(storage);
  const gateway = sandboxGateway();
  const signing = signingGateway();
  const hasher = plainHasher();
  const ids = uuidGenerator();
  const billing = await (cells ?? Billing).open({
    ...engine,
    configuration: engine.configuration ?? ACCEPTS_UNKNOWN_UNITS,
    storage,
    ids,
    clock,
    hasher,
    logger: log,
    documentRenderer: options.documentRenderer ?? pdfRenderer(),
    eInvoices: eInvoiceWriter(),
    eInvoiceSender: { name: 'access-point', send: async () => 'accepted' },
    pushSender: options.pushSender ?? silentSender,
    gateways: [gateway, signing, ...(options.gateways ?? [])],
  });
  const isFirst = await billing.security.ensureAdministrator('admin', 'password');
  const tenants = isFirst
    ? ([
        ['bob', 'lazar', 'near'],
        ['eve', 'other', 'far'],
      ] as const)
    : [];
  for (const [apiKey, apiSecret, cell] of tenants)
    await billing.tenants.create(
      { userName: 'test' },
      { apiKey, apiSecret, ...(cells === null ? {} : { cell }) },
    );
  const listening = await listen(
    createKoaApp({ billing, logger: log, test: { ...test, sandbox: gateway }, ...http }),
    { port: 0 },
  );
  const url = `http://${listening.host}:${listening.port}`;
  const agent = new Agent({ keepAlive: true });
  const call: Serving['call'] = (method, path, request) => send(agent, url, { method, path, ...request });
  return {
    ...callsOfMethods(call),
    call,
    url,
    database,
    billing,
    storage,
    nextId: () => ids.next(),
    log,
    gateway,
    signing,
    hashChecks: hasher.checks,
    async close() {
      agent.destroy();
      await listening.close();
      await billing.close();
    },
  };
}

/**
 * Sends a request without `fetch`, which would take as much processor time as the server and request compressed
 * responses.
 */
async function send(
  agent: Agent,
  url: string,
  request: Request & { readonly method: string; readonly path: string },
): Promise<Reply> {
  const { method, path, body } = request;
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  const merged: Request['headers'] = {
    ...documentHeaders,
    ...(body === undefined || isText ? {} : { 'content-type': 'application/json' }),
    ...request.headers,
  };
  const headers = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined));
  const sent = isText ? body : JSON.stringify(body);
  // Node sends no body framing for a DELETE without a Content-Length.
  if (sent !== undefined && method === 'DELETE')
    headers['content-length'] ??= String(Buffer.byteLength(sent));
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = startRequest(url + path, { agent, method, headers }, resolve).on('error', reject);
    outgoing.end(sent);
  });
  const text = await textOf(answer);
  const type = answer.headers['content-type'];
  return {
    status: answer.statusCode ?? 0,
    headers: {
      get: (name) => answer.headers[name.toLowerCase()]?.toString() ?? null,
      has: (name) => name.toLowerCase() in answer.headers,
    },
    text,
    json: text !== '' && type === 'application/json' ? JSON.parse(text) : undefined,
  };
}

/** Creates an account, by default in USD, and returns its id. */
export async function createAccount(
  { call }: Pick<Serving, 'call'>,
  body: object = { currency: 'USD' },
  headers: Request['headers'] = {},
): Promise<string> {
  return createdId(await call('POST', '/1.0/kb/accounts', { body, headers }));
}

/** Uploads settings of tenant `bob`. */
export async function configure({ call }: Pick<Serving, 'call'>, body: Readonly<Record<string, string>>) {
  return call('POST', '/1.0/kb/tenants/uploadPerTenantConfig', { body });
}

/** Returns the status of an answer and the error code of its body. */
export function outcomeOf({ status, json }: Pick<Reply, 'status' | 'json'>): readonly unknown[] {
  return [status, (json as { readonly code?: number } | null | undefined)?.code];
}

/** Asserts the status of an answer and returns the answer; a failure shows its text. */
export function expectStatus<T extends { readonly status?: number | undefined; readonly text?: unknown }>(
  reply: T,
  status: number,
): T {
  expect(reply.status, String(reply.text)).to.equal(status);
  return reply;
}

/** Asserts that the call is refused with this status and error code. */
export function expectRefusal(reply: Pick<Reply, 'status' | 'json'>, status: number, code?: number): void {
  expect(outcomeOf(reply)).to.eql([status, code]);
}

/** Returns the last segment of `Location`. */
export function createdId(reply: Reply): string {
  const location = reply.headers.get('location') ?? '';
  return location.slice(location.lastIndexOf('/') + 1);
}

/** Returns the clock of test mode over a clock of tests. */
export function movable(clock: FakeClock): TestMode['clock'] {
  return {
    now: () => clock.now(),
    set: async (at: Instant | null) => clock.set(at ?? START),
    move: async (by: { days?: number | undefined; months?: number | undefined }) => {
      clock.advance({ days: by.days ?? 0, months: by.months ?? 0 });
    },
  };
}

export function exampleCatalog(name = 'meadow'): Promise<Buffer> {
  return readFile(example(`catalogs/${name}.xml`));
}

export const xmlType = { 'content-type': 'text/xml' };
export const jsonType = { 'content-type': 'application/json' };
export const plainType = { 'content-type': 'text/plain' };

/** Headers of the second tenant. */
export const eve = { 'x-service-apikey': 'eve', 'x-service-apisecret': 'other' };

/** Runs the work against another HTTP server of the same engine and stops that server. */
export async function withServer<T>(
  { billing, log: logger }: Pick<Serving, 'billing' | 'log'>,
  options: Partial<KoaOptions>,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const listening = await listen(createKoaApp({ billing, logger, ...options }), { port: 0 });
  try {
    return await work(`http://127.0.0.1:${listening.port}`);
  } finally {
    await listening.close();
  }
}

/** Stores a user with the password `password`, by default without permissions and for all tenants. */
export async function addUser(
  { storage, nextId }: Pick<Serving, 'storage' | 'nextId'>,
  name: string,
  own: Partial<Parameters<Storage<never>['system']['insertUserIfAbsent']>[0]> = {},
): Promise<void> {
  const credentials = { passwordHash: 'plain:password', credentialVersion: 1, isActive: true };
  const grants = { permissions: [], roles: [], allTenants: true, tenantIds: [] };
  await storage.system.insertUserIfAbsent({ ...credentials, ...grants, id: nextId(), name, ...own });
}

/** A running subscription to `canopy-monthly` of a new account, by the example catalog; returns its id. */
export async function createRunningSubscription({ call }: Pick<Serving, 'call'>): Promise<string> {
  await call('POST', '/1.0/kb/catalog', { body: await exampleCatalog(), headers: xmlType });
  const accountId = createdId(await call('POST', '/1.0/kb/accounts', { body: { currency: 'USD' } }));
  const body = { accountId, planName: 'canopy-monthly' };
  return createdId(await call('POST', '/1.0/kb/subscriptions', { body }));
}
