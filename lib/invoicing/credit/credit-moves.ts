import type { AccountInvoicingState, Invoice } from '../../records/index.ts';
import { InvoiceItemType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { accountBalancesAfter } from '../invoices/invoice-amounts.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import { plainItem } from '../invoices/new-item.ts';
import type { CreditMove } from './apply-credit.ts';

/** The CBA_ADJ item of a move (§1.3, §10 rule 7); `today` is a local date of the account. */
export function creditItem(
  id: Uuid,
  { amount, basis }: Pick<CreditMove, 'amount' | 'basis'>,
  today: LocalDate,
): NewInvoiceItem {
  const description = amount.isNegative()
    ? 'Adjustment (use of account credit)'
    : 'Adjustment (account credit)';
  return plainItem({
    id,
    itemType: InvoiceItemType.CBA_ADJ,
    description,
    startDate: today,
    endDate: today,
    amount,
    repairable: amount,
    basis,
  });
}

/** Stored invoices after credit was used on them, and the CBA_ADJ items that did it. */
export interface CreditedInvoices {
  readonly invoices: readonly Invoice[];
  readonly items: readonly (NewInvoiceItem & { readonly invoice: Invoice })[];
}

export const NOTHING_CREDITED: CreditedInvoices = { invoices: [], items: [] };

/** These invoices after the moves that concern them, with the items of the moves. */
export function creditInvoices(
  invoices: readonly Invoice[],
  moves: readonly CreditMove[],
  { today, nextItemId }: { readonly today: LocalDate; readonly nextItemId: () => Uuid },
): CreditedInvoices {
  const moved = invoices.filter(({ id }) => moves.some(({ invoiceId }) => invoiceId === id));
  return {
    invoices: moved.map((invoice) => afterMoves(invoice, moves)),
    items: moves.flatMap((move) => {
      const invoice = moved.find(({ id }) => id === move.invoiceId);
      return invoice === undefined ? [] : [{ ...creditItem(nextItemId(), move, today), invoice }];
    }),
  };
}

/** The kept sums of an invoice after its moves; `amount` leaves credit out (§1.4 rule 1). */
export function afterMoves<I extends Pick<Invoice, 'id' | 'creditAdj' | 'rawBalance'>>(
  invoice: I,
  moves: readonly CreditMove[],
): I {
  const moved: Decimal = sum(
    moves.filter(({ invoiceId }) => invoiceId === invoice.id).map(({ amount }) => amount),
  );
  return moved.isZero()
    ? invoice
    : {
        ...invoice,
        creditAdj: invoice.creditAdj.plus(moved),
        rawBalance: invoice.rawBalance.plus(moved),
      };
}

/** The account's balances after moves on stored invoices: the credit goes down with what it pays. */
export function stateAfterMoves(
  state: AccountInvoicingState,
  invoices: readonly Invoice[],
  moves: readonly CreditMove[],
): AccountInvoicingState {
  return invoices.reduce(
    (known, invoice) => accountBalancesAfter(known, { before: invoice, after: afterMoves(invoice, moves) }),
    state,
  );
}
