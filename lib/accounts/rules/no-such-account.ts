import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export function noSuchAccount(accountId: Uuid): BillingError {
  return billingError(ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID, `Account does not exist for id ${accountId}`, {
    accountId,
  });
}
