import type { Logger as PinoLogger } from 'pino';
import type { Billing } from '../../lib/billing.ts';
import { plainError } from '../../lib/runtime/index.ts';
import { QUEUE_SHUTDOWN_WAIT_MS } from '../../lib/values/limits.ts';
import type { Listening } from '../koa/index.ts';
import { hasRenderer } from '../koa/openapi/page.ts';
import { newNodeName } from '../node/index.ts';
import {
  administratorOf,
  choosePassword,
  ensureLogin,
  type Login,
  loginText,
  refuseTestModeInProduction,
} from './administrator.ts';
import { compose } from './composed-server.ts';
import { openStorage, shownDatabase } from './database.ts';
import { unknownVariables } from './environment.ts';
import { createLogger } from './logger.ts';
import type { ServeOptions } from './serve-options.ts';

const usedBefore =
  'This database was already in use without the test mode password: its users keep their passwords, and its clock can now be ' +
  'moved. Without --database, test mode uses a separate database';
const keyIsNew =
  'The database was already in use but the server key is new, so data encrypted with the former key cannot be read. ' +
  'Restore the former key file, or set BILLWRIGHT_SERVER_KEY';
const testModeWarning =
  'TEST MODE: known password, movable clock, sandbox gateway. Anyone who can reach this server controls it. Never use it in production.';

export async function serve(options: ServeOptions): Promise<void> {
  const { environment } = options;
  refuseTestModeInProduction(environment, options);
  const password = choosePassword(environment, options);
  const logger = createLogger(environment.BILLWRIGHT_LOG_LEVEL);
  logConfiguration(options, logger);
  const storage = await openStorage(options.database, options);
  let listening: Listening | undefined;
  try {
    const nodeName = options.nodeName ?? newNodeName();
    const parts = { options: { ...options, nodeName }, storage, logger };
    const { billing, app, listen, isKeyNew } = await compose(parts);
    const { port, host, http } = options;
    const { requestTimeMs, maxConnections } = http;
    const user = administratorOf(environment);
    const made = Promise.withResolvers<Login>();
    // Opens the port first: if that failed later, the password would never be shown.
    const prepare = async () => made.resolve(await ensureLogin(billing, user, password));
    const limits = { maxHeaderBytes: http.limits.header, requestTimeMs, maxConnections };
    listening = await listen(app, { port, host, ...limits, prepare });
    const login = await made.promise;
    if (isKeyNew && login.chosen === null) logger.warn({}, keyIsNew);
    console.log(loginText(login));
    if (options.testMode && login.chosen === null) console.log(`${usedBefore}.`);
    outliveForgottenPromises(billing);
    billing.start();
    stopOnSignal({ billing, listening, logger, closed: options.definition.closed });
    if (options.testMode) warnOfTestMode(logger, login);
    const database = shownDatabase(options.database);
    logger.info({ host: listening.host, port: listening.port, database, node: nodeName }, 'serving');
    announce(listening, options);
  } catch (error) {
    // An open port would keep the failed process alive.
    await listening?.close();
    await storage.close();
    throw error;
  }
}

function logConfiguration({ configurationFile: file, environment }: ServeOptions, logger: PinoLogger): void {
  if (file !== null) logger.info({ file }, 'configured by this file');
  for (const each of unknownVariables(environment)) logger.warn({}, each);
}

/** Logs unhandled rejections, such as those of a plugin, so that they do not end the server. */
function outliveForgottenPromises({ requests }: Billing<never>): void {
  const logger = requests.logger();
  process.on('unhandledRejection', (reason) => {
    logger.error({ err: plainError(reason) }, 'unhandled promise rejection, possibly in a plugin');
  });
}

function warnOfTestMode(logger: PinoLogger, { user, chosen }: Login): void {
  logger.warn({ user }, testModeWarning);
  if (chosen === null)
    logger.warn({ user }, 'the user keeps its existing password, which is not the test mode password');
}

interface Running {
  readonly billing: Billing<never>;
  readonly listening: Listening;
  readonly logger: PinoLogger;
  readonly closed: ServeOptions['definition']['closed'];
}

/** Stops the server on a signal: gracefully on the first, immediately on the second. */
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

async function shutDown({ billing, listening, logger, closed }: Running): Promise<void> {
  const impatience = setTimeout(() => {
    logger.warn({ waitedMs: QUEUE_SHUTDOWN_WAIT_MS }, 'closing the remaining connections');
    listening.server.closeAllConnections();
  }, QUEUE_SHUTDOWN_WAIT_MS);
  // In parallel, so that waiting calls do not delay the shutdown.
  await Promise.all([listening.close(), billing.stop()]);
  clearTimeout(impatience);
  await billing.close();
  await closed?.();
  logger.info({}, 'stopped');
}

function announce(listening: Listening, options: ServeOptions): void {
  const url = urlOf(listening) + options.http.basePath.replace(/\/$/, '');
  console.log(`Billwright is ready at ${url}`);
  if (options.testMode) console.log('TEST MODE: never use it in production.');
  if (options.http.docs ?? true)
    console.log(`The API is described at ${hasRenderer() ? `${url}/docs and ` : ''}${url}/openapi.json`);
}

function urlOf({ host, port }: Listening): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
