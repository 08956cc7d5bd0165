import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger as PinoLogger } from 'pino';
import { Billing } from '../../lib/billing.ts';
import type { PaymentGateway, Tracer } from '../../lib/ports/index.ts';
import type { Storage } from '../../lib/ports/storage/index.ts';
import { MAX_CONNECTIONS, MAX_HEADER_BYTES } from '../../lib/values/limits.ts';
import {
  httpPushSender,
  isFormerNode,
  logFiles,
  processGauges,
  productVersion,
  scryptHasher,
  sha256,
  sharedTestClock,
  systemClock,
  uuidGenerator,
  workScopes,
} from '../node/index.ts';
import type { SandboxGateway } from '../payments/index.ts';
import { pdfRenderer } from '../pdf/index.ts';
import { pluginsOf } from './configuration/plugins-of.ts';
import { besideDatabase } from './database.ts';
import { withProblems } from './engine-settings.ts';
import type { Environment } from './environment.ts';
import { refuseTestPassword } from './production.ts';
import type { ServeOptions } from './serve-options.ts';
import { cipherOf, makesKeyFile } from './server-key.ts';
import { UsageError } from './usage-error.ts';

/** Puts the server together: storage, clock, gateway, engine, HTTP. */
export async function compose(parts: {
  readonly options: ServeOptions & { readonly nodeName: string };
  readonly storage: Storage<never>;
  readonly logger: PinoLogger;
}) {
  const { options, storage, logger } = parts;
  const plugins = pluginsOf(options.definition);
  const system = systemClock();
  const testClock = options.testMode ? sharedTestClock(storage.system, system) : undefined;
  const sandbox = options.testMode ? await openSandbox(options, logger) : undefined;
  const hasher = scryptHasher();
  const isKeyNew = makesKeyFile(options.environment, options.database);
  // A start that comes to nothing leaves no key behind.
  if (isKeyNew) await storage.prepare();
  const billing = await Billing.open<never>({
    storage,
    clock: testClock ?? system,
    systemClock: system,
    ids: uuidGenerator(),
    hasher,
    cipher: cipherOf(options.environment, options.database, logger),
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
    pushSender: httpPushSender(),
    ...plugins,
    gateways: withSandbox(plugins.gateways ?? [], sandbox),
    configuration: options.configuration,
    defaultCatalog: options.defaultCatalog,
    defaultOverdueConfig: options.defaultOverdueConfig,
    maxDocumentBytes: options.http.limits.text,
  }).catch((error: unknown) => {
    throw withProblems(error);
  });
  await testClock?.refresh();
  await told(options, billing);
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
    properties: {
      'server.nodeName': options.nodeName,
      'server.limits.header': options.http.limits.header ?? MAX_HEADER_BYTES,
      'server.limits.connections': options.http.maxConnections ?? MAX_CONNECTIONS,
    },
  });
  return { billing, app, listen, isKeyNew };
}

/** That of test mode, which its endpoints script, stands for one of the configuration. */
function withSandbox(
  gateways: readonly PaymentGateway[],
  sandbox: SandboxGateway | undefined,
): readonly PaymentGateway[] {
  if (sandbox === undefined) return gateways;
  // What is no gateway is refused by the engine, with its place in the list.
  return [...gateways.filter((each: PaymentGateway | undefined) => each?.name !== sandbox.name), sandbox];
}

const sdkIsMissing =
  'BILLWRIGHT_TRACES is true and this process has no OpenTelemetry SDK: nothing is traced. Start it with one, such as ' +
  "NODE_OPTIONS='--import @opentelemetry/auto-instrumentations-node/register'";

/** Undefined: nobody traces. */
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

/** The sandbox stores what it has done in a file, so that it finds its payments again after a restart and on another node. */
async function openSandbox(options: ServeOptions, logger: PinoLogger): Promise<SandboxGateway> {
  const { fileLedger, sandboxGateway } = await import('../payments/index.ts');
  const file = options.sandboxLedger ?? besideDatabase(options.database, 'sandbox');
  if (file === null) return sandboxGateway();
  const path = resolve(file);
  logger.info({ file: path }, 'the sandbox gateway keeps its ledger in a file; all nodes must share it');
  return sandboxGateway({ ledger: fileLedger(path) });
}

/** Lets the configuration file have the engine. */
async function told({ definition, configurationFile }: ServeOptions, billing: Billing<never>): Promise<void> {
  try {
    await definition.opened?.(billing);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${configurationFile}: opened() has failed: ${reason}`, { cause });
  }
}
