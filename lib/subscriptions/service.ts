import { lockAccount, noSuchAccount } from '../accounts/service.ts';
import type { CatalogProvider, CatalogRequest, CatalogSource } from '../catalog/catalog-source.ts';
import { obtainOverridePlan, withOverridePlans } from '../catalog/override-plans.ts';
import { authorshipOf, type CallContext } from '../context.ts';
import { BillingError, ErrorCode } from '../errors/index.ts';
import type { Uuid } from '../ids/index.ts';
import type { Ports } from '../ports/index.ts';
import type { Page, PageRequest, ReadSession, WriteSession } from '../ports/storage/index.ts';
import { checkStorable, shortened } from '../text/index.ts';
import type { Instant } from '../time/index.ts';
import {
  type CreateSubscriptionOptions,
  type CreateSubscriptionRequest,
  checkCreateRequest,
} from './create-request.ts';
import { type Creation, overridesOfCreation, planCreation } from './creation.ts';
import { cursorOf } from './hypothesis.ts';
import { planNamesOf, runEvent } from './lifecycle-order.ts';
import { loadBundleViews } from './load-bundle-views.ts';
import { loadCreation } from './load-creation.ts';
import type { Bundle, Subscription } from './model.ts';
import { noSuchSubscription } from './no-such-subscription.ts';
import { planAt } from './plan-at.ts';
import { effectiveEvent, entitlementEvent, requestedEvent } from './subscription-bus-events.ts';
import { blockingStateNotification, eventNotification } from './subscription-notifications.ts';
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

/** Subscriptions and bundles of a tenant (subscriptions.md §4, §6, §18). */
export class SubscriptionService {
  readonly #ports: Pick<Ports, 'storage' | 'ids'>;
  readonly #catalogs: CatalogProvider;

  constructor(ports: Pick<Ports, 'storage' | 'ids'>, catalogs: CatalogProvider) {
    this.#ports = ports;
    this.#catalogs = catalogs;
  }

  /**
   * Creates a subscription to a BASE or STANDALONE plan, in a new bundle or in an existing one (subscriptions.md §6). Both
   * dates may lie in the past or the future; what is due by now is emitted with the call, the rest falls due in the queue.
   * @returns the ids of the subscription and of its bundle.
   * @throws BillingError MISSING_OR_INVALID_FIELD, EXTERNAL_KEY_LIMIT_EXCEEDED (5), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002),
   * bundle errors 1014, 1015, 1020, 1081, SUBSCRIPTION_EXTERNAL_KEY_EXISTS (1016), SUBSCRIPTION_CREATE_BAD_PHASE (1011),
   * plan errors 2002, 2013, 2020, 2021, 2030, 2050, CATALOG_INVALID_PRICE_OVERRIDE (2081), BLOCKING_BLOCKED_ACTION (6000),
   * BUSY (60018), NOT_IMPLEMENTED (1).
   */
  async create(
    context: CallContext,
    request: CreateSubscriptionRequest,
    options: CreateSubscriptionOptions = {},
  ): Promise<{ readonly subscriptionId: Uuid; readonly bundleId: Uuid }> {
    const checked = checkCreateRequest(request);
    const catalogsOf = await this.#open(context, [checked.accountId]);
    return this.#ports.storage.write(context.tenant, authorshipOf(context), async (session) => {
      const account = await lockAccount(session, checked.accountId);
      await session.catalogs.keepPlans();
      const input = await loadCreation(session, {
        account,
        request: checked,
        options,
        catalogsOf,
        now: context.createdDate,
        nextId: () => this.#ports.ids.next(),
      });
      const overrides = overridesOfCreation(input);
      const overridePlan =
        overrides &&
        (await obtainOverridePlan(session, overrides, {
          nextId: input.nextId,
          currentCatalog: async () => (await catalogsOf(session, [account.id]))(account.id),
        }));
      const creation = planCreation({ ...input, overridePlan });
      await store(session, creation);
      announce(session, creation, context.createdDate);
      return { subscriptionId: creation.subscription.id, bundleId: creation.bundle.id };
    });
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
      const events = await session.subscriptions.findEvents([subscriptionId]);
      const plansOf = await withOverridePlans(session, {
        catalogOf: await catalogsOf(session, [accountId]),
        accountIds: [accountId],
        planNames: planNamesOf(events),
      });
      const at = request.at ?? context.createdDate;
      return planAt({ subscriptionId, events, plans: plansOf(accountId), zone: account.timeZone, at });
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
  return loadBundleViews(session, { ...input, account });
}

async function store(session: WriteSession, creation: Creation): Promise<void> {
  if (creation.newBundle !== null) await session.subscriptions.insertBundles([creation.newBundle]);
  await session.subscriptions.insertSubscriptions([creation.subscription]);
  await session.subscriptions.insertEvents(creation.events);
  await session.subscriptions.insertBlockingStates([creation.entitlementStart]);
  await session.invoices.saveCursors([cursorOf(creation)]);
}

/** What is due by now is emitted in the call's transaction, the rest gets its queue entry (subscriptions.md §21). */
function announce(session: WriteSession, creation: Creation, now: Instant): void {
  const [creating] = creation.events;
  if (creating === undefined) throw new Error('a creation stores at least its CREATE');
  const due = creation.events.filter((event) => event.effective.at <= now);
  session.publish([requestedEvent(creation, creating)]);
  const last = runEvent(creation.events, now);
  session.publish(due.map((event) => effectiveEvent(creation, event, event === last)));
  session.schedule(creation.events.filter((event) => event.effective.at > now).map(eventNotification));
  if (creation.entitlementStart.effective.at <= now) {
    session.publish([entitlementEvent(creation, creation.entitlementStart)]);
  } else {
    session.schedule([blockingStateNotification(creation.entitlementStart)]);
  }
}

function matches(bundle: Bundle, filter: BundleFilter): boolean {
  if (filter.externalKey !== undefined && bundle.externalKey !== filter.externalKey) return false;
  return filter.bundleIds === undefined || filter.bundleIds.includes(bundle.id);
}

function byOriginalCreation(a: Bundle, b: Bundle): number {
  return a.originalCreatedDate - b.originalCreatedDate || a.recordId - b.recordId;
}
