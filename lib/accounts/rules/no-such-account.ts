import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export function noSuchAccount(accountId: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
    message: `Account does not exist for id ${accountId}`,
    facts: { accountId },
  });
}
