import { type Account, type AddedItem, type Invoice, InvoiceStatus, type New } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import {
  applyAccountCredit,
  type CountedAccount,
  type CreditedInvoice,
  type LoadedCreditInput,
  UNNUMBERED,
} from '../credit/apply-credit.ts';
import {
  type CreditedInvoices,
  creditInvoices,
  creditItem,
  NOTHING_CREDITED,
  stateAfterMoves,
} from '../credit/credit-moves.ts';
import { repairsAmong } from '../credit/repaired-debts.ts';
import type { Draft } from '../invoices/drafting.ts';
import { accountBalancesAfter, invoiceAmounts } from '../invoices/invoice-amounts.ts';
import { emptyInvoice, itemOf, payerOf, raisedTargetDate } from '../invoices/new-invoice.ts';
import { type AccountRun, accountedInvoice } from './evaluate-account.ts';

export interface NewInvoiceInput {
  readonly id: Uuid;
  readonly account: Account;
  readonly targetDate: LocalDate;
  readonly run: AccountRun;
  readonly now: Instant;
}

export interface NewInvoice {
  readonly invoice: New<Invoice>;
  readonly items: readonly AddedItem[];
}

/** The new invoice of a run that has items, dated in the account's zone (§1.1); it has no number yet. */
export function newInvoice({ id, account, targetDate, run, now }: NewInvoiceInput): NewInvoice {
  const { status } = run.invoice;
  const invoice = { ...emptyInvoice({ id, account, targetDate, status, now }), ...run.amounts };
  return { invoice, items: run.items.map((item) => itemOf(invoice, item, now)) };
}

/** The draft with the items of the run, COMMITTED if the run makes such invoices (§8.3). */
export function reusedDraft(
  { invoice: before }: Draft,
  { account, targetDate, run, now }: Omit<NewInvoiceInput, 'id'>,
): { readonly invoice: Invoice; readonly items: readonly AddedItem[] } {
  const { status } = run.invoice;
  const invoice = {
    ...before,
    ...run.amounts,
    status,
    ...payerOf(account, status),
    commitDate: status === InvoiceStatus.COMMITTED ? localDateOf(now, account.timeZone) : null,
    targetDate: raisedTargetDate(before, targetDate),
  };
  return { invoice, items: run.items.map((item) => itemOf(invoice, item, now)) };
}

interface Crediting {
  /** Local date of the account. */
  readonly today: LocalDate;
  readonly nextItemId: () => Uuid;
  readonly touched?: readonly Invoice[];
}

/** The invoice of a run, as the credit rule sees it. */
export function candidateOf(run: AccountRun, id: Uuid, invoiceDate: LocalDate): CreditedInvoice {
  const { draft, status } = run.invoice;
  const items = [...(draft?.items ?? []), ...run.items];
  return {
    ...accountedInvoice(run.invoice, run.amounts),
    id,
    invoiceDate: draft?.invoice.invoiceDate ?? invoiceDate,
    invoiceNumber: draft?.invoice.invoiceNumber ?? UNNUMBERED,
    repairs: status === 'COMMITTED' ? repairsAmong(items) : [],
  };
}

/** The account as its run leaves it, with the run's invoice counted. */
export function countedRun(run: AccountRun, id: Uuid, invoiceDate: LocalDate): CountedAccount {
  return { state: run.state, candidates: [candidateOf(run, id, invoiceDate)] };
}

/**
 * A run with the account's credit applied to its invoice and to the account's unpaid ones (§10). Pure but
 * for `nextItemId`. @throws InvariantError where the law of credit does not hold.
 * @param touched further candidates: stored invoices that get items too. Default none.
 */
export function creditRun(
  run: AccountRun,
  input: LoadedCreditInput,
  { today, nextItemId, touched = [] }: Crediting,
): { readonly run: AccountRun; readonly credited: CreditedInvoices } {
  const moves = applyAccountCredit(input);
  if (moves.length === 0) return { run, credited: NOTHING_CREDITED };
  const own = new Set(input.candidates.map(({ id }) => id));
  for (const { id } of touched) own.delete(id);
  const stored = [...input.unpaid, ...touched];
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
  const credited = creditInvoices(stored, others, { today, nextItemId });
  return {
    run: { ...run, items, amounts: after, state: stateAfterMoves(state, stored, others) },
    credited,
  };
}
