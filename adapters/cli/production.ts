import type { Billing } from '../../lib/billing.ts';
import type { SecretHasher } from '../../lib/ports/index.ts';
import {
  administratorOf,
  administratorOfTestMode,
  type RunningCheck,
  testPassword,
} from './administrator.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

/** @throws UsageError for test mode where the environment says that this is production. */
export function refuseTestModeInProduction(
  environment: Environment,
  options: { readonly testMode: boolean },
): void {
  if (!options.testMode || environment.NODE_ENV?.trim().toLowerCase() !== 'production') return;
  throw new UsageError(
    '--test-mode is refused where NODE_ENV is "production": its password is known to everybody',
  );
}

/**
 * Refuses to serve a database that was made in test mode with the password that everybody knows. The check has begun when
 * this returns, and must end before anybody is served.
 */
export async function refuseTestPassword(
  security: Pick<Billing['security'], 'find'>,
  hasher: Pick<SecretHasher, 'verify'>,
  environment: Environment,
): Promise<RunningCheck<void>> {
  const check = await administratorOfTestMode(security, hasher, administratorOf(environment));
  return { ended: check.ended.then(refuse) };
}

function refuse(user: string | null): void {
  if (user === null) return;
  throw new Error(
    `The administrator "${user}" of this database has the password "${testPassword}" of test mode, which everybody knows. ` +
      'Give it another one with `billwright password --user <name> --database <where>`, or serve with --test-mode',
  );
}
