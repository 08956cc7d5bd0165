import type { ReadSession } from '../../ports/storage/index.ts';
import type { Invoice } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { creditableInvoices, isOwed, unpaidInvoices } from '../credit/credit-order.ts';

/** The unpaid invoices of these accounts, by age; one statement, and one more where parents pay. */
export async function loadUnpaidInvoices(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  const open = await session.invoices.findOpen(accountIds);
  return unpaidInvoices(open, await loadParentInvoices(session, open));
}

/** Those of these invoices that are unpaid, in the order given. */
export async function onlyUnpaid(
  session: ReadSession,
  invoices: readonly Invoice[],
): Promise<readonly Invoice[]> {
  const summaries = await loadParentInvoices(session, invoices);
  return invoices.filter((invoice) => isOwed(invoice, summaries));
}

/** The invoices that the credit of these accounts is offered to, by age; statements as for the unpaid ones. */
export async function loadCreditableInvoices(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  const open = await session.invoices.findOpen(accountIds);
  return creditableInvoices(open, await loadParentInvoices(session, open));
}

/** The parents' invoices that these are linked to, by id; one statement, none where nothing is linked. */
export async function loadParentInvoices(
  session: ReadSession,
  invoices: readonly Partial<Pick<Invoice, 'parentInvoiceId'>>[],
): Promise<ReadonlyMap<Uuid, Invoice>> {
  const ids = new Set(invoices.flatMap(({ parentInvoiceId }) => parentInvoiceId ?? []));
  if (ids.size === 0) return new Map();
  return new Map((await session.invoices.findByIds([...ids])).map((invoice) => [invoice.id, invoice]));
}
