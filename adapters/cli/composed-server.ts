import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Logger as PinoLogger, pino } from 'pino';
import { Billing } from '../../lib/billing.ts';
import type { EInvoiceWriter, Logger, PaymentGateway, SecretCipher, Tracer } from '../../lib/ports/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { MAX_CONNECTIONS, MAX_HEADER_BYTES } from '../../lib/values/limits.ts';
import type { ServerGroup } from '../koa/index.ts';
import {
  ensureKeyFile,
  httpPushSender,
  isFormerNode,
  type KeyFile,
  logFiles,
  processGauges,
  productVersion,
  readKeyFile,
  scryptHasher,
  secretCipher,
  sha256,
  sharedTestClock,
  systemClock,
  uuidGenerator,
  workScopes,
} from '../node/index.ts';
import type { SandboxGateway } from '../payments/index.ts';
import { pdfRenderer } from '../pdf/index.ts';
import { refuseTestPassword } from './administrator.ts';
import { pluginsOf } from './configuration/definition.ts';
import { isPostgresqlUrl, pathBesideDatabase } from './database.ts';
import { withProblems } from './engine-settings.ts';
import type { Environment } from './environment.ts';
import type { ServeOptions } from './serve-options.ts';
import { reasonOf, UsageError } from './usage-error.ts';

/** Loads the e-invoice writer when the first e-invoice is requested. */
const eInvoices: EInvoiceWriter = {
  async xml(...given) {
    const { eInvoiceWriter } = await import('../e-invoice/index.ts');
    return eInvoiceWriter().xml(...given);
  },
};

/** Logger that discards messages. Workers use it for messages that the primary process has already logged. */
const quiet = pino({ level: 'silent' });

/**
 * @param parts `storage` is the storage of the directory if there are cells. `group` contains the workers of a server;
 * their primary process has already checked the administrator's password.
 */
export async function compose(parts: {
  readonly options: ServeOptions & { readonly nodeName: string };
  readonly storage: Storage<never>;
  readonly cells: Readonly<Record<string, Storage<never>>> | null;
  readonly logger: PinoLogger;
  readonly group?: ServerGroup | undefined;
}) {
  const { options, storage, cells, logger, group } = parts;
  const plugins = pluginsOf(options.definition);
  const system = systemClock();
  const testClock = options.testMode ? sharedTestClock(storage.system, system) : undefined;
  const sandbox = options.testMode ? await openSandbox(options, logger) : undefined;
  const hasher = scryptHasher();
  const { cipher, isKeyNew } = await openCipher({
    options,
    storage,
    logger: group === undefined ? logger : quiet,
  });
  const engine = {
    clock: testClock ?? system,
    systemClock: system,
    ids: uuidGenerator(),
    hasher,
    cipher,
    sha256,
    logger,
    scopes: workScopes(),
    tracer: await tracerOf(options.environment, logger),
    nodeName: options.nodeName,
    isFormerNode,
    version: productVersion(),
    processGauges: processGauges(),
    logFiles: logFiles(),
    hostName: hostname(),
    testMode: options.testMode,
    documentRenderer: pdfRenderer(),
    eInvoices,
    pushSender: httpPushSender(),
    ...plugins,
    gateways: withSandbox(plugins.gateways ?? [], sandbox),
    configuration: options.configuration,
    defaultCatalog: options.defaultCatalog,
    defaultOverdueConfig: options.defaultOverdueConfig,
    maxDocumentBytes: options.http.limits.text,
  };
  const opened =
    cells === null
      ? Billing.open<never>({ ...engine, storage })
      : Billing.cells<never>({ ...engine, directory: storage, cells, work: options.work });
  const billing = await opened.catch((error: unknown) => {
    throw withProblems(error);
  });
  await testClock?.refresh();
  await callOpened(options, billing);
  const isChecked = options.testMode || group !== undefined;
  const check = isChecked ? null : await refuseTestPassword(billing.security, hasher, options.environment);
  // Load the modules while the thread pool hashes the password.
  const [{ createKoaApp, listen }] = await Promise.all([import('../koa/index.ts'), check?.ended]);
  const app = createKoaApp({
    ...options.http,
    accessLog: options.accessLog,
    billing,
    logger,
    group,
    test: testClock && { clock: testClock, sandbox },
    properties: {
      'server.nodeName': options.nodeName,
      'server.limits.header': options.http.limits.header ?? MAX_HEADER_BYTES,
      'server.limits.connections': options.http.maxConnections ?? MAX_CONNECTIONS,
    },
  });
  return { billing, app, listen, isKeyNew };
}

/** Returns the cipher for stored secrets. Creates the key file when the server first starts. */
export async function openCipher({
  options: { environment, database },
  storage,
  logger,
}: {
  readonly options: Pick<ServeOptions, 'environment' | 'database'>;
  readonly storage: Pick<Storage<never>, 'prepare'>;
  readonly logger: Logger;
}): Promise<{ readonly cipher: SecretCipher; readonly isKeyNew: boolean }> {
  const isKeyNew = makesKeyFile(environment, database);
  // A failed start must not leave a key file.
  if (isKeyNew) await storage.prepare();
  return { cipher: cipherOf(environment, database, logger), isKeyNew };
}

/**
 * Returns the gateways. In test mode, the sandbox gateway is added and replaces configured gateways with its names. The
 * engine rejects invalid gateways.
 */
function withSandbox(
  gateways: readonly (PaymentGateway | undefined)[],
  sandbox: SandboxGateway | undefined,
): readonly PaymentGateway[] {
  if (sandbox === undefined) return gateways as readonly PaymentGateway[];
  const names: readonly unknown[] = [sandbox.name, sandbox.formerly?.name];
  return [...gateways.filter((each) => !names.includes(each?.name)), sandbox] as readonly PaymentGateway[];
}

const sdkIsMissing =
  'BILLWRIGHT_TRACES is true but this process has no OpenTelemetry SDK, so nothing is traced. Start it with an SDK, such as ' +
  "NODE_OPTIONS='--import @opentelemetry/auto-instrumentations-node/register'";

async function tracerOf(
  { BILLWRIGHT_TRACES: value }: Environment,
  logger: PinoLogger,
): Promise<Tracer | undefined> {
  if (value === undefined || value === 'false') return undefined;
  if (value !== 'true') throw new UsageError('BILLWRIGHT_TRACES must be true or false');
  const { hasSdk, openTelemetryTracer } = await import('../opentelemetry/index.ts');
  if (!hasSdk()) logger.warn({}, sdkIsMissing);
  return openTelemetryTracer();
}

/** Opens the sandbox gateway. Its ledger is a file, so that payments survive restarts and other nodes see them. */
async function openSandbox(options: ServeOptions, logger: PinoLogger): Promise<SandboxGateway> {
  const { fileLedger, sandboxGateway } = await import('../payments/index.ts');
  const file = options.sandboxLedger ?? pathBesideDatabase(options.database, 'sandbox');
  if (file === null) return sandboxGateway();
  const path = resolve(file);
  logger.info({ file: path }, 'the sandbox gateway stores its ledger in a file that all nodes must share');
  return sandboxGateway({ ledger: fileLedger(path) });
}

async function callOpened(
  { definition, configurationFile }: ServeOptions,
  billing: Billing<never>,
): Promise<void> {
  try {
    await definition.opened?.(billing);
  } catch (cause) {
    throw new Error(`${configurationFile}: opened() failed: ${reasonOf(cause)}`, { cause });
  }
}

const passingKeyBytes = 32;

/** Returns true if a key file must be created, because neither the environment nor a file contains a key. */
function makesKeyFile(environment: Environment, database: string): boolean {
  const file = pathBesideDatabase(database, 'key');
  return !environment.BILLWRIGHT_SERVER_KEY && file !== null && !existsSync(file);
}

/**
 * Returns a cipher that uses the key in the environment or, without one, the key file next to the database. It can
 * still decrypt secrets that were encrypted with the key file.
 * @throws UsageError for an invalid key or file.
 */
function cipherOf(environment: Environment, database: string, logger: Logger): SecretCipher {
  const file = pathBesideDatabase(database, 'key');
  const given = environment.BILLWRIGHT_SERVER_KEY;
  if (given !== undefined && given !== '') {
    logger.info({}, 'stored secrets are encrypted with BILLWRIGHT_SERVER_KEY');
    const former = file === null ? null : readKeyFile(file);
    const formerKeys = [environment.BILLWRIGHT_FORMER_SERVER_KEY || [], former?.key ?? []].flat();
    return cipherWith('BILLWRIGHT_SERVER_KEY', given, formerKeys);
  }
  // An in-memory database is lost when its process exits.
  if (file === null) return secretCipher(randomBytes(passingKeyBytes).toString('base64'));
  const { key, isOpenToOthers } = keyOfFile(file);
  logger.info({ file }, 'stored secrets are encrypted with the key in this file; keep a copy of it');
  if (isOpenToOthers) logger.warn({ file }, 'other users can read the key file: remove their permissions');
  if (isPostgresqlUrl(database))
    logger.warn(
      { file },
      'nodes that share a database need the same key: set BILLWRIGHT_SERVER_KEY on each node',
    );
  return cipherWith(file, key, []);
}

function keyOfFile(file: string): KeyFile {
  try {
    return ensureKeyFile(file);
  } catch (error) {
    throw new UsageError(`${file} cannot hold the server key: ${reasonOf(error)}. Set BILLWRIGHT_SERVER_KEY`);
  }
}

function cipherWith(source: string, key: string, formerKeys: readonly string[]): SecretCipher {
  try {
    return secretCipher(key, formerKeys);
  } catch (error) {
    throw new UsageError(`${source}: ${reasonOf(error)}`);
  }
}
