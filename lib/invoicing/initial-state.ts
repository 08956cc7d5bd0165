import type { Account, AccountInvoicingState } from '../records/index.ts';
import { ZERO } from '../values/money/index.ts';

/** State of an account before its first invoice. */
export function initialState(account: Pick<Account, 'id' | 'recordId'>): AccountInvoicingState {
  return {
    accountId: account.id,
    accountRecordId: account.recordId,
    maxTargetDate: null,
    accountCBA: ZERO,
    accountBalance: ZERO,
    version: 0,
  };
}
