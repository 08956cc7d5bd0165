import { isPermitted } from '../../../../lib/security/index.ts';
import type { CreatedBundle } from '../../../../lib/subscriptions/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { minInstant } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  auditedIdsOfSubscription,
  BulkSubscriptionsBundle,
  Subscription,
} from '../../models/subscription.ts';
import { auditParameter } from '../../routing/audited.ts';
import { jsonBody, jsonListBody } from '../../routing/body.ts';
import { type ErrorName, type Route, tenantRoute } from '../../routing/route.ts';
import { partial } from '../../wire/model.ts';
import { flag, moment, plainText, requiredParameter } from '../../wire/query.ts';
import {
  addOnErrors,
  completionParameters,
  controlledErrors,
  controlledQuery,
  DEFAULT_WAIT_SEC_IN_K,
  type DoneWork,
  planErrors,
  waitForCompletion,
} from './call-completion.ts';
import { checkCoupons, couponPermission, redemptionErrors } from './redeemed-coupons.ts';

/** Maximum number of subscriptions in a response that includes bundles (http-api §7 rule 4). */
const LISTED_SUBSCRIPTIONS = 20;

const creationErrors: readonly ErrorName[] = [
  'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
  'SUBSCRIPTION_GET_INVALID_BUNDLE_ID',
  'SUBSCRIPTION_GET_NO_SUCH_BASE_SUBSCRIPTION',
  ...planErrors,
  ...addOnErrors,
  'SUBSCRIPTION_CREATE_NO_BP',
  'SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS',
  'SUBSCRIPTION_CREATE_BP_EXISTS',
  'SUBSCRIPTION_CREATE_INVALID_ENTITLEMENT_SPECIFIER',
  'SUBSCRIPTION_CREATE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE',
  'SUBSCRIPTION_EXTERNAL_KEY_EXISTS',
  'CATALOG_NO_CATALOG_FOR_GIVEN_DATE',
  'COMPLETION_TIMEOUT',
  ...controlledErrors,
  ...redemptionErrors,
];

/** The parts that all routes for creating subscriptions have in common (subscriptions §6, §22). */
const creation = {
  permission: 'entitlement:create',
  needsFor: couponPermission,
  query: {
    entitlementDate: moment,
    billingDate: moment,
    renameKeyIfExistsAndUnused: flag(true),
    migrated: flag(),
    skipResponse: flag(),
    ...controlledQuery,
    ...completionParameters,
  },
  fails: creationErrors,
} as const;

const subscriptionRead = {
  shows: Subscription,
  auditedIds: auditedIdsOfSubscription,
  fails: ['ANSWER_TOO_LARGE'],
} as const;

export const subscriptionRoutes: readonly Route[] = [
  tenantRoute('createSubscription', 'POST /subscriptions', {
    ...creation,
    summary: 'Create a subscription in a new or existing bundle',
    body: jsonBody(Subscription),
    creates: '/subscriptions/{subscriptionId}',
    async handle(call) {
      const { billing, context, body, query } = call;
      checkCoupons(call.user, [body]);
      const { subscriptionId } = await billing.createSubscription(context, body, query);
      if (query.callCompletion) {
        const { accountId, billingStart } = await billing.getSubscription(context, subscriptionId);
        await waitForCompletion(call, {
          accountId,
          done: `Subscription ${subscriptionId} was created`,
          billingEffect: billingStart?.at ?? null,
          defaultSecInK: DEFAULT_WAIT_SEC_IN_K,
        });
      }
      return { id: subscriptionId };
    },
  }),
  tenantRoute('getSubscriptionByKey', 'GET /subscriptions', {
    ...subscriptionRead,
    summary: 'Get a subscription by its external key',
    query: { externalKey: requiredParameter(plainText), ...auditParameter },
    fails: ['SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY', 'ANSWER_TOO_LARGE'],
    handle: ({ billing, context, query }) => billing.outlines.subscriptionByKey(context, query.externalKey),
  }),
  tenantRoute('getSubscription', 'GET /subscriptions/{subscriptionId}', {
    ...subscriptionRead,
    summary: 'Get a subscription by id',
    query: auditParameter,
    async handle({ billing, context, params: { subscriptionId }, dialect, user }) {
      const shown = await billing.outlines.subscription(context, subscriptionId);
      if (dialect === Dialect.K || !isPermitted(user?.permissions ?? [], 'coupon:view')) return shown;
      return { ...shown, redemptions: await billing.coupons.ofSubscription(context, subscriptionId) };
    },
  }),
  tenantRoute('createSubscriptionWithAddOns', 'POST /subscriptions/createSubscriptionWithAddOns', {
    ...creation,
    summary: 'Create a base subscription with its add-ons, or add-ons for an existing bundle',
    body: jsonListBody(partial(Subscription), Subscription.name),
    success: { status: 201, location: '/bundles/{bundleId}' },
    async handle(call) {
      const { billing, context, body, query } = call;
      checkCoupons(call.user, body);
      const bundle = await billing.subscriptions.createWithAddOns(context, body, query);
      await waitForCompletion(call, firstBilled([bundle]));
      const { accountId, bundleId } = bundle;
      return { location: isListed([bundle], query) ? `/bundles/${bundleId}` : bundlesPath(accountId, []) };
    },
  }),
  tenantRoute('createSubscriptionsWithAddOns', 'POST /subscriptions/createSubscriptionsWithAddOns', {
    ...creation,
    summary: 'Create subscriptions in several bundles of an account: all or none',
    body: jsonListBody(BulkSubscriptionsBundle, BulkSubscriptionsBundle.name),
    success: { status: 201, location: '/accounts/{accountId}/bundles?bundlesFilter={bundleIds}' },
    async handle(call) {
      const { billing, context, body, query } = call;
      const groups = body.map((group) => group.baseEntitlementAndAddOns ?? null);
      checkCoupons(call.user, groups.flat());
      const bundles = await billing.subscriptions.createBundles(context, groups, query);
      const work = firstBilled(bundles);
      await waitForCompletion(call, work);
      return { location: bundlesPath(work.accountId, isListed(bundles, query) ? bundles : []) };
    },
  }),
];

/** Returns the subscription that is billed first. The call waits for the invoice of this subscription. */
function firstBilled(bundles: readonly CreatedBundle[]): DoneWork {
  const [first] = bundles;
  if (first === undefined) throw new Error('a creation makes a bundle');
  return {
    accountId: first.accountId,
    done: `${countOf(bundles)} subscriptions were created`,
    billingEffect: bundles.map(({ billingStart }) => billingStart).reduce((a, b) => minInstant(a, b)),
    defaultSecInK: DEFAULT_WAIT_SEC_IN_K,
  };
}

function isListed(bundles: readonly CreatedBundle[], query: { readonly skipResponse: boolean }): boolean {
  return !query.skipResponse && countOf(bundles) < LISTED_SUBSCRIPTIONS;
}

function countOf(bundles: readonly CreatedBundle[]): number {
  return bundles.reduce((sum, { subscriptionIds }) => sum + subscriptionIds.length, 0);
}

function bundlesPath(accountId: Uuid, bundles: readonly CreatedBundle[]): string {
  const ids = new Set(bundles.map(({ bundleId }) => bundleId));
  return `/accounts/${accountId}/bundles?bundlesFilter=${[...ids].join(',')}`;
}
