import { balanceOf } from '../../invoicing/index.ts';
import type { Invoice } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';

/** What of the amount goes to an invoice. */
export interface Share {
  readonly invoice: Invoice;
  readonly amount: Decimal;
}

/** The oldest first, each at most its balance (§9.6 rule 2). */
export function sharesOf(due: readonly Invoice[], amount: Decimal | null): readonly Share[] {
  const shares: Share[] = [];
  let rest = amount;
  for (const invoice of due) {
    const balance = balanceOf(invoice);
    const share = rest === null || rest.greaterThan(balance) ? balance : rest;
    if (share.lessThanOrEqualTo(0)) break;
    shares.push({ invoice, amount: share });
    rest = rest === null ? null : rest.minus(share);
  }
  return shares;
}
