import type { Logger as PinoLogger } from 'pino';
import {
  administratorOf,
  choosePassword,
  ensureLogin,
  type Login,
  loginText,
  refuseTestModeInProduction,
} from './administrator.ts';
import { createLogger } from './logger.ts';
import { announce, endOnSignal, keyIsNew, logConfiguration, openServer, shutDown } from './running-server.ts';
import type { ServeOptions } from './serve-options.ts';

const usedBefore =
  'This database was already in use without the test mode password: its users keep their passwords, and its clock can now be ' +
  'moved. Without --database, test mode uses a separate database';
const testModeWarning =
  'TEST MODE: known password, movable clock, sandbox gateway. Anyone who can reach this server controls it. Never use it in production.';

/** Serves in this process alone. */
export async function serve(options: ServeOptions): Promise<void> {
  const { environment } = options;
  refuseTestModeInProduction(environment, options);
  const password = choosePassword(environment, options);
  const logger = createLogger(environment.BILLWRIGHT_LOG_LEVEL);
  logConfiguration(options, logger);
  const made = Promise.withResolvers<Login>();
  const running = await openServer({
    options,
    logger,
    // Open the port first. If the port could not be opened after the password was created, the password would never be
    // shown.
    prepare: async (billing) =>
      made.resolve(await ensureLogin(billing, administratorOf(environment), password)),
    async opened({ isKeyNew }) {
      const login = await made.promise;
      if (isKeyNew && login.chosen === null) logger.warn({}, keyIsNew);
      console.log(loginText(login));
      if (!options.testMode) return;
      if (login.chosen === null) console.log(`${usedBefore}.`);
      warnOfTestMode(logger, login);
    },
  });
  endOnSignal(logger, () => shutDown(running));
  announce(running.listening, options);
}

function warnOfTestMode(logger: PinoLogger, { user, chosen }: Login): void {
  logger.warn({ user }, testModeWarning);
  if (chosen === null)
    logger.warn({ user }, 'the user keeps its existing password, which is not the test mode password');
}
