import type { SeenInvoice } from '../../ports/index.ts';
import type { Account } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import { newInvoice, reusedDraft } from '../evaluation/run-invoice.ts';
import { invoicingCurrency } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice } from './additional-items.ts';
import { existingOf } from './decided-elsewhere.ts';
import { seenAsked } from './seen-invoices.ts';

/** A run that plugins are asked about. */
export interface AskedRun {
  readonly account: Account;
  readonly targetDate: LocalDate;
  readonly run: AccountRun;
  readonly invoiceId: Uuid;
  /** The account credit that its invoice would get as it is. */
  readonly credit: readonly NewInvoiceItem[];
}

/** The invoice of the run before any plugin. */
export function askedOfRun({ account, run, invoiceId, credit }: AskedRun): AskedInvoice {
  return {
    invoiceId,
    currency: invoicingCurrency(account),
    items: run.items,
    existing: existingOf(run),
    creditIds: new Set(credit.map(({ id }) => id)),
    elsewhere: [],
    chosenIds: [],
  };
}

/** Shows the invoice of the run with what plugins have made of it so far. */
export function seeingRun(
  { account, targetDate, run, invoiceId, credit }: AskedRun,
  now: Instant,
): (asked: AskedInvoice) => SeenInvoice {
  const { draft } = run.invoice;
  const made = { account, targetDate, id: invoiceId, run, now };
  const { invoice } = draft === null ? newInvoice(made) : reusedDraft(draft, made);
  return (asked) => {
    const isUnchanged = asked.items === run.items;
    return seenAsked(invoice, asked, isUnchanged ? credit : []);
  };
}
