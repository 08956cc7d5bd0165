import { noSuchAccount } from '../../accounts/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { CatalogEntryChange, ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type CatalogEntriesView,
  type CatalogEntry,
  CatalogState,
  EntryKind,
  type EntryScope,
  type PlanEntryView,
  type PlanRow,
  type ProductEntryView,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { truncateToSecond } from '../../values/time/index.ts';
import { withRows } from '../cache/catalog-cache.ts';
import {
  type EntriesAndRows,
  latestOf,
  type PlanUpdate,
  planNotFound,
  planView,
  planViews,
  productViews,
  retirementRows,
  updatedRow,
  xmlProductView,
} from '../formats/entries/change-plan.ts';
import { createEntries, namesIn } from '../formats/entries/create-entries.ts';
import { DEFAULT_CATALOG_NAME } from '../formats/entries/entry-catalog.ts';
import {
  type CatalogEntriesInput,
  invalidEntry,
  KnownNames,
  type PlanEntryInput,
  titleOf,
} from '../formats/entries/entry-input.ts';
import type { DeletePlanOptions, DeleteProductOptions, EntryScopeOptions } from './catalog-operations.ts';
import { type CatalogService, catalogChanged } from './catalog-service.ts';
import { overridePlanProblems } from './obtain-override-plan.ts';

type EntryWork<T> = (session: WriteSession, scope: EntryScope) => Promise<T>;

type EntryNeighbours = Pick<CatalogService, 'cache' | 'servingPlugin'>;

/**
 * Plans, products and price lists added to a tenant's or account's catalog individually (§15). Every operation throws
 * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002) for an unknown account.
 */
export class CatalogEntryService {
  readonly #ports: Pick<Ports, 'storage' | 'ids' | 'logger'>;
  readonly #catalogs: EntryNeighbours;

  constructor(ports: Pick<Ports, 'storage' | 'ids' | 'logger'>, catalogs: EntryNeighbours) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  async create(
    context: CallContext,
    request: CatalogEntriesInput,
    options: EntryScopeOptions = {},
  ): Promise<CatalogEntriesView> {
    return this.#write(context, options, async (session, scope) => {
      const now = truncateToSecond(context.createdDate);
      const xml = await this.#catalogs.cache.xmlOf(session);
      const known = new KnownNames(await session.catalogEntries.named(namesIn(request)), xml, now);
      const nextId = (): Uuid => this.#ports.ids.next();
      const { entries, rows } = createEntries({ request, scope, known, now, nextId });
      await requireFreeNames(session, rows);
      await apply(session, { addedEntries: entries, addedRows: rows });
      return storedView(session, request, known);
    });
  }

  async createPlan(
    context: CallContext,
    plan: PlanEntryInput,
    options: EntryScopeOptions = {},
  ): Promise<PlanEntryView> {
    const { plans } = await this.create(context, { plans: [plan] }, options);
    const [created] = plans;
    if (created === undefined) throw new Error('a plan that was created is stored');
    return created;
  }

  async updatePlan(
    context: CallContext,
    planName: string,
    update: PlanUpdate & EntryScopeOptions,
  ): Promise<PlanEntryView> {
    return this.#write(context, update, async (session, scope) => {
      const plan = await findPlan(session, scope, planName);
      const row = updatedRow(plan, update, truncateToSecond(context.createdDate));
      await apply(session, { addedRows: [{ ...row, id: this.#ports.ids.next() }] });
      return planView(plan.entry, row);
    });
  }

  async retirePlan(context: CallContext, planName: string, options: EntryScopeOptions = {}): Promise<void> {
    await this.#write(context, options, async (session, scope) => {
      const { rows } = await findPlan(session, scope, planName);
      const retired = retirementRows(rows, truncateToSecond(context.createdDate));
      await apply(session, { addedRows: retired.map((row) => ({ ...row, id: this.#ports.ids.next() })) });
    });
  }

  async deletePlan(context: CallContext, planName: string, options: DeletePlanOptions): Promise<void> {
    await this.#delete(context, options, async (session, scope) => {
      requireForce(options, titleOf('Plan', planName));
      const { entry, rows } = await findPlan(session, scope, planName);
      await requireUnused(session, [planName]);
      const erasesAll = options.allVersions === true || rows.length === 1;
      await apply(session, {
        erasedRows: erasesAll ? rows : [latestOf(rows)],
        erasedEntries: erasesAll ? [entry, ...(await session.catalogEntries.childrenOf([entry.id]))] : [],
      });
    });
  }

  async deleteProduct(context: CallContext, name: string, options: DeleteProductOptions): Promise<void> {
    await this.#delete(context, options, async (session, scope) => {
      requireForce(options, titleOf('Product', name));
      const product = await findEntry(session, scope, { kind: EntryKind.PRODUCT, name });
      if (product === undefined) throw productNotFound(name);
      const { entries: plans, rows } = await withRows(
        session,
        await session.catalogEntries.childrenOf([product.id]),
      );
      await requireUnused(
        session,
        plans.map((plan) => plan.name),
      );
      if (options.deleteAllPlans !== true) return apply(session, { erasedEntries: [product] });
      const usages = await session.catalogEntries.childrenOf(plans.map((plan) => plan.id));
      return apply(session, { erasedEntries: [product, ...plans, ...usages], erasedRows: rows });
    });
  }

  async products(
    context: CallContext,
    options: EntryScopeOptions = {},
  ): Promise<readonly ProductEntryView[]> {
    return this.#read(context, options, async (session, scope) => {
      const entries = await session.catalogEntries.ofScope(scope.accountRecordId);
      const products = entries.filter((entry) => entry.kind === EntryKind.PRODUCT);
      return productViews(products, await plansOf(session, products));
    });
  }

  async plans(context: CallContext, options: EntryScopeOptions = {}): Promise<readonly PlanEntryView[]> {
    return this.#read(context, options, async (session, scope) =>
      planViews(await withRows(session, await session.catalogEntries.ofScope(scope.accountRecordId))),
    );
  }

  async plansOfProduct(
    context: CallContext,
    productName: string,
    options: EntryScopeOptions = {},
  ): Promise<readonly PlanEntryView[]> {
    return this.#read(context, options, async (session, scope) => {
      const entries = await session.catalogEntries.ofScope(scope.accountRecordId);
      const plans = entries.filter((entry) => entry.plan?.productName === productName);
      if (plans.length > 0) return planViews(await withRows(session, plans));
      const now = truncateToSecond(context.createdDate);
      const xml = await this.#catalogs.cache.xmlOf(session);
      const known = new KnownNames(await session.catalogEntries.named([productName]), xml, now);
      const isKnown = known.productFor(scope, productName) ?? known.xmlProduct(productName);
      if (!isKnown) throw productNotFound(productName);
      return [];
    });
  }

  async latestPlan(
    context: CallContext,
    planName: string,
    options: EntryScopeOptions = {},
  ): Promise<PlanEntryView> {
    return this.#read(context, options, async (session, scope) => {
      const { entry, rows } = await findPlan(session, scope, planName);
      return planView(entry, latestOf(rows));
    });
  }

  async state(context: CallContext, options: EntryScopeOptions = {}): Promise<CatalogState> {
    const stored = await this.#storedState(context, options);
    try {
      const pluginName = await this.#catalogs.servingPlugin(context);
      return pluginName === null ? stored : CatalogState.PLUGIN;
    } catch (error) {
      this.#ports.logger.error({ err: error, tenantId: context.tenant.id }, 'catalog plugin failed');
      return CatalogState.UNKNOWN;
    }
  }

  async #storedState(context: CallContext, options: EntryScopeOptions): Promise<CatalogState> {
    return this.#read(context, options, async (session, scope) => {
      const entries = await session.catalogEntries.ofScope(scope.accountRecordId);
      const hasEntries = entries.some(({ kind }) => kind === EntryKind.PRODUCT || kind === EntryKind.PLAN);
      if (hasEntries) return CatalogState.PLUGIN;
      const { versions } = await this.#catalogs.cache.xmlOf(session);
      return versions.length > 0 ? CatalogState.XML : CatalogState.INIT;
    });
  }

  /** Runs `work` under the tenant's catalog lock, so that concurrent calls see each other's names. */
  async #write<T>(context: CallContext, options: EntryScopeOptions, work: EntryWork<T>): Promise<T> {
    return this.#transaction(context, async (session) => {
      await session.catalogs.lock();
      return work(session, await scopeOf(session, options));
    });
  }

  /** As `#write`, while no subscription can choose a plan. */
  async #delete(context: CallContext, options: EntryScopeOptions, work: EntryWork<void>): Promise<void> {
    return this.#transaction(context, async (session) => {
      await session.catalogs.lockForDeletion();
      return work(session, await scopeOf(session, options));
    });
  }

  async #transaction<T>(context: CallContext, work: (session: WriteSession) => Promise<T>): Promise<T> {
    const pluginName = await this.#catalogs.servingPlugin(context);
    if (pluginName !== null) throw servedByPlugin(pluginName);
    return this.#ports.storage.write(context.tenant, authorshipOf(context), work);
  }

  async #read<T>(
    context: CallContext,
    options: EntryScopeOptions,
    work: (session: ReadSession, scope: EntryScope) => Promise<T>,
  ): Promise<T> {
    return this.#ports.storage.read(context.tenant, async (session) =>
      work(session, await scopeOf(session, options)),
    );
  }
}

interface PlanOfScope {
  readonly entry: CatalogEntry;
  readonly rows: readonly PlanRow[];
}

async function scopeOf(session: ReadSession, { accountId }: EntryScopeOptions): Promise<EntryScope> {
  if (!accountId) return { accountId: null, accountRecordId: null };
  const [account] = await session.accounts.findByIds([accountId]);
  if (!account) throw noSuchAccount(accountId);
  return { accountId, accountRecordId: account.recordId };
}

/** Writes the change and its bus event, if there is a change (§15.4 rule 10). */
async function apply(session: WriteSession, change: CatalogEntryChange): Promise<void> {
  const [first] = [
    ...(change.addedEntries ?? []),
    ...(change.addedRows ?? []),
    ...(change.erasedEntries ?? []),
    ...(change.erasedRows ?? []),
  ];
  if (first === undefined) return;
  await session.catalogEntries.apply(change);
  session.publish([catalogChanged(first.id, await session.catalogs.revision())]);
}

/** The stored state of a request's entries, in its order. */
async function storedView(
  session: ReadSession,
  request: CatalogEntriesInput,
  known: KnownNames,
): Promise<CatalogEntriesView> {
  const productNames = (request.products ?? []).flatMap(({ name }) => name ?? []);
  const planNames = (request.plans ?? []).flatMap(({ name }) => name ?? []);
  const entries = await session.catalogEntries.named([...productNames, ...planNames]);
  const named = (kind: EntryKind, name: string): CatalogEntry | undefined =>
    entries.find((entry) => entry.kind === kind && entry.name === name);
  const products = entries.filter((entry) => entry.kind === EntryKind.PRODUCT);
  const views = productViews(products, await plansOf(session, products));
  const { rows } = await withRows(session, entries);
  const rowsOf = Map.groupBy(rows, (row) => row.planName);
  return {
    catalogName: entries.find(({ kind }) => kind === EntryKind.CATALOG)?.name ?? DEFAULT_CATALOG_NAME,
    products: productNames.flatMap((name) => {
      const xml = known.xmlProduct(name);
      return views.find((view) => view.name === name) ?? (xml === undefined ? [] : xmlProductView(xml));
    }),
    plans: planNames.flatMap((name) => {
      const entry = named(EntryKind.PLAN, name);
      return entry === undefined ? [] : planView(entry, latestOf(rowsOf.get(name) ?? []));
    }),
  };
}

async function plansOf(session: ReadSession, products: readonly CatalogEntry[]): Promise<EntriesAndRows> {
  return withRows(session, await session.catalogEntries.childrenOf(products.map((product) => product.id)));
}

async function findEntry(
  session: ReadSession,
  scope: EntryScope,
  { kind, name }: Pick<CatalogEntry, 'kind' | 'name'>,
): Promise<CatalogEntry | undefined> {
  const entries = await session.catalogEntries.named([name]);
  return entries.find(
    (entry) => entry.kind === kind && entry.name === name && entry.accountId === scope.accountId,
  );
}

/** @throws BillingError 61006. */
async function findPlan(session: ReadSession, scope: EntryScope, name: string): Promise<PlanOfScope> {
  const entry = await findEntry(session, scope, { kind: EntryKind.PLAN, name });
  if (entry === undefined) throw planNotFound(name);
  return { entry, rows: await session.catalogEntries.rowsOf([name]) };
}

function requireForce({ force }: { readonly force: boolean }, what: string): void {
  if (force) return;
  throw billingError(
    ErrorCode.CATALOG_ENTRY_FORCE_REQUIRED,
    `${what} is not deleted: force must be true, since a deletion cannot be undone`,
  );
}

/** @throws BillingError 61004 for a name of an override plan (§10 rule 7). */
async function requireFreeNames(
  session: ReadSession,
  rows: readonly Pick<PlanRow, 'planName'>[],
): Promise<void> {
  const problems = await overridePlanProblems(
    session,
    rows.map((row) => row.planName),
  );
  if (problems.length > 0) throw invalidEntry(problems.map((problem) => problem.message));
}

/** @throws BillingError 61005, since running and ended subscriptions would lose their price. */
async function requireUnused(session: ReadSession, planNames: readonly string[]): Promise<void> {
  const used = await session.catalogEntries.usedPlans(planNames);
  if (used.length === 0) return;
  throw billingError(
    ErrorCode.CATALOG_ENTRY_ENTRY_IN_USE,
    `Subscriptions use ${used.slice(0, 10).join(', ')}; retire the plan instead`,
    { planNames: used },
  );
}

function productNotFound(name: string): BillingError {
  return billingError(
    ErrorCode.CATALOG_ENTRY_PRODUCT_NOT_FOUND,
    `${titleOf('Product', name)} is not among the catalog entries of this scope`,
    { productName: name },
  );
}

/** Stored changes would have no effect (§16 rule 6). */
function servedByPlugin(pluginName: string): BillingError {
  return billingError(
    ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
    `Invalid catalog entry: the catalog plugin "${pluginName}" serves this tenant; change the catalog there`,
    { pluginName },
  );
}
