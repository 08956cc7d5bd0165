import { type DocumentFacts, documentFacts } from '../../../lib/invoicing/documents/document-facts.ts';
import type { InvoiceToRender } from '../../../lib/invoicing/documents/rendered-invoice.ts';
import type { CreditNoteView, InvoiceView } from '../../../lib/invoicing/invoices/invoice-view.ts';
import { DocumentSourceLoader, loadInvoiceViews } from '../../../lib/invoicing/loading/load-invoice-views.ts';
import type { ReadSession } from '../../../lib/ports/storage/index.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../../lib/tenants/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import type { TestEngine } from '../engine.ts';

/** Returns the facts of all invoices of an account except void ones, and of all its credit notes. */
export async function documentsOf(
  { storage, tenant }: Pick<TestEngine, 'storage' | 'tenant'>,
  accountId: Uuid,
): Promise<readonly DocumentFacts[]> {
  return storage.read(tenant, async (session) => {
    const filter = { withMigration: false, openOnly: false } as const;
    const invoices = session.invoices.listOfAccounts([accountId], filter);
    const viewed = { invoices, selection: { accountIds: [accountId], filter } };
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

/** A document as it is sent, with the items and amounts that it shows. */
export interface IssuedDocument {
  readonly facts: DocumentFacts;
  readonly invoice: InvoiceView;
}

/**
 * Returns the documents of all COMMITTED and VOID invoices of an account and of its credit notes, loaded as for pages.
 */
export async function issuedDocumentsOf(
  { storage, tenant, logger, billing }: Pick<TestEngine, 'storage' | 'tenant' | 'logger' | 'billing'>,
  accountId: Uuid,
): Promise<readonly IssuedDocument[]> {
  const catalogs = { open: () => Promise.reject(new Error('names are not needed')) };
  const loader = new DocumentSourceLoader({ storage, logger }, catalogs, async () => DEFAULT_TENANT_SETTINGS);
  const context = await billing.context({ tenant, user: 'test' });
  const [invoices, notes] = await storage.read(tenant, async (session) => {
    const listed = await session.invoices.listOfAccounts([accountId], {
      withMigration: false,
      openOnly: false,
    });
    return [listed, await session.creditNotes.ofInvoices(listed.map(({ id }) => id))];
  });
  const documentOf = (
    { invoice, account, seller, linkedItems = [], notes: own = [] }: InvoiceToRender,
    note: CreditNoteView | null,
  ) => {
    return { invoice, facts: documentFacts({ invoice, account, seller, linkedItems, note, notes: own }) };
  };
  const documents: IssuedDocument[] = [];
  for (const { id, status } of invoices) {
    if (status !== 'DRAFT') documents.push(documentOf((await loader.load(context, id)).given, null));
  }
  for (const note of notes) {
    documents.push(
      documentOf((await loader.loadOfNote(context, note)).given, { ...note, formattedNumber: null }),
    );
  }
  return documents;
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
