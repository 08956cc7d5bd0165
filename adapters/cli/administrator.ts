import { randomBytes } from 'node:crypto';
import type { SecretHasher } from '../../lib/ports/index.ts';
import { Billing } from '../node/billwright.ts';
import { openStorage } from './database.ts';
import { type Environment, environmentValue } from './environment.ts';
import { createLogger } from './logger.ts';
import { UsageError } from './usage-error.ts';

const defaultAdministrator = 'admin';
/** Public knowledge. */
const testPassword = 'password';
const minPasswordCharacters = 8;
const randomPasswordBytes = 18;

export interface ChosenPassword {
  readonly password: string;
  readonly source: 'RANDOM' | 'ENVIRONMENT' | 'TEST_MODE';
  /** Name of the environment variable that contained the password. */
  readonly variable?: string;
}

export interface Login {
  readonly user: string;
  /** The administrator's password, or null for an existing user, because only the user knows it. */
  readonly chosen: ChosenPassword | null;
}

/** Returns the administrator's name. It is the value of `security.admin.user` (platform §4.3). */
export function administratorOf(environment: Environment): string {
  return environmentValue('security.admin.user', environment)[1] || defaultAdministrator;
}

/** @throws UsageError if the environment's password is too short or well-known. */
export function choosePassword(
  environment: Environment,
  options: { readonly testMode: boolean },
): ChosenPassword {
  if (options.testMode) return { password: testPassword, source: 'TEST_MODE' };
  const [variable, given] = passwordIn(environment);
  if (given === undefined || given === '')
    return { password: randomBytes(randomPasswordBytes).toString('base64url'), source: 'RANDOM' };
  if (given.length < minPasswordCharacters)
    throw new UsageError(`${variable} needs at least ${minPasswordCharacters} characters`);
  if (given !== testPassword) return { password: given, source: 'ENVIRONMENT', variable };
  throw new UsageError(`${variable} must not be "${testPassword}", because this password is publicly known`);
}

/**
 * Returns the password and its source: BILLWRIGHT_ADMIN_PASSWORD or, if this variable is not set, the property
 * `security.admin.password`.
 */
function passwordIn(environment: Environment): ReturnType<typeof environmentValue> {
  const own = environment.BILLWRIGHT_ADMIN_PASSWORD;
  return own ? ['BILLWRIGHT_ADMIN_PASSWORD', own] : environmentValue('security.admin.password', environment);
}

/** Creates the administrator when the server first starts. Later starts do not change the user. */
export async function ensureLogin(
  billing: Billing<never>,
  user: string,
  chosen: ChosenPassword,
): Promise<Login> {
  const isNew = await billing.security.ensureAdministrator(user, chosen.password);
  if (isNew) return { user, chosen };
  const isKnown = chosen.source === 'TEST_MODE' && (await hasTestPassword(billing, user));
  return { user, chosen: isKnown ? chosen : null };
}

async function hasTestPassword(billing: Billing<never>, user: string): Promise<boolean> {
  // At the first start, there is no user to check, so the slow hash is skipped.
  if ((await billing.security.find(user)) === null) return false;
  return (await billing.security.authenticate(user, testPassword)) !== null;
}

/** Returns the login as text. Includes the password only if it was generated or is the test mode password. */
export function loginText({ user, chosen }: Login): string {
  const login = `Log in (HTTP Basic) as "${user}"`;
  switch (chosen?.source) {
    case undefined:
      return `${login} with the password of the first start.`;
    case 'ENVIRONMENT':
      return `${login} with the password of ${chosen?.variable}.`;
    case 'TEST_MODE':
      return `${login} with the password ${chosen?.password}`;
    case 'RANDOM':
      return `${login} with the password ${chosen?.password} - it is shown only this once.`;
  }
}

/** Refuses test mode in a production environment. @throws UsageError if both test mode and production are set. */
export function refuseTestModeInProduction(
  environment: Environment,
  options: { readonly testMode: boolean },
): void {
  if (!options.testMode || environment.NODE_ENV?.trim().toLowerCase() !== 'production') return;
  throw new UsageError(
    '--test-mode cannot be used when NODE_ENV is "production", because its password is publicly known',
  );
}

/**
 * Rejects a database whose administrator still has the test mode password. The hash check continues after the function
 * returns, so await `ended` before serving requests.
 */
export async function refuseTestPassword(
  security: Pick<Billing['security'], 'find'>,
  hasher: Pick<SecretHasher, 'verify'>,
  environment: Environment,
): Promise<{ readonly ended: Promise<unknown> }> {
  const names = [...new Set([administratorOf(environment), defaultAdministrator])];
  const found = await Promise.all(names.map((name) => security.find(name)));
  const checks = found.map(async (each) => {
    if (each?.isActive !== true || !(await hasher.verify(testPassword, each.passwordHash))) return;
    throw new Error(
      `The administrator "${each.name}" of this database has the publicly known test mode password "${testPassword}". ` +
        'Change it with `billwright password --user <name> --database <where>`, or serve with --test-mode',
    );
  });
  return { ended: Promise.all(checks) };
}

/** Sets a password and returns the login. @param database SQLite path or PostgreSQL URL. */
export async function setPassword(database: string, user: string, environment: Environment): Promise<string> {
  const chosen = choosePassword(environment, { testMode: false });
  const storage = await openStorage(database, { migrate: false, mustExist: true });
  try {
    const logger = createLogger(environment.BILLWRIGHT_LOG_LEVEL);
    const billing = await Billing.open<never>({ storage, logger });
    await billing.security.setPassword(user, chosen.password);
    return loginText({ user, chosen });
  } finally {
    await storage.close();
  }
}
