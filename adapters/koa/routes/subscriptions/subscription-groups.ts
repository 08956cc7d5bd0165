import type { CreatedBundle } from '../../../../lib/subscriptions/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { BulkSubscriptionsBundle, Subscription } from '../../models/subscription.ts';
import { created } from '../../routing/answer.ts';
import { jsonListBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { partial } from '../../wire/model.ts';
import { waitForCompletion } from './call-completion.ts';
import { awaitedCreation, creationErrors, creationQuery } from './subscription-creation.ts';

/** From this number of subscriptions on, the answer does not list their bundles (http-api §7 rule 4). */
const LISTED_SUBSCRIPTIONS = 20;

/** Several subscriptions in one call, which is one transaction (subscriptions §6). */
export const subscriptionGroupRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/subscriptions/createSubscriptionWithAddOns',
    operationId: 'createSubscriptionWithAddOns',
    summary: 'Create a base subscription with its add-ons, or add-ons for an existing bundle',
    permission: 'entitlement:create',
    query: creationQuery,
    body: jsonListBody(partial(Subscription), Subscription.name),
    success: { status: 201, location: '/bundles/{bundleId}' },
    fails: creationErrors,
    async handle(call) {
      const { billing, context, body, query } = call;
      const bundle = await billing.subscriptions.createWithAddOns(context, body, query);
      if (query.callCompletion) await waitForCompletion(call, awaitedCreation([bundle]));
      const { accountId, bundleId } = bundle;
      return created(isListed([bundle], query) ? `/bundles/${bundleId}` : bundlesPath(accountId, []));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/subscriptions/createSubscriptionsWithAddOns',
    operationId: 'createSubscriptionsWithAddOns',
    summary: 'Create the subscriptions of several bundles of an account, all or none',
    permission: 'entitlement:create',
    query: creationQuery,
    body: jsonListBody(BulkSubscriptionsBundle, BulkSubscriptionsBundle.name),
    success: { status: 201, location: '/accounts/{accountId}/bundles?bundlesFilter={bundleIds}' },
    fails: creationErrors,
    async handle(call) {
      const { billing, context, body, query } = call;
      const groups = body.map((group) => group.baseEntitlementAndAddOns ?? null);
      const bundles = await billing.subscriptions.createBundles(context, groups, query);
      if (query.callCompletion) await waitForCompletion(call, awaitedCreation(bundles));
      const accountId = accountOf(bundles);
      return created(bundlesPath(accountId, isListed(bundles, query) ? bundles : []));
    },
  }),
];

function isListed(bundles: readonly CreatedBundle[], query: { readonly skipResponse: boolean }): boolean {
  const count = bundles.reduce((sum, { subscriptionIds }) => sum + subscriptionIds.length, 0);
  return !query.skipResponse && count < LISTED_SUBSCRIPTIONS;
}

function bundlesPath(accountId: Uuid, bundles: readonly CreatedBundle[]): string {
  const ids = new Set(bundles.map(({ bundleId }) => bundleId));
  return `/accounts/${accountId}/bundles?bundlesFilter=${[...ids].join(',')}`;
}

function accountOf(bundles: readonly CreatedBundle[]): Uuid {
  const [first] = bundles;
  if (first === undefined) throw new Error('a creation makes a bundle');
  return first.accountId;
}
