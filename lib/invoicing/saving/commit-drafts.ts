import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import { type Account, type Invoice, InvoiceStatus } from '../../records/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { chargedThroughDates } from '../invoices/charged-through-date.ts';
import { type Draft, payerOf } from '../invoices/new-invoice.ts';
import { changeInvoices } from './change-invoices.ts';
import { summariseChildren } from './parent-summaries.ts';
import { resetChargedThrough } from './reset-charged-through.ts';

/** A draft and its account, whose lock the caller holds. */
export interface OwnedDraft {
  readonly account: Account;
  readonly invoice: Invoice;
}

/**
 * Commits drafts: they are owed from now on, take part in their accounts' credit and move the charged-through dates (§9
 * rule 10). Summaries are first brought to what their children's invoices come to (§12 rule 3). A constant number of
 * statements.
 */
export async function commitDrafts(
  session: WriteSession,
  drafts: readonly OwnedDraft[],
  ids: IdGenerator,
): Promise<void> {
  await settleSummaries(session, drafts, ids);
  const accounts = new Map(drafts.map(({ account }) => [account.id, account]));
  const stored = await session.invoices.findByIds(drafts.map(({ invoice }) => invoice.id));
  const items = await session.invoices.findItems(stored.map(({ id }) => id));
  const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const committed = stored.flatMap((invoice): readonly Committing[] => {
    const account = accounts.get(invoice.accountId);
    return account === undefined ? [] : [{ account, invoice, items: itemsOf.get(invoice.id) ?? [] }];
  });
  const now = session.authorship.createdDate;
  const changes = committed.map(({ account, invoice: before, items: allItems }) => {
    const status = InvoiceStatus.COMMITTED;
    const commitDate = localDateOf(now, account.timeZone);
    return { before, after: { ...before, status, commitDate, ...payerOf(account, status) }, allItems };
  });
  const after = changes.map((change) => change.after);
  await session.invoices.setStanding(after);
  await session.invoices.setLinks(after.filter(({ contributedAmount }) => contributedAmount !== null));
  await moveChargedThrough(session, committed);
  await changeInvoices(session, { changes, accounts: [...accounts.values()] }, ids);
}

interface Committing extends Draft {
  readonly account: Account;
}

/** Commits a summary with what its children's invoices come to now, whether or not their changes have been told yet. */
async function settleSummaries(
  session: WriteSession,
  drafts: readonly OwnedDraft[],
  ids: IdGenerator,
): Promise<void> {
  const summaries = drafts.filter(({ invoice }) => invoice.isParentInvoice);
  if (summaries.length === 0) return;
  const linked = await session.invoices.findLinked(summaries.map(({ invoice }) => invoice.id));
  const changes = linked.map(({ id }) => ({ invoiceId: id, isNew: false }));
  const parents = summaries.map(({ account }) => account);
  await summariseChildren(session, { parents, changes }, { ids, commitAt: session.authorship.createdDate });
}

async function moveChargedThrough(session: WriteSession, committed: readonly Committing[]): Promise<void> {
  const accounts = committed.flatMap(({ account, items }) =>
    [...chargedThroughDates(items).keys()].map((subscriptionId) => [subscriptionId, account] as const),
  );
  const charges = committed.flatMap(({ items }) => items);
  await resetChargedThrough(session, new Map(accounts), charges);
}
