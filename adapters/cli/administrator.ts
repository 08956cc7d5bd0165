import { randomBytes } from 'node:crypto';
import type { Billing } from '../../lib/billing.ts';
import { UsageError } from './usage-error.ts';

const name = 'admin';
const testPassword = 'password';
const minPasswordCharacters = 8;
const randomPasswordBytes = 18;

/** Where the administrator's password comes from: made up, set by the environment, or that of test mode. */
export type PasswordSource = 'RANDOM' | 'ENVIRONMENT' | 'TEST_MODE';

export interface FirstPassword {
  readonly password: string;
  readonly source: PasswordSource;
}

/** How to log in, for the console. */
export interface Login {
  readonly user: string;
  /** Null: the user was there before, with a password that only its owner knows. */
  readonly first: FirstPassword | null;
}

/** The password that a new administrator gets. @throws UsageError for one that is too short. */
export function firstPassword(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly testMode: boolean },
): FirstPassword {
  if (options.testMode) return { password: testPassword, source: 'TEST_MODE' };
  const given = environment.BILLWRIGHT_ADMIN_PASSWORD;
  if (given === undefined || given === '') {
    return { password: randomBytes(randomPasswordBytes).toString('base64url'), source: 'RANDOM' };
  }
  if (given.length >= minPasswordCharacters) return { password: given, source: 'ENVIRONMENT' };
  throw new UsageError(`BILLWRIGHT_ADMIN_PASSWORD needs at least ${minPasswordCharacters} characters`);
}

/** Makes the administrator at the first start; later starts leave it as it is. */
export async function ensureLogin(billing: Billing<never>, first: FirstPassword): Promise<Login> {
  const isNew = await billing.security.ensureAdministrator(name, first.password);
  return { user: name, first: isNew ? first : null };
}

/** What the console says of it; only a made-up password, and that of test mode, is shown. */
export function loginText({ user, first }: Login): string {
  const login = `Log in (HTTP Basic) as "${user}"`;
  switch (first?.source) {
    case undefined:
      return `${login} with the password of the first start.`;
    case 'ENVIRONMENT':
      return `${login} with the password of BILLWRIGHT_ADMIN_PASSWORD.`;
    case 'TEST_MODE':
      return `${login} with the password ${first?.password}`;
    case 'RANDOM':
      return `${login} with the password ${first?.password} - it is shown only this once.`;
  }
}
