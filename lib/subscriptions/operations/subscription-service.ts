import { loadAccount } from '../../accounts/index.ts';
import {
  type CatalogProvider,
  type CatalogRequest,
  type CatalogSource,
  withOverridePlans,
} from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type CallContext,
  type Page,
  type PageRequest,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { turnsOf } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { noSuchSubscription } from '../requests/unknown-objects.ts';
import type { BundleFilter } from '../storing/load-outlines.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';
import type { PlanInForce } from '../timeline/transitions.ts';
import { type BundleView, type SubscriptionView, subscriptionView } from '../views/bundle-outline.ts';
import { bundleViews, pageOfViews } from '../views/outline-page.ts';
import { planAt } from '../views/plan-at.ts';
import type { OutlineService } from './outline-service.ts';
import type { PlanAtRequest } from './subscription-operations.ts';

/** Subscriptions and bundles of a tenant, as they are read (§4, §18). */
export class SubscriptionService {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;
  readonly #catalogs: CatalogProvider;
  readonly #outlines: OutlineService;

  constructor(
    ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
    catalogs: CatalogProvider,
    outlines: OutlineService,
  ) {
    this.#ports = ports;
    this.#catalogs = catalogs;
    this.#outlines = outlines;
  }

  async get(context: CallContext, subscriptionId: Uuid): Promise<SubscriptionView> {
    return subscriptionView(await this.#outlines.subscription(context, subscriptionId));
  }

  async getByKey(context: CallContext, externalKey: string): Promise<SubscriptionView> {
    return subscriptionView(await this.#outlines.subscriptionByKey(context, externalKey));
  }

  async bundlesOfAccount(
    context: CallContext,
    accountId: Uuid,
    filter: BundleFilter = {},
  ): Promise<readonly BundleView[]> {
    const { outlines } = await this.#outlines.ofAccount(context, accountId, filter);
    return bundleViews(outlines, turnsOf(this.#ports));
  }

  async pageBundlesOfAccount(
    context: CallContext,
    accountId: Uuid,
    request: PageRequest,
  ): Promise<Page<BundleView>> {
    return pageOfViews(await this.#outlines.pageOfAccount(context, accountId, request), turnsOf(this.#ports));
  }

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
      const account = await loadAccount(session, accountId);
      const members = await withBase(session, subscription);
      const events = await session.subscriptions.findEvents(members.map(({ id }) => id));
      const plansOf = await withOverridePlans(session, {
        catalogOf: await catalogsOf(session, [accountId]),
        accountIds: [accountId],
        planNames: planNamesOf(events),
      });
      const requested = request.requestedDate ?? { at: context.createdDate };
      return planAt({ subscription, members, events, plans: plansOf(accountId), account, requested });
    });
  }

  #open(context: CallContext, accounts: CatalogRequest['accounts']): Promise<CatalogSource> {
    return this.#catalogs.open({ tenant: context.tenant, now: context.createdDate, accounts });
  }
}

/** The subscription and, for an add-on, the base that it ends with. */
async function withBase(session: ReadSession, subscription: Subscription): Promise<readonly Subscription[]> {
  if (subscription.category !== ProductCategory.ADD_ON) return [subscription];
  const members = await session.subscriptions.findByBundles([subscription.bundleId]);
  return members.filter(({ id, category }) => id === subscription.id || category === ProductCategory.BASE);
}
