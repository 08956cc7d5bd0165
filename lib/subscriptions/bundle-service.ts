import { checkExternalKey } from '../accounts/account-input.ts';
import { lockAccount } from '../accounts/service.ts';
import type { CatalogProvider } from '../catalog/catalog-source.ts';
import { ProductCategory } from '../catalog/index.ts';
import { authorshipOf, type CallContext } from '../context.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { Ports } from '../ports/index.ts';
import type { Page, PageRequest, ReadSession } from '../ports/storage/index.ts';
import { checkStorable, shortened } from '../text/index.ts';
import { noSuchBundle } from './bundle-choice.ts';
import { holderOf } from './bundle-keys.ts';
import { bundleSearch } from './bundle-search.ts';
import { loadBundleViews } from './load-bundle-views.ts';
import { type Bundle, EntitlementState } from './model.ts';
import type { BundleView } from './views.ts';

/** Bundles of a tenant and their keys (subscriptions.md §17, §22). */
export class BundleService {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  /** @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081). */
  async get(context: CallContext, bundleId: Uuid): Promise<BundleView> {
    const [view] = await this.#views(context, (session) =>
      session.subscriptions.findBundlesByIds([bundleId]),
    );
    if (view !== undefined) return view;
    throw noSuchBundle(bundleId);
  }

  /**
   * The bundle that holds the key, if the service of one of its base or standalone subscriptions has not been cancelled.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084).
   */
  async getByKey(context: CallContext, externalKey: string): Promise<BundleView> {
    checkStorable('External key', externalKey);
    const [view] = await this.#views(context, async (session) => {
      const holder = holderOf(await session.subscriptions.findBundlesByKeys([externalKey]));
      return holder === undefined ? [] : [holder];
    });
    if (view?.subscriptions.some(isRunning)) return view;
    throw noBundleOfKey(externalKey);
  }

  /**
   * The bundle that holds the key and all that had it before, under their present keys, the oldest first.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084) if there is none.
   */
  async allOfKey(context: CallContext, externalKey: string): Promise<readonly BundleView[]> {
    checkStorable('External key', externalKey);
    const views = await this.#views(context, (session) =>
      session.subscriptions.findBundlesByPastKeys([externalKey]),
    );
    if (views.length > 0) return views;
    throw noBundleOfKey(externalKey);
  }

  /** A window of the tenant's bundles in creation order, without prices, with the counts that pagination headers show. */
  async page(context: CallContext, request: PageRequest): Promise<Page<BundleView>> {
    return this.#page(context, (session) => session.subscriptions.pageBundles(request));
  }

  /**
   * A window, likewise, of the bundles whose id, account id or external key is the key, or that meet the clauses of a key
   * in operator form (http-api.md §8).
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  async search(context: CallContext, key: string, request: PageRequest): Promise<Page<BundleView>> {
    checkStorable('Search key', key);
    const search = bundleSearch(key);
    return this.#page(context, (session) => session.subscriptions.searchBundles(search, request));
  }

  /**
   * Gives the bundle another key, which no bundle may hold; its own changes nothing.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS (1014),
   * MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), BUSY (60018).
   */
  async renameKey(
    context: CallContext,
    bundleId: Uuid,
    externalKey: string | null | undefined,
  ): Promise<void> {
    const key = checkBundleKey(externalKey);
    await this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const [known] = await session.subscriptions.findBundlesByIds([bundleId]);
      if (known === undefined) throw noSuchBundle(bundleId);
      await lockAccount(session, known.accountId);
      const holder = holderOf(await session.subscriptions.findBundlesByKeys([key]));
      if (holder?.id === bundleId) return;
      if (holder !== undefined) throw keyInUse(holder);
      await session.subscriptions.keepBundleKeys([bundleId]);
      await session.subscriptions.setBundleKeys([{ id: bundleId, externalKey: key, retiredKey: null }]);
    });
  }

  async #views(
    context: CallContext,
    find: (session: ReadSession) => Promise<readonly Bundle[]>,
  ): Promise<readonly BundleView[]> {
    const { rows } = await this.#windowOf(context, async (session) => ({
      rows: await find(session),
      total: 0,
      max: 0,
    }));
    return rows;
  }

  async #page(
    context: CallContext,
    find: (session: ReadSession) => Promise<Page<Bundle>>,
  ): Promise<Page<BundleView>> {
    const page = await this.#windowOf(context, find);
    return { ...page, rows: page.rows.map(withoutPrices) };
  }

  /** Finds and shows bundles of any accounts from one snapshot, in a constant number of queries. */
  async #windowOf(
    context: CallContext,
    find: (session: ReadSession) => Promise<Page<Bundle>>,
  ): Promise<Page<BundleView>> {
    const { tenant, createdDate: now } = context;
    let announced: Page<Bundle> | undefined;
    const catalogsOf = await this.#catalogs.open({
      tenant,
      now,
      // Where catalog plugins are asked about the accounts of a page, it is that page which is shown.
      accounts: async (session) => {
        announced = await find(session);
        return accountIdsOf(announced);
      },
    });
    return this.#ports.storage.read(tenant, async (session) => {
      const page = announced ?? (await find(session));
      const accounts = await session.accounts.findByIds(accountIdsOf(page));
      return {
        ...page,
        rows: await loadBundleViews(session, { accounts, bundles: page.rows, now, catalogsOf }),
      };
    });
  }
}

function accountIdsOf({ rows }: Page<Bundle>): readonly Uuid[] {
  return [...new Set(rows.map(({ accountId }) => accountId))];
}

function isRunning({ productCategory, state }: BundleView['subscriptions'][number]): boolean {
  return productCategory !== ProductCategory.ADD_ON && state !== EntitlementState.CANCELLED;
}

function withoutPrices(view: BundleView): BundleView {
  return { ...view, subscriptions: view.subscriptions.map((each) => ({ ...each, prices: [] })) };
}

/** @throws BillingError MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5). */
export function checkBundleKey(externalKey: string | null | undefined): string {
  checkExternalKey(externalKey);
  if (externalKey) return externalKey;
  throw new BillingError({
    code: ErrorCode.MISSING_OR_INVALID_FIELD,
    message: 'BundleJson externalKey needs to be set',
    facts: { field: 'externalKey' },
  });
}

function keyInUse({ id, externalKey }: Bundle): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
    message: `Bundle ${id} has the key ${externalKey} already; choose another key`,
    facts: { bundleId: id, bundleExternalKey: externalKey },
  });
}

function noBundleOfKey(externalKey: string): BillingError {
  return new BillingError({
    code: ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_KEY,
    message: `No bundle has the external key ${shortened(externalKey)}`,
    facts: { externalKey },
  });
}
