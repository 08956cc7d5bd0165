import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger as PinoLogger } from 'pino';
import { Billing } from '../../lib/billing.ts';
import type { Tracer } from '../../lib/ports/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import type { ConfigurationObject } from '../../lib/tenants/index.ts';
import { QUEUE_SHUTDOWN_WAIT_MS } from '../../lib/values/limits.ts';
import type { Listening } from '../koa/index.ts';
import {
  httpPushSender,
  isFormerNode,
  logFiles,
  newNodeName,
  processGauges,
  productVersion,
  scryptHasher,
  sharedTestClock,
  systemClock,
  uuidGenerator,
  workScopes,
} from '../node/index.ts';
import type { SandboxGateway } from '../payments/index.ts';
import { pdfRenderer } from '../pdf/index.ts';
import { administratorOf, choosePassword, ensureLogin, type Login, loginText } from './administrator.ts';
import { besideDatabase, isPostgresqlUrl, openStorage } from './database.ts';
import { withProblems } from './engine-settings.ts';
import type { Environment } from './environment.ts';
import { createLogger } from './logger.ts';
import { refuseTestModeInProduction, refuseTestPassword } from './production.ts';
import { cipherOf } from './server-key.ts';
import type { HttpSettings } from './settings.ts';
import { UsageError } from './usage-error.ts';

const testModeWarning =
  'TEST MODE: known password, movable clock, sandbox gateway. Anybody who can reach this server owns it. Never use it in production.';

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  /** Whether to bring the schema of a PostgreSQL database up to date first. */
  readonly migrate: boolean;
  /** Whether to refuse a role of a PostgreSQL database that row-level security does not bind. */
  readonly requireRowSecurity: boolean;
  readonly testMode: boolean;
  /** Unique among the nodes of the database; undefined: one of its own at each start. */
  readonly nodeName: string | undefined;
  /** The environment, over the configuration file. */
  readonly environment: Environment;
  /** The file in which the sandbox gateway of test mode remembers what it has done. */
  readonly sandboxLedger: string | undefined;
  readonly http: HttpSettings;
  /** Properties of the engine, by name. */
  readonly configuration: ConfigurationObject;
  /** Document of the catalog for tenants created with `useGlobalDefault`, or a function that returns it. */
  readonly defaultCatalog: string | (() => string);
  /** Overdue configuration of tenants without one; undefined: the engine's own. */
  readonly defaultOverdueConfig: string | undefined;
}

/** Runs the server until it is told to stop. */
export async function serve(options: ServeOptions): Promise<void> {
  const { environment } = options;
  refuseTestModeInProduction(environment, options);
  const password = choosePassword(environment, options);
  const logger = createLogger(environment.BILLWRIGHT_LOG_LEVEL);
  const storage = await openStorage(options.database, options);
  let listening: Listening | undefined;
  try {
    const nodeName = options.nodeName ?? newNodeName();
    const { billing, app, listen } = await compose({ options: { ...options, nodeName }, storage, logger });
    const { port, host, http } = options;
    const user = administratorOf(environment);
    const made = Promise.withResolvers<Login>();
    // The port comes first: if the start failed later, nobody would see the password.
    const prepare = async () => made.resolve(await ensureLogin(billing, user, password));
    listening = await listen(app, {
      port,
      host,
      maxHeaderBytes: http.limits.header,
      requestTimeMs: http.requestTimeMs,
      maxConnections: http.maxConnections,
      prepare,
    });
    const login = await made.promise;
    console.log(loginText(login));
    billing.start();
    stopOnSignal({ billing, listening, logger });
    if (options.testMode) warnOfTestMode(logger, login);
    const database = shownDatabase(options.database);
    logger.info({ host: listening.host, port: listening.port, database, node: nodeName }, 'serving');
    announce(listening, options);
  } catch (error) {
    // An open port and open connections would keep alive a process that cannot serve.
    await listening?.close();
    await storage.close();
    throw error;
  }
}

function warnOfTestMode(logger: PinoLogger, { user, chosen }: Login): void {
  logger.warn({ user }, testModeWarning);
  if (chosen === null)
    logger.warn({ user }, 'the user keeps the password that it has, which is not that of test mode');
}

/** Puts the server together: storage, clock, gateway, engine, HTTP. */
async function compose(parts: {
  readonly options: ServeOptions & { readonly nodeName: string };
  readonly storage: Storage<never>;
  readonly logger: PinoLogger;
}) {
  const { options, storage, logger } = parts;
  const system = systemClock();
  const testClock = options.testMode ? sharedTestClock(storage.system, system) : undefined;
  const sandbox = options.testMode ? await openSandbox(options, logger) : undefined;
  const hasher = scryptHasher();
  const billing = await Billing.open<never>({
    storage,
    clock: testClock ?? system,
    systemClock: system,
    ids: uuidGenerator(),
    hasher,
    cipher: cipherOf(options.environment, options.database, logger),
    logger,
    scopes: workScopes(),
    tracer: await tracerOf(options.environment),
    nodeName: options.nodeName,
    isFormerNode,
    version: productVersion(),
    processGauges: processGauges(),
    logFiles: logFiles(),
    hostName: hostname(),
    testMode: options.testMode,
    documentRenderer: pdfRenderer(),
    pushSender: httpPushSender(),
    gateways: sandbox === undefined ? [] : [sandbox],
    configuration: options.configuration,
    defaultCatalog: options.defaultCatalog,
    defaultOverdueConfig: options.defaultOverdueConfig,
    maxDocumentBytes: options.http.limits.text,
  }).catch((error: unknown) => {
    throw withProblems(error);
  });
  await testClock?.refresh();
  const check = options.testMode
    ? null
    : await refuseTestPassword(billing.security, hasher, options.environment);
  // Loaded while the thread pool hashes.
  const [{ createKoaApp, listen }] = await Promise.all([import('../koa/index.ts'), check?.ended]);
  const app = createKoaApp({
    ...options.http,
    billing,
    logger,
    test: testClock && { clock: testClock, sandbox },
  });
  return { billing, app, listen };
}

/** Undefined: nobody traces. */
async function tracerOf({ BILLWRIGHT_TRACES: value }: Environment): Promise<Tracer | undefined> {
  if (value === undefined || value === 'false') return undefined;
  if (value !== 'true') throw new UsageError('BILLWRIGHT_TRACES must be true or false');
  const { openTelemetryTracer } = await import('../opentelemetry/index.ts');
  return openTelemetryTracer();
}

/** The sandbox stores what it has done in a file, so that it finds its payments again after a restart and on another node. */
async function openSandbox(options: ServeOptions, logger: PinoLogger): Promise<SandboxGateway> {
  const { fileLedger, sandboxGateway } = await import('../payments/index.ts');
  const file = options.sandboxLedger ?? besideDatabase(options.database, 'sandbox');
  if (file === null) return sandboxGateway();
  const path = resolve(file);
  logger.info({ file: path }, 'the sandbox gateway keeps its ledger in a file; all nodes must share it');
  return sandboxGateway({ ledger: fileLedger(path) });
}

interface Running {
  readonly billing: Billing<never>;
  readonly listening: Listening;
  readonly logger: PinoLogger;
}

/** The first signal lets running work end; a second one ends the process at once. */
function stopOnSignal(running: Running): void {
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    running.logger.info({ signal }, 'stopping');
    shutDown(running).then(
      () => process.exit(0),
      (error: unknown) => {
        running.logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

async function shutDown({ billing, listening, logger }: Running): Promise<void> {
  const impatience = setTimeout(() => {
    logger.warn({ waitedMs: QUEUE_SHUTDOWN_WAIT_MS }, 'closing connections that did not end');
    listening.server.closeAllConnections();
  }, QUEUE_SHUTDOWN_WAIT_MS);
  // Both at once: calls that wait for work would otherwise delay the rest until their time is over.
  await Promise.all([listening.close(), billing.stop()]);
  clearTimeout(impatience);
  await billing.close();
  logger.info({}, 'stopped');
}

function announce(listening: Listening, options: ServeOptions): void {
  const url = urlOf(listening) + options.http.basePath.replace(/\/$/, '');
  console.log(`Billwright is ready at ${url}`);
  if (options.testMode) console.log('TEST MODE: never use it in production.');
  if (options.http.docs ?? true)
    console.log(`The interface is described at ${url}/docs and ${url}/openapi.json`);
}

function urlOf({ host, port }: Listening): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}

/** Leaves out the password that a URL may contain. */
function shownDatabase(database: string): string {
  if (!isPostgresqlUrl(database)) return database;
  const url = new URL(database);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
