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
} from '../../records/index.ts';
import { isOperatorSearch, parseOperatorSearch, turnsOf } from '../../runtime/index.ts';
import type { BillingError } from '../../values/errors/index.ts';
import { authorFields, searchedFields } from '../../values/fields/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import { MAX_ANSWER_ROWS } from '../../values/limits.ts';
import { checkStorable } from '../../values/text/index.ts';
import { holdsKey } from '../create/choose-group.ts';
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
  windowsFrom,
  withoutPrices,
} from '../views/outline-page.ts';

/**
 * Maximum number of records that a paged result keeps in memory. A page of at most this size is read from one snapshot.
 */
const RECORDS_OF_WINDOW = 20_000;

/**
 * Creates the operations that read bundles and subscriptions (§4, §18). Rows are created on demand, so memory use
 * depends only on the amount of stored data. A result without pages that exceeds `server.limits.rows` fails with
 * ANSWER_TOO_LARGE (60020).
 */
export function outlineOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
  catalogs: CatalogProvider,
  {
    maxRows = MAX_ANSWER_ROWS,
    recordsOfWindow = RECORDS_OF_WINDOW,
  }: { readonly maxRows?: number; readonly recordsOfWindow?: number } = {},
) {
  const createRowBound = () => ({ maxRows, nextTurn: turnsOf(ports) });

  const open = ({ tenant, createdDate: now }: CallContext, accounts: CatalogRequest['accounts']) =>
    catalogs.open({ tenant, now, accounts });

  async function checkWindowSize(window: BundleWindow, accountId: Uuid) {
    if (window.recordIds.length > maxRows) throw answerTooLarge(accountId, maxRows);
    await countRows(accountId, window.outlines, createRowBound());
    return window;
  }

  /** Finds the bundles and reads the first window of them from the same snapshot. */
  async function firstWindow(context: CallContext, { accounts, find, maxRecords }: WindowSearch) {
    const { tenant, createdDate: now } = context;
    let announced: Page<Bundle> | undefined;
    const catalogsOf = await open(
      context,
      accounts ??
        // Catalog plugins need the accounts of the page.
        (async (session) => {
          announced = await find(session);
          return [...new Set(announced.rows.map(({ accountId }) => accountId))];
        }),
    );
    const load = (session: ReadSession, bundles: readonly Bundle[]) =>
      loadOutlines(session, { bundles, now, catalogsOf, maxRecords, nextTurn: createRowBound().nextTurn });
    const { page, first } = await ports.storage.read(tenant, async (session) => {
      const found = announced ?? (await find(session));
      return { page: found, first: await load(session, found.rows) };
    });
    const next = (bundles: readonly Bundle[]) =>
      ports.storage.read(tenant, (session) => load(session, bundles));
    return { page, first, next };
  }

  async function pageOf(context: CallContext, accounts: readonly Uuid[] | null, find: WindowSearch['find']) {
    const search = { accounts, find, maxRecords: recordsOfWindow };
    const { page, first, next } = await firstWindow(context, search);
    const { total, max } = page;
    return { total, max, returned: page.rows.length, windows: windowsFrom(first, page.rows, next) };
  }

  async function some(context: CallContext, { find, none }: Sought<Bundle>) {
    const { first } = await firstWindow(context, {
      accounts: null,
      find: async (session) => ({ rows: await find(session), total: 0, max: 0 }),
      maxRecords: maxRows,
    });
    const [bundle] = first.outlines;
    if (bundle === undefined) throw none();
    return checkWindowSize(first, bundle.accountId);
  }

  async function one(context: CallContext, { find, none }: Sought<Subscription>) {
    const catalogsOf = await open(context, async (session) =>
      (await find(session)).map(({ accountId }) => accountId),
    );
    const found = await ports.storage.read(context.tenant, async (session) => {
      const [subscription] = await find(session);
      if (subscription === undefined) return undefined;
      const { outlines } = await loadOutlines(session, {
        bundles: await session.subscriptions.findBundlesByIds([subscription.bundleId]),
        now: context.createdDate,
        catalogsOf,
        maxRecords: maxRows,
        nextTurn: createRowBound().nextTurn,
      });
      const members = outlines.flatMap(({ subscriptions }) => subscriptions);
      return members.find(({ subscriptionId }) => subscriptionId === subscription.id);
    });
    if (found === undefined) throw none();
    await checkRowsOf(found, createRowBound());
    return found;
  }

  const page = async (context: CallContext, request: PageRequest) =>
    withoutPrices(await pageOf(context, null, (session) => session.subscriptions.pageBundles(request)));

  return {
    page,

    async ofAccount(context: CallContext, accountId: Uuid, filter: BundleFilter = {}) {
      const catalogsOf = await open(context, [accountId]);
      const { nextTurn } = createRowBound();
      const window = await ports.storage.read(context.tenant, async (session) => {
        const account = await loadAccount(session, accountId);
        const bundles = await findBundlesOfAccount(session, accountId, { maxRows, nextTurn, filter });
        return loadOutlines(session, {
          bundles,
          accounts: [account],
          now: context.createdDate,
          catalogsOf,
          maxRecords: maxRows,
          nextTurn,
        });
      });
      return checkWindowSize(window, accountId);
    },

    pageOfAccount: (context: CallContext, accountId: Uuid, request: PageRequest) =>
      pageOf(context, [accountId], async (session) => {
        await loadAccount(session, accountId);
        return session.subscriptions.pageBundlesOfAccount(accountId, request);
      }),

    async search(context: CallContext, key: string, request: PageRequest) {
      if (key === '') return page(context, request);
      checkStorable('Search key', key);
      const search = bundleSearch(key);
      return withoutPrices(
        await pageOf(context, null, (session) => session.subscriptions.searchBundles(search, request)),
      );
    },

    bundle: (context: CallContext, bundleId: Uuid) =>
      some(context, {
        find: (session) => session.subscriptions.findBundlesByIds([bundleId]),
        none: () => noSuchBundle(bundleId),
      }),

    async bundleByKey(context: CallContext, externalKey: string) {
      checkStorable('External key', externalKey);
      const none = () => noBundleOfKey(externalKey);
      const window = await some(context, {
        find: async (session) =>
          (await session.subscriptions.findBundlesByKeys([externalKey])).filter(holdsKey),
        none,
      });
      if (window.outlines[0]?.subscriptions.some(isRunning)) return window;
      throw none();
    },

    async allOfKey(context: CallContext, externalKey: string) {
      checkStorable('External key', externalKey);
      return some(context, {
        find: (session) => session.subscriptions.findBundlesByPastKeys([externalKey]),
        none: () => noBundleOfKey(externalKey),
      });
    },

    subscription: (context: CallContext, subscriptionId: Uuid) =>
      one(context, {
        find: (session) => session.subscriptions.findByIds([subscriptionId]),
        none: () => noSuchSubscription(subscriptionId),
      }),

    async subscriptionByKey(context: CallContext, externalKey: string) {
      checkStorable('External key', externalKey);
      return one(context, {
        find: (session) => session.subscriptions.findByKeys([externalKey]),
        none: () => noSubscriptionOfKey(externalKey),
      });
    },
  };
}

export type Outlines = ReturnType<typeof outlineOperations>;

interface WindowSearch {
  /** Accounts of the bundles, or null if they are not known yet. */
  readonly accounts: readonly Uuid[] | null;
  readonly find: (session: ReadSession) => Promise<Page<Bundle>>;
  readonly maxRecords: number;
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
 * Returns the search for a key. A key in operator form is parsed into clauses. Any other key must equal an id, account
 * id or external key (§22).
 * @throws BillingError INVALID_PARAMETER (60002) for an unreadable key in operator form.
 */
function bundleSearch(key: string): BundleSearch {
  if (!isOperatorSearch(key)) {
    const id = key.toLowerCase();
    return { kind: 'text', id: isUuid(id) ? id : null, text: key };
  }
  return { kind: 'clauses', clauses: parseOperatorSearch(key, searched) };
}
