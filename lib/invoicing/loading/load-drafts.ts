import type { ReadSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { DraftingRequest } from '../evaluation/invoice-for-run.ts';
import type { Draft } from '../invoices/drafting.ts';

/**
 * The drafts that each run may write to, by account id; two statements where drafts may be reused, none otherwise. An
 * account whose named draft cannot be used is left to `runInvoiceOf`, which says why.
 * @param areAllWanted true: all drafts of accounts that reuse them, the oldest first, for runs to come.
 */
export async function loadDrafts(
  session: ReadSession,
  requests: readonly DraftingRequest[],
  { areAllWanted = false }: { readonly areAllWanted?: boolean } = {},
): Promise<ReadonlyMap<Uuid, readonly Draft[]>> {
  const oldest = requests.filter(({ drafting }) => drafting?.reusesDraft).map(({ account }) => account.id);
  const named = requests.flatMap(({ drafting }) => drafting?.draftId ?? []);
  const found = [
    ...(oldest.length === 0 ? [] : await session.invoices.findDrafts(oldest)),
    ...(named.length === 0 ? [] : await session.invoices.findByIds(named)),
  ];
  if (found.length === 0) return new Map();
  const wanted = areAllWanted ? found : firstOfEach(found, named);
  const items = await session.invoices.findItems(wanted.map(({ id }) => id));
  const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const drafts = wanted.map((invoice): Draft => ({ invoice, items: itemsOf.get(invoice.id) ?? [] }));
  return Map.groupBy(drafts, ({ invoice }) => invoice.accountId);
}

/** The oldest draft of each account and the named ones, of invoices in the order of their creation. */
function firstOfEach(
  found: readonly Draft['invoice'][],
  named: readonly Uuid[],
): readonly Draft['invoice'][] {
  const first = new Map([...found].reverse().map((invoice) => [invoice.accountId, invoice.id]));
  const byId = new Map(found.map((invoice) => [invoice.id, invoice]));
  return [...byId.values()].filter(({ id, accountId }) => named.includes(id) || first.get(accountId) === id);
}
