import type { AccountInvoicingState, Invoice } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { type Decimal, sum } from '../values/money/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import { applyAccountCredit, type CreditedInvoice, type CreditMove, UNNUMBERED } from './account-credit.ts';
import { creditItem } from './credit-item.ts';
import { accountBalancesAfter, invoiceAmounts } from './invoice-amounts.ts';
import { type AccountRun, accountedInvoice } from './invoice-run.ts';
import type { CountedAccount, LoadedCreditInput } from './load-credit-inputs.ts';
import type { NewInvoiceItem } from './new-items.ts';

/** Stored invoices that credit was used on: as they are then, and the CBA_ADJ items that did it. */
export interface CreditedInvoices {
  readonly invoices: readonly Invoice[];
  readonly items: readonly (NewInvoiceItem & { readonly invoice: Invoice })[];
}

export const NOTHING_CREDITED: CreditedInvoices = { invoices: [], items: [] };

/** The invoice of a run, as the credit rule sees it. */
export function candidateOf(run: AccountRun, id: Uuid, invoiceDate: LocalDate): CreditedInvoice {
  const draft = run.invoice.draft?.invoice;
  return {
    ...accountedInvoice(run.invoice, run.amounts),
    id,
    invoiceDate: draft?.invoiceDate ?? invoiceDate,
    invoiceNumber: draft?.invoiceNumber ?? UNNUMBERED,
  };
}

/** The account as its run leaves it, its invoice counted. */
export function countedRun(run: AccountRun, id: Uuid, invoiceDate: LocalDate): CountedAccount {
  return { state: run.state, candidates: [candidateOf(run, id, invoiceDate)] };
}

/**
 * A run with the account's credit applied to its invoice and to the account's unpaid ones (§10). Pure but
 * for `nextItemId`. @throws InvariantError where the law of credit does not hold.
 */
export function creditRun(
  run: AccountRun,
  input: LoadedCreditInput,
  { today, nextItemId }: { readonly today: LocalDate; readonly nextItemId: () => Uuid },
): { readonly run: AccountRun; readonly credited: CreditedInvoices } {
  const moves = applyAccountCredit(input);
  if (moves.length === 0) return { run, credited: NOTHING_CREDITED };
  const own = new Set(input.candidates.map(({ id }) => id));
  const items = [
    ...run.items,
    ...moves
      .filter(({ invoiceId }) => own.has(invoiceId))
      .map((move) => creditItem(nextItemId(), move, today)),
  ];
  const after = invoiceAmounts([...(run.invoice.draft?.items ?? []), ...items]);
  const others = moves.filter(({ invoiceId }) => !own.has(invoiceId));
  const state = accountBalancesAfter(run.state, {
    before: accountedInvoice(run.invoice, run.amounts),
    after: accountedInvoice(run.invoice, after),
  });
  const credited = creditInvoices(input.unpaid, others, { today, nextItemId });
  return {
    run: { ...run, items, amounts: after, state: stateAfterMoves(state, input.unpaid, others) },
    credited,
  };
}

/** These invoices after the moves that concern them, with the items that say so. */
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
