import type { Account, New } from '../../records/index.ts';
import { type AddedItem, type Invoice, InvoiceStatus } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Instant, type LocalDate, localDateOf } from '../../values/time/index.ts';
import type { Draft } from '../invoices/drafting.ts';
import { emptyInvoice, itemOf, payerOf, raisedTargetDate } from '../invoices/new-invoice.ts';
import type { AccountRun } from './evaluate-account.ts';

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
