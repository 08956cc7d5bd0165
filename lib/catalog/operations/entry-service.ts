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
  type PlanRow,
  type WithContext,
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
import type {
  CatalogEntryOperations,
  DeletePlanOptions,
  DeleteProductOptions,
  EntryScopeOptions,
} from './catalog-operations.ts';
import { type CatalogService, catalogChanged } from './catalog-service.ts';
import { overridePlanProblems } from './obtain-override-plan.ts';

type EntryWork<T> = (session: WriteSession, scope: EntryScope) => Promise<T>;

type EntryNeighbours = Pick<CatalogService, 'cache' | 'servingPlugin'>;

/**
 * Creates the operations on plans, products and price lists that are added one by one to the catalog of a tenant or
 * account (§15). All of them throw ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002) for an unknown account.
 */
export function catalogEntryOperations(
  ports: Pick<Ports, 'storage' | 'ids' | 'logger'>,
  catalogs: EntryNeighbours,
): CatalogEntryOperations<WithContext> {
  async function create(
    context: CallContext,
    request: CatalogEntriesInput,
    options: EntryScopeOptions = {},
  ): Promise<CatalogEntriesView> {
    return write(context, options, async (session, scope) => {
      const now = truncateToSecond(context.createdDate);
      const xml = await catalogs.cache.xmlOf(session);
      const known = new KnownNames(await session.catalogEntries.named(namesIn(request)), xml, now);
      const nextId = (): Uuid => ports.ids.next();
      const { entries, rows } = createEntries({ request, scope, known, now, nextId });
      const planNames = rows.map((row) => row.planName);
      const taken = await overridePlanProblems(session, planNames);
      if (taken.length > 0) throw invalidEntry(taken.map((problem) => problem.message));
      await apply(session, { addedEntries: entries, addedRows: rows });
      return storedView(session, request, known);
    });
  }

  /** Runs `work` while the tenant's catalog is locked, so that concurrent calls see each other's names. */
  const writeUnder =
    (lock: 'lock' | 'lockForDeletion') =>
    async <T>(context: CallContext, options: EntryScopeOptions, work: EntryWork<T>): Promise<T> => {
      const pluginName = await catalogs.servingPlugin(context);
      if (pluginName !== null) throw pluginServesTenantError(pluginName);
      return ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
        await session.catalogs[lock]();
        return work(session, await scopeOf(session, options));
      });
    };
  const write = writeUnder('lock');
  /** Deletes entries under a lock. The lock also prevents new subscriptions to any plan of the tenant. */
  const remove = writeUnder('lockForDeletion');

  async function read<T>(
    context: CallContext,
    options: EntryScopeOptions,
    work: (session: ReadSession, scope: EntryScope) => Promise<T>,
  ): Promise<T> {
    return ports.storage.read(context.tenant, async (session) =>
      work(session, await scopeOf(session, options)),
    );
  }

  return {
    create,

    async createPlan(context, plan: PlanEntryInput, options: EntryScopeOptions = {}) {
      const { plans } = await create(context, { plans: [plan] }, options);
      const [created] = plans;
      if (created === undefined) throw new Error('a created plan was not stored');
      return created;
    },

    async updatePlan(context, planName: string, update: PlanUpdate & EntryScopeOptions) {
      return write(context, update, async (session, scope) => {
        const plan = await findPlan(session, scope, planName);
        const now = truncateToSecond(context.createdDate);
        const { declaredFeatures: declared } = new KnownNames([], await catalogs.cache.xmlOf(session), now);
        const row = updatedRow({ ...plan, declared }, update, now);
        await apply(session, { addedRows: [{ ...row, id: ports.ids.next() }] });
        return planView(plan.entry, row);
      });
    },

    async retirePlan(context, planName: string, options: EntryScopeOptions = {}) {
      await write(context, options, async (session, scope) => {
        const { rows } = await findPlan(session, scope, planName);
        const retired = retirementRows(rows, truncateToSecond(context.createdDate));
        await apply(session, { addedRows: retired.map((row) => ({ ...row, id: ports.ids.next() })) });
      });
    },

    async deletePlan(context, planName: string, options: DeletePlanOptions) {
      await remove(context, options, async (session, scope) => {
        requireForce(options, titleOf('Plan', planName));
        const { entry, rows } = await findPlan(session, scope, planName);
        await requireUnused(session, [planName]);
        const erasesAll = options.allVersions === true || rows.length === 1;
        await apply(session, {
          erasedRows: erasesAll ? rows : [latestOf(rows)],
          erasedEntries: erasesAll ? [entry, ...(await session.catalogEntries.childrenOf([entry.id]))] : [],
        });
      });
    },

    async deleteProduct(context, name: string, options: DeleteProductOptions) {
      await remove(context, options, async (session, scope) => {
        requireForce(options, titleOf('Product', name));
        const product = await findEntry(session, scope, { kind: EntryKind.PRODUCT, name });
        if (product === undefined) throw productNotFound(name);
        const { entries: plans, rows } = await plansOf(session, [product]);
        const planNames = plans.map((plan) => plan.name);
        await requireUnused(session, planNames);
        if (options.deleteAllPlans !== true) return apply(session, { erasedEntries: [product] });
        const usages = await session.catalogEntries.childrenOf(plans.map((plan) => plan.id));
        return apply(session, { erasedEntries: [product, ...plans, ...usages], erasedRows: rows });
      });
    },

    async products(context, options: EntryScopeOptions = {}) {
      return read(context, options, async (session, scope) => {
        const entries = await session.catalogEntries.ofScope(scope.accountRecordId);
        const products = entries.filter((entry) => entry.kind === EntryKind.PRODUCT);
        return productViews(products, await plansOf(session, products));
      });
    },

    async plans(context, options: EntryScopeOptions = {}) {
      return read(context, options, async (session, scope) =>
        planViews(await withRows(session, await session.catalogEntries.ofScope(scope.accountRecordId))),
      );
    },

    async plansOfProduct(context, productName: string, options: EntryScopeOptions = {}) {
      return read(context, options, async (session, scope) => {
        const entries = await session.catalogEntries.ofScope(scope.accountRecordId);
        const plans = entries.filter((entry) => entry.plan?.productName === productName);
        if (plans.length > 0) return planViews(await withRows(session, plans));
        const now = truncateToSecond(context.createdDate);
        const xml = await catalogs.cache.xmlOf(session);
        const known = new KnownNames(await session.catalogEntries.named([productName]), xml, now);
        const isKnown = known.productFor(scope, productName) ?? known.xmlProduct(productName);
        if (!isKnown) throw productNotFound(productName);
        return [];
      });
    },

    async latestPlan(context, planName: string, options: EntryScopeOptions = {}) {
      return read(context, options, async (session, scope) => {
        const { entry, rows } = await findPlan(session, scope, planName);
        return planView(entry, latestOf(rows));
      });
    },

    async state(context, options: EntryScopeOptions = {}) {
      const stored = await read(context, options, async (session, scope) => {
        const entries = await session.catalogEntries.ofScope(scope.accountRecordId);
        const hasEntries = entries.some(({ kind }) => kind === EntryKind.PRODUCT || kind === EntryKind.PLAN);
        if (hasEntries) return CatalogState.PLUGIN;
        const { versions } = await catalogs.cache.xmlOf(session);
        return versions.length > 0 ? CatalogState.XML : CatalogState.INIT;
      });
      try {
        const pluginName = await catalogs.servingPlugin(context);
        return pluginName === null ? stored : CatalogState.PLUGIN;
      } catch (error) {
        ports.logger.error({ err: error, tenantId: context.tenant.id }, 'catalog plugin failed');
        return CatalogState.UNKNOWN;
      }
    },
  };
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

/** Writes the change and its bus event. If nothing changes, writes nothing (§15.4 rule 10). */
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

async function storedView(
  session: ReadSession,
  request: CatalogEntriesInput,
  known: KnownNames,
): Promise<CatalogEntriesView> {
  const productNames = (request.products ?? []).flatMap(({ name }) => name ?? []);
  const planNames = (request.plans ?? []).flatMap(({ name }) => name ?? []);
  const entries = await session.catalogEntries.named([...productNames, ...planNames]);
  const findLoadedEntry = (kind: EntryKind, name: string): CatalogEntry | undefined =>
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
      const entry = findLoadedEntry(EntryKind.PLAN, name);
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

/** Finds a plan in the scope, with its rows. @throws BillingError 61006 if none exists. */
async function findPlan(session: ReadSession, scope: EntryScope, name: string): Promise<PlanOfScope> {
  const entry = await findEntry(session, scope, { kind: EntryKind.PLAN, name });
  if (entry === undefined) throw planNotFound(name);
  return { entry, rows: await session.catalogEntries.rowsOf([name]) };
}

function requireForce({ force }: { readonly force: boolean }, what: string): void {
  if (force) return;
  throw billingError(
    ErrorCode.CATALOG_ENTRY_FORCE_REQUIRED,
    `${what} was not deleted, because a deletion cannot be undone. Set force to true to confirm it.`,
  );
}

/**
 * Checks that no subscription uses the plan, because running and ended subscriptions would lose their prices.
 * @throws BillingError 61005.
 */
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
    `${titleOf('Product', name)} is not a catalog entry of this scope`,
    { productName: name },
  );
}

/**
 * Returns the error for a change while a plugin serves the tenant. The plugin's catalog would hide a stored change (§16
 * rule 6).
 */
function pluginServesTenantError(pluginName: string): BillingError {
  return billingError(
    ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
    `Invalid catalog entry: the catalog plugin "${pluginName}" serves this tenant; change the catalog there`,
    { pluginName },
  );
}
