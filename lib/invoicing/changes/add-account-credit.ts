import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { type Account, InvoiceItemType, InvoiceStatus } from '../../records/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { withItems } from '../credit/changed-invoice.ts';
import { manualItem } from '../invoices/manual-items.ts';
import { emptyInvoice } from '../invoices/new-invoice.ts';
import { changeInvoices } from './change-invoices.ts';

/** Gives a locked account credit by a committed invoice of its own (§9); it is used at once where something is owed. */
export async function addAccountCredit(
  session: WriteSession,
  {
    account,
    amount,
    description,
  }: { readonly account: Account; readonly amount: Decimal; readonly description: string },
  ids: IdGenerator,
): Promise<void> {
  const now = session.authorship.createdDate;
  const requestedDate = localDateOf(now, account.timeZone);
  const invoice = emptyInvoice({
    id: ids.next(),
    account,
    targetDate: requestedDate,
    status: InvoiceStatus.COMMITTED,
    now,
  });
  const made = { id: ids.next(), requestedDate };
  const item = manualItem(InvoiceItemType.CREDIT_ADJ, { amount, description }, made);
  await changeInvoices(session, { changes: [withItems(invoice, [item])], accounts: [account] }, ids);
}
