import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type AccountBalance,
  type Invoice,
  InvoiceItemType,
  InvoicePaymentType,
  isUnresolved,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { creditableInvoices, isOwed, unpaidInvoices } from '../credit/apply-credit.ts';
import { accountBalanceOf } from '../invoices/invoice-amounts.ts';
import { isPaidWhole, isSettled } from '../invoices/parent-summary.ts';

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

/**
 * Those of these invoices that have a payment in flight: credit and card would both pay them (§10 rule 2). A leased
 * transaction is UNKNOWN until its answer is recorded.
 */
export async function invoicesBeingPaid(
  session: ReadSession,
  invoiceIds: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  if (invoiceIds.length === 0) return new Set();
  const rows = (await session.payments.findInvoicePaymentsByInvoices(invoiceIds)).filter(
    ({ type }) => type === InvoicePaymentType.ATTEMPT,
  );
  const paymentIds = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
  if (paymentIds.length === 0) return new Set();
  const open = (await session.payments.findTransactions(paymentIds)).filter(
    (each) => each.transactionType === TransactionType.PURCHASE && isUnresolved(each),
  );
  const unresolved = new Set(open.map(({ paymentId }) => paymentId));
  return new Set(
    rows.flatMap(({ paymentId, invoiceId }) =>
      paymentId !== null && unresolved.has(paymentId) ? invoiceId : [],
    ),
  );
}

/**
 * By item, its invoice, for those of these items that a parent is to pay and has not paid (§10 rule 8). One statement
 * where no parent pays any of them, else a constant number.
 */
export async function loadRepairedDebts(
  session: ReadSession,
  itemIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Invoice>> {
  const items = await session.invoices.findDelegated(itemIds);
  if (items.length === 0) return new Map();
  const invoices = await session.invoices.findByIds([...new Set(items.map(({ invoiceId }) => invoiceId))]);
  const summaries = await loadParentInvoices(session, invoices);
  const settled = [...summaries.values()].filter(isSettled);
  const shares = (await session.invoices.findItems(settled.map(({ id }) => id))).filter(
    ({ itemType }) => itemType === InvoiceItemType.PARENT_SUMMARY,
  );
  const shareOf = new Map(shares.map((item) => [keyOf(item.invoiceId, item.childAccountId), item]));
  const isDebt = ({ accountId, parentInvoiceId }: Invoice): boolean => {
    const summary = parentInvoiceId === null ? undefined : summaries.get(parentInvoiceId);
    if (summary === undefined) return true;
    return !isPaidWhole(summary, shareOf.get(keyOf(summary.id, accountId)));
  };
  const debts = new Map(invoices.filter(isDebt).map((invoice) => [invoice.id, invoice]));
  return new Map(
    items.flatMap(({ itemId, invoiceId }) => {
      const debt = debts.get(invoiceId);
      return debt === undefined ? [] : [[itemId, debt] as const];
    }),
  );
}

function keyOf(summaryId: Uuid, childAccountId: Uuid | null): string {
  return `${summaryId} ${childAccountId}`;
}

/**
 * Balances and credit of these accounts, with what their parents pay, in one statement; accounts without invoices are
 * left out.
 */
export async function loadBalances(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly AccountBalance[]> {
  return (await session.invoices.loadBalances(accountIds)).map(accountBalanceOf);
}
