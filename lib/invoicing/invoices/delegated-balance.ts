import type { AccountBalance, StoredBalance } from '../../records/index.ts';
import { balanceOf } from './invoice-amounts.ts';

/**
 * The balance of an account (§1.4 rules 6 and 8): the stored one, plus those of its invoices that a parent pays, where
 * they count: while they are linked to no summary, or to one that is owed. The summary decides that, under the parent's
 * lock, so it cannot be stored with the account.
 */
export function accountBalanceOf({ delegated, ...kept }: StoredBalance): AccountBalance {
  const accountBalance = delegated.reduce(
    (sum, { invoice, summary }) => sum.plus(balanceOf(invoice, summary && balanceOf(summary))),
    kept.accountBalance,
  );
  return { ...kept, accountBalance };
}
