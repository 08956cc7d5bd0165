import { randomBytes } from 'node:crypto';
import type { Billing } from '../../lib/billing.ts';
import { UsageError } from './usage-error.ts';

export const administrator = 'admin';
/** The password of test mode. Everybody knows it. */
export const testPassword = 'password';
const minPasswordCharacters = 8;
const randomPasswordBytes = 18;

/** Where a password comes from: made up, set by the environment, or that of test mode. */
export type PasswordSource = 'RANDOM' | 'ENVIRONMENT' | 'TEST_MODE';

export interface ChosenPassword {
  readonly password: string;
  readonly source: PasswordSource;
}

/** How to log in, for the console. */
export interface Login {
  readonly user: string;
  /** Null: the user was there before, with a password that only its owner knows. */
  readonly chosen: ChosenPassword | null;
}

/** A password for a user. @throws UsageError for one of the environment that is too short or known to everybody. */
export function choosePassword(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly testMode: boolean },
): ChosenPassword {
  if (options.testMode) return { password: testPassword, source: 'TEST_MODE' };
  const given = environment.BILLWRIGHT_ADMIN_PASSWORD;
  if (given === undefined || given === '') {
    return { password: randomBytes(randomPasswordBytes).toString('base64url'), source: 'RANDOM' };
  }
  if (given.length < minPasswordCharacters) {
    throw new UsageError(`BILLWRIGHT_ADMIN_PASSWORD needs at least ${minPasswordCharacters} characters`);
  }
  if (given !== testPassword) return { password: given, source: 'ENVIRONMENT' };
  throw new UsageError(`BILLWRIGHT_ADMIN_PASSWORD must not be "${testPassword}": everybody knows it`);
}

/** Makes the administrator at the first start; later starts, those of test mode included, leave it as it is. */
export async function ensureLogin(billing: Billing<never>, chosen: ChosenPassword): Promise<Login> {
  const isNew = await billing.security.ensureAdministrator(administrator, chosen.password);
  if (isNew) return { user: administrator, chosen };
  const isKnown = chosen.source === 'TEST_MODE' && (await hasTestPassword(billing));
  return { user: administrator, chosen: isKnown ? chosen : null };
}

/** Whether the administrator still has the password of test mode. */
export async function hasTestPassword(billing: Billing<never>): Promise<boolean> {
  // Nobody to ask about at the first start, which then saves the time of a hash.
  if ((await billing.security.find(administrator)) === null) return false;
  return (await billing.security.authenticate(administrator, testPassword)) !== null;
}

/** What the console says of it; only a made-up password, and that of test mode, is shown. */
export function loginText({ user, chosen }: Login): string {
  const login = `Log in (HTTP Basic) as "${user}"`;
  switch (chosen?.source) {
    case undefined:
      return `${login} with the password of the first start.`;
    case 'ENVIRONMENT':
      return `${login} with the password of BILLWRIGHT_ADMIN_PASSWORD.`;
    case 'TEST_MODE':
      return `${login} with the password ${chosen?.password}`;
    case 'RANDOM':
      return `${login} with the password ${chosen?.password} - it is shown only this once.`;
  }
}
