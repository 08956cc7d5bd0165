import cluster from 'node:cluster';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Logger } from 'pino';
import { Billing } from '../../node/billwright.ts';
import { scryptHasher } from '../../node/index.ts';
import {
  administratorOf,
  type ChosenPassword,
  choosePassword,
  ensureLogin,
  type Login,
  loginText,
  refuseTestPassword,
} from '../administrator.ts';
import { openCipher } from '../composed-server.ts';
import { openStorage, shownDatabase } from '../database.ts';
import { createLogger } from '../logger.ts';
import {
  announce,
  endOnSignal,
  keyIsNew,
  logConfiguration,
  outliveForgottenPromises,
} from '../running-server.ts';
import type { ServeOptions } from '../serve-options.ts';
import { UsageError } from '../usage-error.ts';
import { WorkerPool } from './worker-pool.ts';
import type { Ending } from './worker-process.ts';

/**
 * Serves the port with several processes. Prepares the database and the administrator once, then starts the workers,
 * each as a separate node.
 */
export async function serveWithWorkers(options: ServeOptions, count: number): Promise<void> {
  if (!cluster.isPrimary)
    throw new UsageError(
      '--workers cannot be used in a worker of another cluster, such as the cluster mode of pm2: start the server in a single process',
    );
  const { environment } = options;
  const password = choosePassword(environment, options);
  const logger = createLogger(environment.BILLWRIGHT_LOG_LEVEL);
  outliveForgottenPromises(logger);
  logConfiguration(options, logger);
  const port = await freePort(options);
  console.log(loginText(await prepareDatabase(options, password, logger)));
  const pool = new WorkerPool({
    count,
    port,
    nodeName: options.nodeName,
    logger,
    giveUp: () => process.exit(1),
  });
  endOnSignal(
    logger,
    async () => {
      const endings = await pool.stop();
      logger.info({}, 'stopped');
      if (endings.some(isFailure)) throw new Error('A worker did not stop gracefully');
    },
    () => pool.kill(),
  );
  process.on('SIGHUP', () => {
    pool.restart().catch((error: unknown) => logger.error({ err: error }, 'restarting failed'));
  });
  const at = await pool.start();
  if (at === null) return;
  logger.info({ ...at, workers: count, database: shownDatabase(options.database) }, 'all workers serve');
  announce(at, options);
}

/**
 * Returns true if the end of a worker is a failure. A worker that is stopped while it starts ends with the signal and
 * has no exit code.
 */
function isFailure({ code, signal }: Ending): boolean {
  return code !== 0 && signal !== 'SIGTERM';
}

/**
 * Checks that the port is free before a password is created and shown. For port 0, chooses a free port, because all
 * workers, including later ones, must use the same number.
 * @throws The error of `listen` if the port is not free.
 */
async function freePort({ port: wanted, host }: ServeOptions): Promise<number> {
  const server = createServer().listen(wanted, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const closed = once(server, 'close');
  server.close();
  await closed;
  return port;
}

/** Migrates the database if requested. Creates the server key and the administrator. */
async function prepareDatabase(
  options: ServeOptions,
  password: ChosenPassword,
  logger: Logger,
): Promise<Login> {
  const storage = await openStorage(options.database, options);
  try {
    const { cipher, isKeyNew } = await openCipher({ options, storage, logger });
    const hasher = scryptHasher();
    const billing = await Billing.open<never>({ storage, cipher, hasher, logger });
    const check = await refuseTestPassword(billing.security, hasher, options.environment);
    await check.ended;
    const login = await ensureLogin(billing, administratorOf(options.environment), password);
    if (isKeyNew && login.chosen === null) logger.warn({}, keyIsNew);
    return login;
  } finally {
    await storage.close();
  }
}
