import { type AccountedInvoice, accountBalancesAfter } from '../invoicing/index.ts';
import type { AccountInvoicingState } from '../records/index.ts';
import { formatDecimal, ZERO } from '../values/money/index.ts';
import { CheckedInvariant, type Finding } from './model.ts';

/** Balance and credit of an account, counted invoice by invoice. */
export type CountedBalance = Pick<AccountInvoicingState, 'accountBalance' | 'accountCBA'>;

export const NO_BALANCE: CountedBalance = { accountBalance: ZERO, accountCBA: ZERO };

/** The balance with one more invoice; an invoice that the parent pays does not count. */
export function balanceWith(balance: CountedBalance, invoice: AccountedInvoice): CountedBalance {
  return accountBalancesAfter(balance, { before: null, after: invoice });
}

/** The stored balances of an account that differ from those of its invoices. */
export function wrongBalances(kept: CountedBalance | undefined, counted: CountedBalance): readonly Finding[] {
  const { accountBalance, accountCBA } = kept ?? NO_BALANCE;
  const pairs = [
    ['balance', accountBalance, counted.accountBalance],
    ['credit', accountCBA, counted.accountCBA],
  ] as const;
  const findings: Finding[] = pairs
    .filter(([, stored, sum]) => !stored.equals(sum))
    .map(([name, stored, sum]) =>
      finding(`${name} is kept as ${formatDecimal(stored)}, its invoices make ${formatDecimal(sum)}`),
    );
  if (counted.accountCBA.isNegative() && !counted.accountCBA.isZero())
    findings.push(finding(`more credit was used than there was: ${formatDecimal(counted.accountCBA)}`));
  return findings;
}

function finding(message: string): Finding {
  return { invariant: CheckedInvariant.ACCOUNT_BALANCE, message };
}
