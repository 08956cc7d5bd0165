import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** For an account that is another one whenever plugins have been asked about it (§17 rule 4). */
export function alwaysChanged(accountId: Uuid | undefined): BillingError {
  return new BillingError({
    code: ErrorCode.BUSY,
    message: `Account ${accountId} has changed whenever invoice plugins had been asked about it; try again`,
    facts: { accountId },
  });
}
