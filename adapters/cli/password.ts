import { Billing } from '../../lib/billing.ts';
import { scryptHasher, sha256, systemClock, unencrypted, uuidGenerator } from '../node/index.ts';
import { choosePassword, loginText } from './administrator.ts';
import { openStorage } from './database.ts';
import type { Environment } from './environment.ts';
import { createLogger } from './logger.ts';

export interface PasswordOptions {
  readonly user: string;
  /** Path of a SQLite file or URL of a PostgreSQL database. */
  readonly database: string;
  readonly environment: Environment;
}

/** Gives a user a new password; returns how to log in with it. */
export async function setPassword({ user, database, environment }: PasswordOptions): Promise<string> {
  const chosen = choosePassword(environment, { testMode: false });
  const clock = systemClock();
  const storage = await openStorage(database, { migrate: false, mustExist: true });
  try {
    const billing = await Billing.open<never>({
      storage,
      clock,
      systemClock: clock,
      ids: uuidGenerator(),
      hasher: scryptHasher(),
      cipher: unencrypted(),
      sha256,
      logger: createLogger(environment.BILLWRIGHT_LOG_LEVEL),
    });
    await billing.security.setPassword(user, chosen.password);
    return loginText({ user, chosen });
  } finally {
    await storage.close();
  }
}
