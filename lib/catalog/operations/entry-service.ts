import type { Ports } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type CatalogEntriesView,
  CatalogState,
  EntryKind,
  type EntryScope,
  type PlanEntryView,
  type ProductEntryView,
} from '../../records/index.ts';
import { authorshipOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { truncateToSecond } from '../../values/time/index.ts';
import { withRows } from '../cache/entry-rows.ts';
import { latestOf, type PlanUpdate, retirementRows, updatedRow } from '../formats/entries/change-plan.ts';
import { createEntries, namesIn } from '../formats/entries/create-entries.ts';
import type { CatalogEntriesInput, PlanEntryInput } from '../formats/entries/entry-input.ts';
import { titleOf } from '../formats/entries/entry-problems.ts';
import { planView, planViews, productViews } from '../formats/entries/entry-views.ts';
import { KnownNames } from '../formats/entries/known-names.ts';
import type { DeletePlanOptions, DeleteProductOptions } from './catalog-entry-operations.ts';
import type { CatalogService } from './catalog-service.ts';
import {
  apply,
  type EntryScopeOptions,
  findEntry,
  findPlan,
  plansOf,
  productNotFound,
  requireForce,
  requireFreeNames,
  requireUnused,
  scopeOf,
  servedByPlugin,
  storedView,
} from './entry-scope.ts';

type EntryWork<T> = (session: WriteSession, scope: EntryScope) => Promise<T>;

/** What the entries have to agree with. */
type EntryNeighbours = Pick<CatalogService, 'cache' | 'servingPlugin'>;

/**
 * Single plans, products and price lists, added to a tenant's catalog or to that of one account without uploading a
 * version (§15). Every operation throws ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002) for an unknown
 * account.
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

  /**
   * Runs `work` under the tenant's catalog lock: of two calls for the same name, the later one finds what the first has
   * made.
   */
  async #write<T>(context: CallContext, options: EntryScopeOptions, work: EntryWork<T>): Promise<T> {
    return this.#transaction(context, async (session) => {
      await session.catalogs.lock();
      return work(session, await scopeOf(session, options));
    });
  }

  /** The same, while no subscription can be put on a plan. */
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
