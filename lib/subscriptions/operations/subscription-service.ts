import { loadAccount } from '../../accounts/index.ts';
import { type CatalogProvider, withOverridePlans } from '../../catalog/index.ts';
import type { Ports } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  EntitlementState,
  type PageRequest,
  ProductCategory,
  type Subscription,
  type WithContext,
} from '../../records/index.ts';
import { turnsOf } from '../../runtime/index.ts';
import { assertInvariant, type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatInstant, formatLocalDate, maxInstant, type RequestedDate } from '../../values/time/index.ts';
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
import { subscriptionView } from '../views/bundle-outline.ts';
import { bundleViews, pageOfViews, subscriptionViews } from '../views/outline-page.ts';
import type { Outlines } from './outline-service.ts';
import type {
  PlanAtRequest,
  SubscriptionListRequest,
  SubscriptionOperations,
} from './subscription-operations.ts';

async function withBase(session: ReadSession, subscription: Subscription): Promise<readonly Subscription[]> {
  if (subscription.category !== ProductCategory.ADD_ON) return [subscription];
  const members = await session.subscriptions.findByBundles([subscription.bundleId]);
  return members.filter(({ id, category }) => id === subscription.id || category === ProductCategory.BASE);
}

type ReadOperation = 'get' | 'getByKey' | 'list' | 'bundlesOfAccount' | 'pageBundlesOfAccount' | 'planAt';

/** Operations that read subscriptions and an account's bundles. They keep all rows in memory. */
export function subscriptionReadOperations(
  ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>,
  catalogs: CatalogProvider,
  outlines: Outlines,
): Pick<SubscriptionOperations<WithContext>, ReadOperation> {
  return {
    async get(context: CallContext, subscriptionId: Uuid) {
      return subscriptionView(await outlines.subscription(context, subscriptionId));
    },

    async getByKey(context: CallContext, externalKey: string) {
      return subscriptionView(await outlines.subscriptionByKey(context, externalKey));
    },

    async list(context: CallContext, { accountId, states }: SubscriptionListRequest) {
      const chosen = new Set(states ?? Object.values(EntitlementState));
      const { outlines: bundles } = await outlines.ofAccount(context, accountId);
      const found = bundles.flatMap(({ subscriptions }) => subscriptions);
      return subscriptionViews(
        found.filter(({ state }) => chosen.has(state)),
        turnsOf(ports),
      );
    },

    async bundlesOfAccount(context: CallContext, accountId: Uuid, filter?: BundleFilter) {
      const window = await outlines.ofAccount(context, accountId, filter);
      return bundleViews(window.outlines, turnsOf(ports));
    },

    async pageBundlesOfAccount(context: CallContext, accountId: Uuid, request: PageRequest) {
      return pageOfViews(await outlines.pageOfAccount(context, accountId, request), turnsOf(ports));
    },

    async planAt(context: CallContext, request: PlanAtRequest): Promise<PlanInForce> {
      const { tenant, createdDate: now } = context;
      const { subscriptionId } = request;
      const find = (session: ReadSession) => session.subscriptions.findByIds([subscriptionId]);
      const catalogsOf = await catalogs.open({
        tenant,
        now,
        accounts: async (session) => (await find(session)).map(({ accountId }) => accountId),
      });
      return ports.storage.read(tenant, async (session) => {
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
        const plans = plansOf(accountId);
        const timelines = timelinesOf(historiesOf(members, events, []), { plans, zone: account.timeZone });
        const timeline = timelines.find((each) => each.subscription.id === subscriptionId);
        const requested = request.requestedDate ?? { at: now };
        return planAt(requested, {
          subscriptionId,
          transitions: timeline?.transitions ?? [],
          plans,
          account,
        });
      });
    },
  };
}

/**
 * Returns the plan, phase and price list at an instant or on a day, with current prices (catalog §12 rule 5). A day
 * includes all changes that are dated on it.
 * @throws BillingError SUBSCRIPTION_INVALID_REQUESTED_DATE (1001) before billing starts and from the end of billing on.
 */
function planAt(
  requested: RequestedDate,
  of: {
    readonly subscriptionId: Uuid;
    readonly transitions: readonly Transition[];
    readonly plans: PlanResolver;
    readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  },
): PlanInForce {
  const { transitions, plans, account } = of;
  const transition =
    'at' in requested
      ? transitionAt(transitions, requested.at)
      : transitions.findLast(({ event }) => event.effective.date <= requested.date);
  if (!transition?.next) throw noPlan(of.subscriptionId, requested, transition !== undefined);
  // Use the instant of the day (§2 rule 2) or the instant of the change in force on that day, whichever is later.
  const at =
    'at' in requested
      ? requested.at
      : maxInstant(atReferenceTime(requested.date, account).at, transition.event.effective.at);
  const { next } = transition;
  const chosen = { at: next.chosenAt, decided: next.decided };
  const { version, plan } = plans.resolvePlan(next.plan.name, at, chosen);
  const phase = plan.phases.find(({ type }) => type === next.phase.type);
  assertInvariant(phase, `Plan ${plan.name} has no phase ${next.phase.type}`, { planName: plan.name });
  return { ...next, version, plan, phase };
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
