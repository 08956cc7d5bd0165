import {
  type CatalogProvider,
  type CatalogRequest,
  type CatalogSource,
  withOverridePlans,
} from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import { type Invoice, type InvoiceItem, itemTypes } from '../../records/index.ts';
import { planNamesOf } from '../../subscriptions/index.ts';
import type { SettingsOf, TenantSettings } from '../../tenants/index.ts';
import { type InvoiceView, type ViewSources, viewInvoices } from '../invoices/invoice-view.ts';
import { loadParentInvoices } from './load-open-invoices.ts';

/** What views are made with besides what is stored of the invoices. */
export interface ViewTools {
  /** null = without names. */
  readonly catalogsOf: CatalogSource | null;
  /** null = without numbers by the tenant's pattern. */
  readonly settingsOf: SettingsOf | null;
}

/** The invoices with their items and the names of what they bill, in the order given, by a constant number of queries. */
export async function loadInvoiceViews(
  session: ReadSession,
  invoices: readonly Invoice[],
  tools: ViewTools,
): Promise<readonly InvoiceView[]> {
  if (invoices.length === 0) return [];
  const items = session.invoices.findItems(invoices.map((invoice) => invoice.id));
  const sources = await loadViewSources(session, { invoices, items, ...tools });
  return viewInvoices(invoices, await items, sources);
}

interface ViewedInvoices extends ViewTools {
  readonly invoices: readonly Invoice[];
  /** A promise where they are still being read: the rest is then read together with them. */
  readonly items: readonly InvoiceItem[] | Promise<readonly InvoiceItem[]>;
}

/** Loads what views of these invoices take besides their items. */
export async function loadViewSources(
  session: ReadSession,
  { invoices, items: read, catalogsOf, settingsOf }: ViewedInvoices,
): Promise<ViewSources> {
  const accountIds = [...new Set(invoices.map((invoice) => invoice.accountId))];
  const [items, catalogOf, parents, settings] = await Promise.all([
    read,
    catalogsOf === null ? null : catalogsOf(session, accountIds),
    loadParentInvoices(session, invoices),
    settingsOf === null ? null : settingsOf(session),
  ]);
  const numberPatterns = settings === null ? [] : settings['invoice.numberPattern'];
  const [trackingIds, plansOf] = await Promise.all([
    loadTrackingIds(session, items, settings),
    catalogOf === null
      ? null
      : withOverridePlans(session, { catalogOf, accountIds, planNames: planNamesOf(items) }),
  ]);
  return { catalogOf: plansOf, parents, numberPatterns, trackingIds };
}

/**
 * The tracking ids of usage on invoices of runs, with or without a USAGE item: the next invoice also reports late usage that
 * changes no amount. Other invoices bill no usage and cost no statement (usage §7.6).
 */
async function loadTrackingIds(
  session: ReadSession,
  items: readonly InvoiceItem[],
  settings: TenantSettings | null,
): Promise<ViewSources['trackingIds']> {
  const ofRuns = items.filter(({ itemType }) => itemTypes[itemType].addedByRuns);
  if (ofRuns.length === 0 || settings === null) return new Map();
  const limit = settings['invoice.trackingIds.maxReturned'];
  return session.usage.trackingIds([...new Set(ofRuns.map(({ invoiceId }) => invoiceId))], limit);
}

/**
 * The catalogs in which names of billed things are looked up; null where they cannot be had: the names are then null, and
 * the read goes on (§1.2).
 */
export async function catalogsForNames(
  { logger }: Pick<Ports, 'logger'>,
  catalogs: CatalogProvider,
  request: CatalogRequest,
): Promise<CatalogSource | null> {
  try {
    return await catalogs.open(request);
  } catch (error) {
    logger.warn(
      { err: error, tenantId: request.tenant.id },
      'no catalog to be had: invoice items without names',
    );
    return null;
  }
}
