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
  type Account,
  type CallContext,
  type LifecycleEvent,
  type Page,
  type PageRequest,
  ProductCategory,
  type Subscription,
} from '../../records/index.ts';
import { turnsOf } from '../../runtime/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
  maxInstant,
  type RequestedDate,
} from '../../values/time/index.ts';
import { historiesOf, timelinesOf } from '../add-ons/base-end.ts';
import { noSuchSubscription } from '../requests/unknown-objects.ts';
import type { BundleFilter } from '../storing/load-outlines.ts';
import { planNamesOf } from '../timeline/lifecycle-events.ts';
import { atReferenceTime } from '../timeline/phase-timeline.ts';
import {
  type PlanInForce,
  type PlanResolver,
  type Transition,
  transitionAt,
} from '../timeline/transitions.ts';
import { type BundleView, type SubscriptionView, subscriptionView } from '../views/bundle-outline.ts';
import { bundleViews, pageOfViews } from '../views/outline-page.ts';
import type { OutlineService } from './outline-service.ts';
import type { PlanAtRequest } from './subscription-operations.ts';

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

async function withBase(session: ReadSession, subscription: Subscription): Promise<readonly Subscription[]> {
  if (subscription.category !== ProductCategory.ADD_ON) return [subscription];
  const members = await session.subscriptions.findByBundles([subscription.bundleId]);
  return members.filter(({ id, category }) => id === subscription.id || category === ProductCategory.BASE);
}

interface PlanAtInput {
  readonly subscription: Subscription;
  readonly members: readonly Subscription[];
  readonly events: readonly LifecycleEvent[];
  readonly plans: PlanResolver;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  /** An instant, or a day in the account's calendar. */
  readonly requested: RequestedDate;
}

/**
 * Plan, phase and price list at an instant or on a day, with current prices (catalog §12 rule 5).
 * @throws BillingError SUBSCRIPTION_INVALID_REQUESTED_DATE (1001) before billing starts and from its end on.
 */
function planAt(input: PlanAtInput): PlanInForce {
  const { subscription, members, events, plans, account, requested } = input;
  const zone = account.timeZone;
  const subscriptionId = subscription.id;
  const timelines = timelinesOf(historiesOf(members, events, []), { plans, zone });
  const timeline = timelines.find((each) => each.subscription.id === subscriptionId);
  const transitions = timeline?.transitions ?? [];
  const transition =
    'at' in requested ? transitionAt(transitions, requested.at) : transitionOn(transitions, requested.date);
  if (!transition?.next) throw noPlan(subscriptionId, requested, transition !== undefined);
  const at = 'at' in requested ? requested.at : instantOfDay(requested.date, transition, account);
  const { next } = transition;
  const { version, plan } = plans.resolvePlan(next.plan.name, at, {
    at: next.chosenAt,
    decided: next.decided,
  });
  const phase = plan.phases.find(({ type }) => type === next.phase.type);
  assertInvariant(phase, `Plan ${plan.name} has no phase ${next.phase.type}`, { planName: plan.name });
  return { ...next, version, plan, phase };
}

/** A change counts from the start of its own date. */
function transitionOn(transitions: readonly Transition[], date: LocalDate): Transition | undefined {
  return transitions.findLast((transition) => transition.event.effective.date <= date);
}

/** The day's own instant (§2 rule 2), not before the change that counts on that day. */
function instantOfDay(date: LocalDate, { event }: Transition, account: PlanAtInput['account']): Instant {
  return maxInstant(atReferenceTime(date, account).at, event.effective.at);
}

function noPlan(subscriptionId: Uuid, requested: RequestedDate, hasStarted: boolean): BillingError {
  const shown = 'at' in requested ? formatInstant(requested.at) : formatLocalDate(requested.date);
  const when = hasStarted ? 'at its end or later' : 'before its start';
  return billingError(
    ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
    `Subscription ${subscriptionId} has no plan at ${shown}, which is ${when}`,
    { subscriptionId, requestedDate: shown },
  );
}
