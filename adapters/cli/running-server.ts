import type { Logger as PinoLogger } from 'pino';
import type { Billing } from '../../lib/billing.ts';
import type { Logger } from '../../lib/ports/index.ts';
import { plainError } from '../../lib/runtime/index.ts';
import { QUEUE_SHUTDOWN_WAIT_MS } from '../../lib/values/limits.ts';
import type { Listening, ServerGroup } from '../koa/index.ts';
import { hasRenderer } from '../koa/openapi/page.ts';
import { hasConsole } from '../koa/pages/home.ts';
import { newNodeName } from '../node/index.ts';
import { compose } from './composed-server.ts';
import { openCellStorages, openStorage, shownDatabase } from './database.ts';
import { unknownVariables } from './environment.ts';
import type { ServeOptions } from './serve-options.ts';
import { letYoungGenerationGrow } from './young-generation.ts';

export const keyIsNew =
  'The database was already in use but the server key is new, so data encrypted with the former key cannot be read. ' +
  'Restore the former key file, or set BILLWRIGHT_SERVER_KEY';

export interface Running {
  readonly billing: Billing<never>;
  readonly listening: Listening;
  readonly logger: PinoLogger;
  readonly closed: ServeOptions['definition']['closed'];
}

interface ServerParts {
  readonly options: ServeOptions;
  readonly logger: PinoLogger;
  /** The processes that serve the port, or undefined if there is only this process. */
  readonly group?: ServerGroup;
  /** Called after the port is open. Requests wait until this function has finished. */
  prepare(billing: Billing<never>): Promise<void>;
  /** Runs before the background work starts. */
  opened?(server: { readonly isKeyNew: boolean }): Promise<void>;
}

/**
 * Opens the engine, listens on the port and starts the background work. If one of these steps fails, closes everything
 * that was opened.
 */
export async function openServer(parts: ServerParts): Promise<Running> {
  const { options, logger, group } = parts;
  const { directory: storage, cells } =
    options.cells === null
      ? { directory: await openStorage(options.database, options), cells: null }
      : await openCellStorages(options.database, options.cells, options);
  let listening: Listening | undefined;
  try {
    const nodeName = options.nodeName ?? newNodeName();
    const composed = await compose({ options: { ...options, nodeName }, storage, cells, logger, group });
    const { billing, app, listen, isKeyNew } = composed;
    const { port, host, http } = options;
    const { requestTimeMs, maxConnections } = http;
    const limits = { maxHeaderBytes: http.limits.header, requestTimeMs, maxConnections };
    listening = await listen(app, { port, host, ...limits, prepare: () => parts.prepare(billing) });
    await parts.opened?.({ isKeyNew });
    outliveForgottenPromises(billing.requests.logger());
    billing.start();
    letYoungGenerationGrow();
    const database = shownDatabase(options.database);
    logger.info({ host: listening.host, port: listening.port, database, node: nodeName }, 'serving');
    return { billing, listening, logger, closed: options.definition.closed };
  } catch (error) {
    // An open port would keep the failed process alive.
    await listening?.close();
    await Promise.all([storage, ...Object.values(cells ?? {})].map((each) => each.close()));
    throw error;
  }
}

export function logConfiguration(
  { configurationFile: file, environment }: ServeOptions,
  logger: PinoLogger,
): void {
  if (file !== null) logger.info({ file }, 'configured by this file');
  for (const each of unknownVariables(environment)) logger.warn({}, each);
}

/** Logs unhandled promise rejections, such as those of a plugin, so that they do not end the process. */
export function outliveForgottenPromises(logger: Pick<Logger, 'error'>): void {
  process.on('unhandledRejection', (reason) => {
    logger.error({ err: plainError(reason) }, 'unhandled promise rejection, possibly in a plugin');
  });
}

/**
 * Ends the process on a signal. The first signal ends it gracefully with `stop`. The second signal ends the process
 * immediately, after a call to `abort`.
 */
export function endOnSignal(logger: PinoLogger, stop: () => Promise<void>, abort?: () => void): void {
  let isStopping = false;
  const end = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      abort?.();
      process.exit(1);
    }
    isStopping = true;
    logger.info({ signal }, 'stopping');
    exitAfter(logger, stop());
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

/** Ends the process when the server has stopped. */
export function exitAfter(logger: PinoLogger, stopped: Promise<void>): void {
  stopped.then(
    () => process.exit(0),
    (error: unknown) => {
      logger.error({ err: error }, 'stopping failed');
      process.exit(1);
    },
  );
}

/** Stops the server. `beforeClose` runs after the last request and the last queue work. */
export async function shutDown(running: Running, beforeClose?: () => Promise<void>): Promise<void> {
  const { billing, listening, logger, closed } = running;
  const impatience = setTimeout(() => {
    logger.warn({ waitedMs: QUEUE_SHUTDOWN_WAIT_MS }, 'closing the remaining connections');
    listening.server.closeAllConnections();
  }, QUEUE_SHUTDOWN_WAIT_MS);
  // The HTTP server and the engine stop at the same time, so that waiting calls do not delay the shutdown.
  await Promise.all([listening.close(), billing.stop()]);
  clearTimeout(impatience);
  await beforeClose?.();
  await billing.close();
  await closed?.();
  logger.info({}, 'stopped');
}

export function announce(at: Pick<Listening, 'host' | 'port'>, options: ServeOptions): void {
  const url = urlOf(at) + options.http.basePath.replace(/\/$/, '');
  console.log(`Billwright is ready at ${url}`);
  if (options.testMode) console.log('TEST MODE: never use it in production.');
  if (options.http.docs ?? true)
    console.log(`The API is described at ${hasRenderer() ? `${url}/docs and ` : ''}${url}/openapi.json`);
  if ((options.http.console ?? true) && hasConsole()) console.log(`The console is at ${url}/console`);
}

function urlOf({ host, port }: Pick<Listening, 'host' | 'port'>): string {
  const reachable = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
