import type { Uuid } from '../ids/index.ts';
import type { Invoice, InvoiceAmounts, InvoiceItem } from '../invoicing/model.ts';
import { type Decimal, ZERO } from '../money/index.ts';
import type { IdGenerator } from '../ports/identity.ts';
import type { New, WriteSession } from '../ports/storage/session.ts';
import type { Instant } from '../time/index.ts';
import { countedAmount } from './invoice-payment-result.ts';
import { emptyState, excessCreditItem, settleInvoice } from './invoice-settlement.ts';
import type { InvoicePayment } from './model.ts';

export interface ChangedRow {
  readonly before: InvoicePayment;
  readonly after: InvoicePayment;
}

interface SettleTools {
  readonly ids: IdGenerator;
  readonly now: Instant;
}

/** Takes what the rows newly count off their invoices and accounts (invoicing.md §1.4, §1.6 rule 8). */
export async function settleInvoices(
  session: WriteSession,
  { rows, invoices }: { readonly rows: readonly ChangedRow[]; readonly invoices: ReadonlyMap<Uuid, Invoice> },
  tools: SettleTools,
): Promise<void> {
  const paid = new Map<Uuid, Decimal>();
  for (const { before, after } of rows) {
    const change = countedAmount(after).minus(countedAmount(before));
    if (!change.isZero()) paid.set(after.invoiceId, (paid.get(after.invoiceId) ?? ZERO).plus(change));
  }
  const affected = [...paid.keys()].flatMap((id) => invoices.get(id) ?? []);
  if (affected.length === 0) return;
  const accountIds = [...new Set(affected.map(({ accountId }) => accountId))];
  const states = new Map(
    (await session.invoices.loadStates(accountIds)).map((state) => [state.accountId, state]),
  );
  const settled: Invoice[] = [];
  const excesses: { readonly invoice: Invoice; readonly excess: Decimal }[] = [];
  for (const invoice of affected) {
    const state = states.get(invoice.accountId) ?? emptyState(invoice.accountId, invoice.accountRecordId);
    const result = settleInvoice(invoice, state, paid.get(invoice.id) ?? ZERO);
    states.set(invoice.accountId, result.state);
    settled.push(result.invoice);
    if (!result.excess.isZero()) excesses.push({ invoice, excess: result.excess });
  }
  if (excesses.length > 0) await session.invoices.insertItems(await excessItems(session, excesses, tools));
  await session.invoices.setAmounts(
    settled.map((invoice) => ({ invoiceId: invoice.id, ...amountsOf(invoice) })),
  );
  await session.invoices.saveStates([...states.values()]);
}

async function excessItems(
  session: WriteSession,
  excesses: readonly { readonly invoice: Invoice; readonly excess: Decimal }[],
  tools: SettleTools,
): Promise<readonly New<InvoiceItem>[]> {
  const accounts = await session.accounts.findByIds([
    ...new Set(excesses.map(({ invoice }) => invoice.accountId)),
  ]);
  return excesses.flatMap(({ invoice, excess }) => {
    const account = accounts.find(({ id }) => id === invoice.accountId);
    return account
      ? [excessCreditItem({ id: tools.ids.next(), invoice, account, excess, now: tools.now })]
      : [];
  });
}

function amountsOf({ amount, creditAdj, refundAdj, rawBalance }: Invoice): InvoiceAmounts {
  return { amount, creditAdj, refundAdj, rawBalance };
}
