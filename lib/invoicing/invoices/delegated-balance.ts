import type { AccountBalance, StoredBalance } from '../../records/index.ts';
import { balanceOf } from './invoice-amounts.ts';

/**
 * The balance of an account (§1.4 rules 6 and 8): the kept one, to which those of its invoices are added that a
 * parent pays and that count, being linked to no summary yet or to one that is owed. Whether they do is decided by the summary,
 * under the parent's lock, so that it cannot be kept with the account.
 */
export function accountBalanceOf({ delegated, ...kept }: StoredBalance): AccountBalance {
  const accountBalance = delegated.reduce(
    (sum, { invoice, summary }) => sum.plus(balanceOf(invoice, summary && balanceOf(summary))),
    kept.accountBalance,
  );
  return { ...kept, accountBalance };
}
