import { type DocumentFacts, documentFacts } from '../../../lib/invoicing/documents/document-facts.ts';
import type { InvoiceView } from '../../../lib/invoicing/invoices/invoice-view.ts';
import { loadInvoiceViews } from '../../../lib/invoicing/loading/load-invoice-views.ts';
import type { ReadSession } from '../../../lib/ports/storage/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { TestEngine } from '../engine.ts';

/** Returns the facts of all invoices of an account except void ones, and of all its credit notes. */
export async function documentsOf(
  { storage, tenant }: Pick<TestEngine, 'storage' | 'tenant'>,
  accountId: Uuid,
): Promise<readonly DocumentFacts[]> {
  return storage.read(tenant, async (session) => {
    const filter = { withMigration: false, openOnly: false } as const;
    const invoices = session.invoices.listOfAccount(accountId, filter);
    const viewed = { invoices, selection: { accountId, filter } };
    const views = await loadInvoiceViews(session, viewed, { catalogsOf: null, settingsOf: null });
    const linkedItems = views.flatMap(({ items }) => items);
    const [account] = await session.accounts.findByIds([accountId]);
    if (account === undefined) throw new Error(`no account ${accountId}`);
    const of = { account, seller: null, linkedItems };
    return [
      ...views
        .filter(({ status }) => status !== 'VOID')
        .map((invoice) => documentFacts({ ...of, invoice, note: null })),
      ...(await notesOf(session, accountId, views)).map((each) => documentFacts({ ...of, ...each })),
    ];
  });
}

async function notesOf(session: ReadSession, accountId: Uuid, views: readonly InvoiceView[]) {
  const itemOf = new Map(views.flatMap(({ items }) => items).map((item) => [item.id, item]));
  const { rows } = await session.creditNotes.pageOfAccount(accountId, { offset: 0, limit: 1_000 });
  return rows.flatMap((stored) => {
    const invoice = views.find(({ id }) => id === stored.invoiceId);
    const items = stored.lines.flatMap(({ itemId, amount }) => {
      const item = itemOf.get(itemId);
      return item === undefined ? [] : [{ ...item, amount }];
    });
    const note = { ...stored, formattedNumber: null };
    return invoice === undefined ? [] : [{ invoice: { ...invoice, items }, note }];
  });
}

/** Formats the taxes of a document: `S 19 %: 100 + 19`, with the difference in parentheses. */
export function taxLinesOf({ taxes }: DocumentFacts): readonly string[] {
  return taxes.map(({ category, rate, net, tax, difference }) => {
    const off = difference.isZero() ? '' : ` (${difference})`;
    return `${category ?? 'none'} ${rate ?? 'no'} %: ${net} + ${tax}${off}`;
  });
}
