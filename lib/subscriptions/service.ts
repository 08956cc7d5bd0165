import { noSuchAccount } from '../accounts/service.ts';
import type { CatalogProvider, CatalogRequest, CatalogSource } from '../catalog/catalog-source.ts';
import { ProductCategory } from '../catalog/index.ts';
import { withOverridePlans } from '../catalog/override-plans.ts';
import type { CallContext } from '../context.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { Ports } from '../ports/index.ts';
import type { Page, PageRequest, ReadSession } from '../ports/storage/index.ts';
import { checkStorable, shortened } from '../text/index.ts';
import type { Instant } from '../time/index.ts';
import { planNamesOf } from './lifecycle-order.ts';
import { loadBundleViews } from './load-bundle-views.ts';
import type { Bundle, Subscription } from './model.ts';
import { noSuchSubscription } from './no-such-subscription.ts';
import { planAt } from './plan-at.ts';
import type { PlanInForce } from './transitions.ts';
import type { BundleView, SubscriptionView } from './views.ts';

export interface BundleFilter {
  readonly externalKey?: string | undefined;
  readonly bundleIds?: readonly Uuid[] | undefined;
}

export interface PlanAtRequest {
  readonly subscriptionId: Uuid;
  readonly at?: Instant | null;
}

/** Subscriptions and bundles of a tenant, as they are read (subscriptions.md §4, §18). */
export class SubscriptionService {
  readonly #ports: Pick<Ports, 'storage'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  /** @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082). */
  async get(context: CallContext, subscriptionId: Uuid): Promise<SubscriptionView> {
    const find = (session: ReadSession) => session.subscriptions.findByIds([subscriptionId]);
    const view = await this.#findView(context, find);
    if (view !== undefined) return view;
    throw noSuchSubscription(subscriptionId);
  }

  /** @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY (1083). */
  async getByKey(context: CallContext, externalKey: string): Promise<SubscriptionView> {
    checkStorable('External key', externalKey);
    const find = (session: ReadSession) => session.subscriptions.findByKeys([externalKey]);
    const view = await this.#findView(context, find);
    if (view !== undefined) return view;
    throw new BillingError({
      code: ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY,
      message: `No subscription has the external key ${shortened(externalKey)}`,
      facts: { externalKey },
    });
  }

  /**
   * The account's bundles by original creation, all or those of the filter; ids and keys that the account does not have
   * are left out. A constant number of queries for any number of bundles.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  async bundlesOfAccount(
    context: CallContext,
    accountId: Uuid,
    filter: BundleFilter = {},
  ): Promise<readonly BundleView[]> {
    const catalogsOf = await this.#open(context, [accountId]);
    return this.#ports.storage.read(context.tenant, async (session) => {
      const bundles = await session.subscriptions.findBundlesByAccounts([accountId]);
      const wanted = bundles.filter((bundle) => matches(bundle, filter)).toSorted(byOriginalCreation);
      return viewsOf(session, { accountId, bundles: wanted, now: context.createdDate, catalogsOf });
    });
  }

  /**
   * A window of the account's bundles in creation order, with the counts that pagination headers show.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  async pageBundlesOfAccount(
    context: CallContext,
    accountId: Uuid,
    request: PageRequest,
  ): Promise<Page<BundleView>> {
    const catalogsOf = await this.#open(context, [accountId]);
    return this.#ports.storage.read(context.tenant, async (session) => {
      const page = await session.subscriptions.pageBundlesOfAccount(accountId, request);
      const shown = { accountId, bundles: page.rows, now: context.createdDate, catalogsOf };
      return { ...page, rows: await viewsOf(session, shown) };
    });
  }

  /**
   * What a subscription is on at an instant, default now: plan and phase as the version that supplies them then has them
   * (catalog.md §12, row 10).
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082); SUBSCRIPTION_INVALID_REQUESTED_DATE (1001) before its
   * billing starts and from its end on.
   */
  async planAt(context: CallContext, request: PlanAtRequest): Promise<PlanInForce> {
    const { subscriptionId } = request;
    const find = (session: ReadSession) => session.subscriptions.findByIds([subscriptionId]);
    const catalogsOf = await this.#open(context, async (session) =>
      (await find(session)).map((subscription) => subscription.accountId),
    );
    return this.#ports.storage.read(context.tenant, async (session) => {
      const [subscription] = await find(session);
      if (subscription === undefined) throw noSuchSubscription(subscriptionId);
      const { accountId } = subscription;
      const [account] = await session.accounts.findByIds([accountId]);
      if (!account) throw noSuchAccount(accountId);
      const members = await withBase(session, subscription);
      const events = await session.subscriptions.findEvents(members.map(({ id }) => id));
      const plansOf = await withOverridePlans(session, {
        catalogOf: await catalogsOf(session, [accountId]),
        accountIds: [accountId],
        planNames: planNamesOf(events),
      });
      const at = request.at ?? context.createdDate;
      return planAt({ subscription, members, events, plans: plansOf(accountId), zone: account.timeZone, at });
    });
  }

  async #findView(
    context: CallContext,
    find: (session: ReadSession) => Promise<readonly Subscription[]>,
  ): Promise<SubscriptionView | undefined> {
    const catalogsOf = await this.#open(context, async (session) =>
      (await find(session)).map((subscription) => subscription.accountId),
    );
    return this.#ports.storage.read(context.tenant, async (session) => {
      const [subscription] = await find(session);
      if (subscription === undefined) return undefined;
      const { id, accountId, bundleId } = subscription;
      const bundles = await session.subscriptions.findBundlesByIds([bundleId]);
      const views = await viewsOf(session, { accountId, bundles, now: context.createdDate, catalogsOf });
      return views.flatMap((view) => view.subscriptions).find((view) => view.subscriptionId === id);
    });
  }

  #open(context: CallContext, accounts: CatalogRequest['accounts']): Promise<CatalogSource> {
    return this.#catalogs.open({ tenant: context.tenant, now: context.createdDate, accounts });
  }
}

/** An add-on with the base that it ends with. */
async function withBase(session: ReadSession, subscription: Subscription): Promise<readonly Subscription[]> {
  if (subscription.category !== ProductCategory.ADD_ON) return [subscription];
  const members = await session.subscriptions.findByBundles([subscription.bundleId]);
  return members.filter(({ id, category }) => id === subscription.id || category === ProductCategory.BASE);
}

async function viewsOf(
  session: ReadSession,
  input: {
    readonly accountId: Uuid;
    readonly bundles: readonly Bundle[];
    readonly now: Instant;
    readonly catalogsOf: CatalogSource;
  },
): Promise<readonly BundleView[]> {
  const [account] = await session.accounts.findByIds([input.accountId]);
  if (!account) throw noSuchAccount(input.accountId);
  return loadBundleViews(session, { ...input, accounts: [account] });
}

function matches(bundle: Bundle, filter: BundleFilter): boolean {
  if (filter.externalKey !== undefined && bundle.externalKey !== filter.externalKey) return false;
  return filter.bundleIds === undefined || filter.bundleIds.includes(bundle.id);
}

function byOriginalCreation(a: Bundle, b: Bundle): number {
  return a.originalCreatedDate - b.originalCreatedDate || a.recordId - b.recordId;
}
