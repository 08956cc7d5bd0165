import { loadAccount } from '../../accounts/index.ts';
import type { CatalogProvider, CatalogRequest } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { BundleSearch, ReadSession } from '../../ports/storage/index.ts';
import {
  type Bundle,
  bundleFields,
  type CallContext,
  EntitlementState,
  type Page,
  type PageRequest,
  ProductCategory,
  type Subscription,
  type WithContext,
} from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch, turnsOf } from '../../runtime/index.ts';
import type { BillingError } from '../../values/errors/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_ANSWER_ROWS } from '../../values/limits.ts';
import { checkStorable } from '../../values/text/index.ts';
import { holderOf } from '../create/chosen-group.ts';
import {
  noBundleOfKey,
  noSubscriptionOfKey,
  noSuchBundle,
  noSuchSubscription,
} from '../requests/unknown-objects.ts';
import { type BundleFilter, findBundlesOfAccount, loadOutlines } from '../storing/load-outlines.ts';
import type { SubscriptionOutline } from '../views/bundle-outline.ts';
import {
  answerTooLarge,
  type BundleWindow,
  checkRowsOf,
  countRows,
  type OutlinePage,
  windowsFrom,
  withoutPrices,
} from '../views/outline-page.ts';
import type { OutlineOperations } from './subscription-operations.ts';

/** Maximum records in memory for paged answers; a page up to this size is one snapshot. */
const RECORDS_OF_WINDOW = 20_000;

type FindPage = (session: ReadSession) => Promise<Page<Bundle>>;

/**
 * Bundles and subscriptions for reading (§4, §18). Rows are created on the fly, so memory grows only with the stored
 * data. An answer without pages has at most `server.limits.rows` rows, else ANSWER_TOO_LARGE (60020).
 */
export class OutlineService implements OutlineOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;
  readonly #catalogs: CatalogProvider;
  readonly #maxRows: number;
  readonly #recordsOfWindow: number;

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
    catalogs: CatalogProvider,
    {
      maxRows = MAX_ANSWER_ROWS,
      recordsOfWindow = RECORDS_OF_WINDOW,
    }: { readonly maxRows?: number; readonly recordsOfWindow?: number } = {},
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#maxRows = maxRows;
    this.#recordsOfWindow = recordsOfWindow;
  }

  async ofAccount(context: CallContext, accountId: Uuid, filter: BundleFilter = {}): Promise<BundleWindow> {
    const catalogsOf = await this.#open(context, [accountId]);
    const bound = this.#bound();
    const window = await this.#ports.storage.read(context.tenant, async (session) => {
      const account = await loadAccount(session, accountId);
      const bundles = await findBundlesOfAccount(session, accountId, { ...bound, filter });
      return loadOutlines(session, {
        bundles,
        accounts: [account],
        now: context.createdDate,
        catalogsOf,
        maxRecords: this.#maxRows,
        nextTurn: bound.nextTurn,
      });
    });
    return this.#checked(window, accountId);
  }

  async pageOfAccount(context: CallContext, accountId: Uuid, request: PageRequest): Promise<OutlinePage> {
    return this.#page(context, [accountId], async (session) => {
      await loadAccount(session, accountId);
      return session.subscriptions.pageBundlesOfAccount(accountId, request);
    });
  }

  async page(context: CallContext, request: PageRequest): Promise<OutlinePage> {
    return withoutPrices(
      await this.#page(context, null, (session) => session.subscriptions.pageBundles(request)),
    );
  }

  async search(context: CallContext, key: string, request: PageRequest): Promise<OutlinePage> {
    if (key === '') return this.page(context, request);
    checkStorable('Search key', key);
    const search = bundleSearch(key);
    return withoutPrices(
      await this.#page(context, null, (session) => session.subscriptions.searchBundles(search, request)),
    );
  }

  async bundle(context: CallContext, bundleId: Uuid): Promise<BundleWindow> {
    return this.#some(context, {
      find: (session) => session.subscriptions.findBundlesByIds([bundleId]),
      none: () => noSuchBundle(bundleId),
    });
  }

  async bundleByKey(context: CallContext, externalKey: string): Promise<BundleWindow> {
    checkStorable('External key', externalKey);
    const none = () => noBundleOfKey(externalKey);
    const window = await this.#some(context, {
      find: async (session) => {
        const holder = holderOf(await session.subscriptions.findBundlesByKeys([externalKey]));
        return holder === undefined ? [] : [holder];
      },
      none,
    });
    if (window.outlines[0]?.subscriptions.some(isRunning)) return window;
    throw none();
  }

  async allOfKey(context: CallContext, externalKey: string): Promise<BundleWindow> {
    checkStorable('External key', externalKey);
    return this.#some(context, {
      find: (session) => session.subscriptions.findBundlesByPastKeys([externalKey]),
      none: () => noBundleOfKey(externalKey),
    });
  }

  async subscription(context: CallContext, subscriptionId: Uuid): Promise<SubscriptionOutline> {
    return this.#subscription(context, {
      find: (session) => session.subscriptions.findByIds([subscriptionId]),
      none: () => noSuchSubscription(subscriptionId),
    });
  }

  async subscriptionByKey(context: CallContext, externalKey: string): Promise<SubscriptionOutline> {
    checkStorable('External key', externalKey);
    return this.#subscription(context, {
      find: (session) => session.subscriptions.findByKeys([externalKey]),
      none: () => noSubscriptionOfKey(externalKey),
    });
  }

  async #subscription(context: CallContext, { find, none }: Sought<Subscription>) {
    const accounts: CatalogRequest['accounts'] = async (session) =>
      (await find(session)).map(({ accountId }) => accountId);
    const catalogsOf = await this.#open(context, accounts);
    const found = await this.#ports.storage.read(context.tenant, async (session) => {
      const [subscription] = await find(session);
      if (subscription === undefined) return undefined;
      const { outlines } = await loadOutlines(session, {
        bundles: await session.subscriptions.findBundlesByIds([subscription.bundleId]),
        now: context.createdDate,
        catalogsOf,
        maxRecords: this.#maxRows,
        nextTurn: this.#bound().nextTurn,
      });
      const members = outlines.flatMap(({ subscriptions }) => subscriptions);
      return members.find(({ subscriptionId }) => subscriptionId === subscription.id);
    });
    if (found === undefined) throw none();
    await checkRowsOf(found, this.#bound());
    return found;
  }

  async #some(context: CallContext, { find, none }: Sought<Bundle>): Promise<BundleWindow> {
    const { first } = await this.#firstWindow(context, {
      accounts: null,
      find: async (session) => ({ rows: await find(session), total: 0, max: 0 }),
      maxRecords: this.#maxRows,
    });
    const [bundle] = first.outlines;
    if (bundle === undefined) throw none();
    return this.#checked(first, bundle.accountId);
  }

  async #checked(window: BundleWindow, accountId: Uuid): Promise<BundleWindow> {
    if (window.recordIds.length > this.#maxRows) throw answerTooLarge(accountId, this.#maxRows);
    await countRows(accountId, window.outlines, this.#bound());
    return window;
  }

  async #page(context: CallContext, accounts: readonly Uuid[] | null, find: FindPage): Promise<OutlinePage> {
    const maxRecords = this.#recordsOfWindow;
    const { page, first, next } = await this.#firstWindow(context, { accounts, find, maxRecords });
    const { total, max } = page;
    return { total, max, returned: page.rows.length, windows: windowsFrom(first, page.rows, next) };
  }

  /**
   * Finds bundles and reads the first of them from one snapshot.
   * @param accounts their accounts; null if unknown yet.
   */
  async #firstWindow(
    context: CallContext,
    {
      accounts,
      find,
      maxRecords,
    }: { readonly accounts: readonly Uuid[] | null; readonly find: FindPage; readonly maxRecords: number },
  ) {
    const { tenant, createdDate: now } = context;
    let announced: Page<Bundle> | undefined;
    const catalogsOf = await this.#open(
      context,
      accounts ??
        // Catalog plugins need the accounts of the page.
        (async (session) => {
          announced = await find(session);
          return [...new Set(announced.rows.map(({ accountId }) => accountId))];
        }),
    );
    const load = (session: ReadSession, bundles: readonly Bundle[]) =>
      loadOutlines(session, { bundles, now, catalogsOf, maxRecords, nextTurn: this.#bound().nextTurn });
    const { page, first } = await this.#ports.storage.read(tenant, async (session) => {
      const found = announced ?? (await find(session));
      return { page: found, first: await load(session, found.rows) };
    });
    const next = (bundles: readonly Bundle[]) =>
      this.#ports.storage.read(tenant, (session) => load(session, bundles));
    return { page, first, next };
  }

  #open(context: CallContext, accounts: CatalogRequest['accounts']) {
    return this.#catalogs.open({ tenant: context.tenant, now: context.createdDate, accounts });
  }

  #bound() {
    return { maxRows: this.#maxRows, nextTurn: turnsOf(this.#ports) };
  }
}

interface Sought<T> {
  readonly find: (session: ReadSession) => Promise<readonly T[]>;
  readonly none: () => BillingError;
}

function isRunning({ productCategory, state }: SubscriptionOutline): boolean {
  return productCategory !== ProductCategory.ADD_ON && state !== EntitlementState.CANCELLED;
}

const searched = searchedFields(
  { ...bundleFields, ...authorFields },
  { bundleId: 'id', last_sys_update_date: 'updatedDate' },
);

/**
 * The clauses of a key in operator form, else a whole id, account id or external key (§22).
 * @throws BillingError INVALID_PARAMETER (60002) for an unreadable key in operator form.
 */
function bundleSearch(key: string): BundleSearch {
  if (!isOperatorSearch(key)) {
    const id = key.toLowerCase();
    return { kind: 'text', id: isUuid(id) ? id : null, text: key };
  }
  return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
}
