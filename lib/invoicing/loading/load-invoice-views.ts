import type { CatalogSource } from '../../catalog/index.ts';
import { withOverridePlans } from '../../catalog/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import type { Invoice, InvoiceItem } from '../../records/index.ts';
import { planNamesOf } from '../../subscriptions/index.ts';
import { type InvoiceView, type ViewSources, viewInvoices } from '../invoices/invoice-view.ts';
import { loadParentInvoices } from './load-open-invoices.ts';

/**
 * The invoices with their items and the names of what they bill, in the order given, by a constant number of queries.
 * @param catalogsOf null = without names.
 */
export async function loadInvoiceViews(
  session: ReadSession,
  invoices: readonly Invoice[],
  catalogsOf: CatalogSource | null,
): Promise<readonly InvoiceView[]> {
  if (invoices.length === 0) return [];
  const items = await session.invoices.findItems(invoices.map((invoice) => invoice.id));
  return viewInvoices(invoices, items, await loadViewSources(session, { invoices, items, catalogsOf }));
}

/** Loads what views of these invoices take besides their items. */
export async function loadViewSources(
  session: ReadSession,
  {
    invoices,
    items,
    catalogsOf,
  }: {
    readonly invoices: readonly Invoice[];
    readonly items: readonly InvoiceItem[];
    readonly catalogsOf: CatalogSource | null;
  },
): Promise<ViewSources> {
  if (catalogsOf === null) {
    return { catalogOf: null, parents: await loadParentInvoices(session, invoices) };
  }
  const accountIds = [...new Set(invoices.map((invoice) => invoice.accountId))];
  const [catalogOf, parents] = await Promise.all([
    catalogsOf(session, accountIds),
    loadParentInvoices(session, invoices),
  ]);
  const planNames = planNamesOf(items);
  const plansOf = await withOverridePlans(session, { catalogOf, accountIds, planNames });
  return { catalogOf: plansOf, parents };
}
