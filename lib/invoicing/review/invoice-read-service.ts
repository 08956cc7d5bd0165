import { loadAccount, noSuchAccount, noSuchObject } from '../../accounts/index.ts';
import type { CatalogProvider, CatalogRequest, CatalogSource } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { InvoiceFilter, InvoiceSearch, ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type Invoice,
  type InvoiceStatus,
  invoiceFields,
  ObjectType,
  type Page,
  type PageRequest,
  type SearchClause,
  SearchOperator,
} from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch, SharedCalls } from '../../runtime/index.ts';
import type { SettingsOf } from '../../tenants/index.ts';
import { billingError, ErrorCode, invalidParameter } from '../../values/errors/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { formatDecimal, isCurrency, parseWireDecimal } from '../../values/money/index.ts';
import { checkStorable } from '../../values/text/index.ts';
import {
  type InvoiceReader,
  type InvoiceView,
  viewInvoices,
  withChildItems,
} from '../invoices/invoice-view.ts';
import type { AccountInvoicesRequest, InvoiceGroupRequest } from '../invoices/requests.ts';
import { onlyUnpaid } from '../loading/load-credit-inputs.ts';
import {
  catalogsForNames,
  loadInvoiceViews,
  loadViewSources,
  type ViewTools,
} from '../loading/load-invoice-views.ts';

/** Maximum number of accounts whose lists are read together. */
const MAX_LISTS_TOGETHER = 8;
/**
 * Lists with at least this many invoices and items are read alone, because the lists of a group are converted without a
 * pause for other work.
 */
const LONG_LIST = 1_000;
const MAX_KNOWN_LONG_LISTS = 10_000;

const notVoid: readonly InvoiceStatus[] = ['DRAFT', 'COMMITTED'];

export class InvoiceReadService implements InvoiceReader {
  readonly #ports: Pick<Ports, 'storage' | 'logger'>;
  readonly #catalogs: CatalogProvider;
  readonly #settingsOf: SettingsOf;
  readonly #reads: SharedCalls<Uuid, InvoiceView | undefined>;
  readonly #lists: SharedCalls<Uuid, readonly InvoiceView[] | undefined>;
  /** Accounts that had a long list. */
  readonly #longLists = new Set<Uuid>();
  readonly #catalogPlugins: { readonly isEmpty: boolean };

  constructor(
    ports: Pick<Ports, 'storage' | 'logger' | 'systemClock'>,
    catalogs: CatalogProvider,
    tools: { readonly settingsOf: SettingsOf; readonly catalogPlugins: { readonly isEmpty: boolean } },
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#settingsOf = tools.settingsOf;
    this.#catalogPlugins = tools.catalogPlugins;
    this.#reads = new SharedCalls(ports.systemClock);
    this.#lists = new SharedCalls(ports.systemClock, MAX_LISTS_TOGETHER);
  }

  async get(
    context: CallContext,
    invoiceId: Uuid,
    { withChildrenItems = false }: { readonly withChildrenItems?: boolean } = {},
  ): Promise<InvoiceView> {
    const alike = this.#alike(context, String(withChildrenItems));
    const view = await this.#reads.run(alike, invoiceId, (ids) =>
      this.#views(context, ids, withChildrenItems),
    );
    if (view) return view;
    const message = `Invoice does not exist for id ${invoiceId}`;
    throw billingError(ErrorCode.INVOICE_NOT_FOUND, message, { invoiceId });
  }

  async listGroup(
    context: CallContext,
    { accountId, groupId, withChildrenItems = false }: InvoiceGroupRequest,
  ): Promise<readonly InvoiceView[]> {
    const found = await this.#ports.storage.read(context.tenant, async (session) => {
      await loadAccount(session, accountId);
      return session.invoices.findGroup(groupId);
    });
    const ids = found.filter((invoice) => invoice.accountId === accountId).map(({ id }) => id);
    const views = await this.#views(context, ids, withChildrenItems);
    if (views.length > 0) return views.filter((view) => view !== undefined);
    const message = `Account ${accountId} has no invoice group ${groupId}`;
    throw billingError(ErrorCode.INVOICE_NOT_FOUND, message, { accountId, groupId });
  }

  async getByNumber(
    context: CallContext,
    invoiceNumber: number,
    options: { readonly withChildrenItems?: boolean } = {},
  ): Promise<InvoiceView> {
    if (!Number.isSafeInteger(invoiceNumber) || invoiceNumber < 1) {
      const message = 'An invoice number must be an integer of at least 1';
      throw billingError(ErrorCode.INVOICE_INVALID_NUMBER, message);
    }
    const [found] = await this.#ports.storage.read(context.tenant, ({ invoices }) =>
      invoices.findByNumbers([invoiceNumber]),
    );
    if (found) return this.get(context, found.id, options);
    const message = `Invoice does not exist for number ${invoiceNumber}`;
    throw billingError(ErrorCode.INVOICE_NUMBER_NOT_FOUND, message, { invoiceNumber });
  }

  async getByItem(
    context: CallContext,
    itemId: Uuid,
    options: { readonly withChildrenItems?: boolean } = {},
  ): Promise<InvoiceView> {
    const [item] = await this.#ports.storage.read(context.tenant, ({ invoices }) =>
      invoices.findItemsByIds([itemId]),
    );
    if (item) return this.get(context, item.invoiceId, options);
    throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: itemId });
  }

  /**
   * Returns the key of reads that can be shared, or null if a read cannot be shared. Catalog plugins prevent sharing,
   * because they get the account and the time of each call.
   */
  #alike({ tenant }: CallContext, kind: string): string | null {
    return tenant.within || !this.#catalogPlugins.isEmpty ? null : `${tenant.id} ${kind}`;
  }

  async #views(
    context: CallContext,
    invoiceIds: readonly Uuid[],
    withChildrenItems: boolean,
  ): Promise<readonly (InvoiceView | undefined)[]> {
    const catalogsOf = await this.#openForNames(context, async (session) => {
      const found = await session.invoices.findByIds(invoiceIds);
      const children = withChildrenItems ? await childrenOf(session, found) : [];
      return [...new Set([...found, ...children].map((invoice) => invoice.accountId))];
    });
    return this.#ports.storage.read(context.tenant, async (session) => {
      const tools = { catalogsOf, settingsOf: this.#settingsOf };
      const viewed = { invoices: session.invoices.findByIds(invoiceIds), selection: invoiceIds };
      const views = await loadInvoiceViews(session, viewed, tools);
      const complete = withChildrenItems
        ? withChildItems(views, await viewsOfChildren(session, views, tools))
        : views;
      const viewOf = new Map(complete.map((view) => [view.id, view]));
      return invoiceIds.map((id) => viewOf.get(id));
    });
  }

  async ofAccount(context: CallContext, request: AccountInvoicesRequest): Promise<readonly InvoiceView[]> {
    const { accountId, withItems = false, includeVoided = false, unpaidOnly = false, ...given } = request;
    const statuses = given.statuses ?? (includeVoided ? undefined : notVoid);
    const filter = { withMigration: false, openOnly: unpaidOnly, ...given, ...(statuses && { statuses }) };
    const isAlone = filter.ids !== undefined || this.#longLists.has(accountId);
    const alike = isAlone ? null : this.#alike(context, JSON.stringify([withItems, filter]));
    const views = await this.#lists.run(alike, accountId, (accountIds) =>
      this.#ofAccounts(context, { accountIds, filter }, withItems),
    );
    if (views === undefined) throw noSuchAccount(accountId);
    this.#noteLength(accountId, views);
    return views;
  }

  #noteLength(accountId: Uuid, views: readonly InvoiceView[]): void {
    const length = views.reduce((sum, { items }) => sum + 1 + items.length, 0);
    if (length < LONG_LIST) return;
    if (this.#longLists.size >= MAX_KNOWN_LONG_LISTS) this.#longLists.clear();
    this.#longLists.add(accountId);
  }

  /** Returns the views of each account, or undefined for an unknown account. */
  async #ofAccounts(
    context: CallContext,
    list: { readonly accountIds: readonly Uuid[]; readonly filter: InvoiceFilter },
    withItems: boolean,
  ): Promise<readonly (readonly InvoiceView[] | undefined)[]> {
    const { accountIds } = list;
    const catalogsOf = withItems ? await this.#openForNames(context, accountIds) : null;
    return this.#ports.storage.read(context.tenant, async (session) => {
      const listed = listedInvoices(session, list);
      const invoices = listed.then((found) => found.invoices);
      const tools = { catalogsOf, settingsOf: this.#settingsOf };
      const views = withItems
        ? await loadInvoiceViews(session, { invoices, selection: list }, tools)
        : await this.#plainViews(session, invoices);
      const { known } = await listed;
      const viewsOf = Map.groupBy(views, (view) => view.accountId);
      return accountIds.map((id) => (known.has(id) ? (viewsOf.get(id) ?? []) : undefined));
    });
  }

  async writeToLog(
    context: CallContext,
    accountId: Uuid,
    { type = null }: { readonly type?: string | null } = {},
  ): Promise<void> {
    const request = { accountId, includeVoided: true, withMigration: true } as const;
    for (const { id: invoiceId, ...each } of await this.ofAccount(context, request)) {
      const { invoiceNumber, status, currency } = each;
      const amounts = { amount: formatDecimal(each.amount), balance: formatDecimal(each.balance), currency };
      const facts = { type, accountId, invoiceId, invoiceNumber, status, ...amounts };
      this.#ports.logger.info(facts, 'invoice');
    }
  }

  async trackingIds({ tenant }: CallContext, invoiceId: Uuid, request: PageRequest): Promise<Page<string>> {
    return this.#ports.storage.read(tenant, async (session) => {
      const [invoice] = await session.invoices.findByIds([invoiceId]);
      if (invoice === undefined) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
      return session.usage.pageOfTrackingIds(invoiceId, request);
    });
  }

  async page(context: CallContext, request: PageRequest): Promise<Page<InvoiceView>> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const page = await session.invoices.page(request);
      return { ...page, rows: await this.#plainViews(session, page.rows) };
    });
  }

  async search(context: CallContext, key: string, request: PageRequest): Promise<Page<InvoiceView>> {
    checkStorable('Search key', key);
    const search = invoiceSearch(key);
    return this.#ports.storage.read(context.tenant, async (session) => {
      if (search === null) {
        const { max } = await session.invoices.page({ offset: 0, limit: 0 });
        return { rows: [], total: 0, max };
      }
      const page = await session.invoices.search(search, request);
      return { ...page, rows: await this.#plainViews(session, page.rows) };
    });
  }

  async pageOfAccount(
    context: CallContext,
    accountId: Uuid,
    request: PageRequest,
  ): Promise<Page<InvoiceView>> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      await loadAccount(session, accountId);
      const page = await session.invoices.pageOfAccount(accountId, request);
      return { ...page, rows: await this.#plainViews(session, page.rows) };
    });
  }

  #openForNames(context: CallContext, accounts: CatalogRequest['accounts']): Promise<CatalogSource | null> {
    const request = { tenant: context.tenant, now: context.createdDate, accounts };
    return catalogsForNames(this.#ports, this.#catalogs, request);
  }

  async #plainViews(
    session: ReadSession,
    reading: readonly Invoice[] | Promise<readonly Invoice[]>,
  ): Promise<readonly InvoiceView[]> {
    const [invoices] = await Promise.all([reading, this.#settingsOf(session)]);
    const tools = { catalogsOf: null, settingsOf: this.#settingsOf };
    return viewInvoices(invoices, [], await loadViewSources(session, { invoices, items: [], ...tools }));
  }
}

/** Returns the invoices of children that these invoices summarize. */
async function childrenOf(session: ReadSession, invoices: readonly Invoice[]): Promise<readonly Invoice[]> {
  const summaries = invoices.filter(({ isParentInvoice }) => isParentInvoice);
  return session.invoices.findLinked(summaries.map(({ id }) => id));
}

async function viewsOfChildren(session: ReadSession, invoices: readonly Invoice[], tools: ViewTools) {
  const children = childrenOf(session, invoices);
  const selection = (await children).map(({ id }) => id);
  return loadInvoiceViews(session, { invoices: children, selection }, tools);
}

/** Returns the listed invoices, and the ids of the accounts that exist. */
async function listedInvoices(
  session: ReadSession,
  { accountIds, filter }: { readonly accountIds: readonly Uuid[]; readonly filter: InvoiceFilter },
) {
  const listed = await session.invoices.listOfAccounts(accountIds, filter);
  // Accounts with invoices are known to exist, so only the other accounts are looked up.
  const known = new Set(listed.map(({ accountId }) => accountId));
  const others = await session.accounts.findByIds(accountIds.filter((id) => !known.has(id)));
  for (const { id } of others) known.add(id);
  return { known, invoices: filter.openOnly ? await onlyUnpaid(session, listed) : listed };
}

/**
 * The fields that search keys in operator form can use (§15). The balance is handled separately, because it is not
 * stored in a column.
 */
const searched = {
  ...searchedFields({ ...invoiceFields, createdBy: authorFields.createdBy }, { invoiceId: 'id' }),
  balance: { property: 'balance', type: 'text' },
} as const;

/** Matches numbers with up to 15 digits, which are always safe integers. */
const integer = /^\d{1,15}$/;

/**
 * Parses a search key (§15). A key can be a comparison with the balance, clauses in operator form, a number, a
 * currency, an invoice id or an account id. Returns null if nothing can match.
 * @throws BillingError INVALID_PARAMETER (60002) for a malformed key in operator form.
 */
export function invoiceSearch(key: string): InvoiceSearch | null {
  if (key === '') return { kind: 'all' };
  if (isOperatorSearch(key)) {
    const clauses = parseOperatorSearch(key, searched);
    return clauses.some(({ property }) => property === 'balance')
      ? balanceSearch(clauses)
      : { kind: 'clauses', clauses };
  }
  if (integer.test(key)) return { kind: 'number', invoiceNumber: Number(key) };
  if (isCurrency(key)) {
    const { eq: operator } = SearchOperator;
    return { kind: 'clauses', clauses: [{ property: 'currency', type: 'text', operator, value: key }] };
  }
  const id = key.toLowerCase();
  return isUuid(id) ? { kind: 'id', id } : null;
}

/**
 * Returns a search by balance. The balance is not stored in a column, so it cannot be combined with other conditions.
 */
function balanceSearch(clauses: readonly SearchClause[]): InvoiceSearch {
  const [clause, other] = clauses;
  const balance = clause === undefined ? undefined : parseWireDecimal(String(clause.value));
  if (clause === undefined || other !== undefined || balance === undefined || clause.operator === 'like') {
    throw invalidParameter(
      'Invalid search key: balance must be the only condition and be compared with a number, such as _q=1&balance[gt]=0',
    );
  }
  return { kind: 'balance', operator: clause.operator, balance };
}
