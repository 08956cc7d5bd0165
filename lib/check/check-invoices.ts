import type { ReadSession } from '../ports/storage/index.ts';
import { type Account, type Invoice, type InvoiceItem, InvoiceStatus, itemTypes } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { balanceWith, type CountedBalance, NO_BALANCE, wrongBalances } from './account-sums.ts';
import { finerBalance, finerCredit } from './finer-amounts.ts';
import { wrongSums } from './invoice-sums.ts';
import { wrongRemainders } from './item-remainders.ts';
import type { Finding } from './model.ts';
import { severalOpenPayments } from './payment-limits.ts';
import { wronglyBilled } from './usage-sums.ts';

/** Invoices that a check of the stored data reads at once. */
const CHECKED_INVOICES_AT_ONCE = 1_000;

export type FindingOfAccount = Finding & { readonly accountId: Uuid };

/** Checks all invoices of these accounts, a part at a time, and what is stored about the accounts for them. */
export async function checkInvoices(
  session: ReadSession,
  accounts: readonly Account[],
): Promise<readonly FindingOfAccount[]> {
  const findings: FindingOfAccount[] = [];
  const balances = new Map<Uuid, CountedBalance>();
  const accountRecordIds = accounts.map(({ recordId }) => recordId);
  let afterRecordId = 0;
  for (;;) {
    const invoices = await session.checks.invoicesAfter({
      accountRecordIds,
      afterRecordId,
      limit: CHECKED_INVOICES_AT_ONCE,
    });
    for (const invoice of invoices) {
      const known = balances.get(invoice.accountId) ?? NO_BALANCE;
      balances.set(invoice.accountId, balanceWith(known, invoice));
    }
    findings.push(...(await checkBatch(session, invoices)));
    if (invoices.length < CHECKED_INVOICES_AT_ONCE) break;
    afterRecordId = invoices.at(-1)?.recordId ?? afterRecordId;
  }
  const states = await session.invoices.loadStates(accounts.map(({ id }) => id));
  const kept = new Map(states.map((state) => [state.accountId, state]));
  for (const account of accounts) {
    const counted = balances.get(account.id) ?? NO_BALANCE;
    const wrong = [...wrongBalances(kept.get(account.id), counted), ...finerCredit(account, counted)];
    findings.push(...wrong.map((finding) => ({ ...finding, accountId: account.id })));
  }
  return findings;
}

async function checkBatch(
  session: ReadSession,
  invoices: readonly Invoice[],
): Promise<readonly FindingOfAccount[]> {
  if (invoices.length === 0) return [];
  const ids = invoices.map(({ id }) => id);
  const items = await session.invoices.findItems(ids);
  const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const payments = await session.payments.findInvoicePaymentsByInvoices(ids);
  const paymentsOf = Map.groupBy(payments, ({ invoiceId }) => invoiceId);
  const paymentIds = [...new Set(payments.flatMap(({ paymentId }) => paymentId ?? []))];
  const transactions = paymentIds.length === 0 ? [] : await session.payments.findTransactions(paymentIds);
  const transactionsOf = Map.groupBy(transactions, ({ paymentId }) => paymentId);
  const itemIds = items.map(({ id }) => id);
  const rowsOf = Map.groupBy(await session.invoices.loadCoverageOfItems(itemIds), ({ itemId }) => itemId);
  const taken = Map.groupBy(await takenFrom(session, itemIds), ({ linkedItemId }) => linkedItemId);
  const billed = Map.groupBy(await session.checks.billedItems(ids), ({ invoiceId }) => invoiceId);
  return invoices.flatMap((invoice) => {
    const own = itemsOf.get(invoice.id) ?? [];
    const paid = paymentsOf.get(invoice.id) ?? [];
    const found = [
      ...wrongSums(invoice, own, paid),
      ...finerBalance(invoice, own),
      ...(invoice.isMigration
        ? []
        : wronglyBilled(
            own,
            (billed.get(invoice.id) ?? []).map(({ itemId }) => itemId),
          )),
      ...severalOpenPayments(invoice.id, paid, (id) => transactionsOf.get(id) ?? []),
      ...own.flatMap((item) =>
        wrongRemainders({
          invoice,
          item,
          taken: taken.get(item.id) ?? [],
          rows: rowsOf.get(item.id) ?? [],
        }),
      ),
    ];
    return found.map((finding) => ({ ...finding, accountId: invoice.accountId }));
  });
}

/** Repairs and adjustments of these items on invoices that count: neither VOID nor made by another system. */
async function takenFrom(session: ReadSession, itemIds: readonly Uuid[]): Promise<readonly InvoiceItem[]> {
  const linked = (await session.invoices.findItemsLinkedTo(itemIds)).filter(
    ({ itemType }) => itemTypes[itemType].kind === 'ADJUSTMENT',
  );
  const invoiceIds = [...new Set(linked.map(({ invoiceId }) => invoiceId))];
  if (invoiceIds.length === 0) return [];
  const invoices = await session.invoices.findByIds(invoiceIds);
  const invisible = new Set(
    invoices
      .filter(({ status, isMigration }) => status === InvoiceStatus.VOID || isMigration)
      .map(({ id }) => id),
  );
  return linked.filter(({ invoiceId }) => !invisible.has(invoiceId));
}
