import { BillingActionPolicy } from '../../../lib/catalog/index.ts';
import { ErrorCode } from '../../../lib/errors/index.ts';
import { EntitlementActionPolicy } from '../../../lib/subscriptions/cancellation-dates.ts';
import { empty } from '../routing/answer.ts';
import { type Route, tenantRoute } from '../routing/route.ts';
import { flag, moment, optionalChoice } from '../wire/query.ts';
import { completionParameters, DEFAULT_CANCEL_WAIT_SEC_IN_K, waitForCompletion } from './call-completion.ts';

const area = 'subscriptions';
const PATH = '/1.0/kb/subscriptions/{subscriptionId}';

/** Operations on subscriptions that run (http-api.md §13). */
export const subscriptionLifecycleRoutes: readonly Route[] = [
  tenantRoute({
    method: 'DELETE',
    path: PATH,
    operationId: 'cancelSubscriptionPlan',
    area,
    summary: 'Cancel a subscription: end its service and its billing',
    permission: 'entitlement:cancel',
    query: {
      requestedDate: moment,
      entitlementPolicy: optionalChoice(EntitlementActionPolicy),
      billingPolicy: optionalChoice(BillingActionPolicy),
      useRequestedDateForBilling: flag(),
      ...completionParameters,
    },
    success: { status: 204 },
    fails: [
      ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
      ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
      ErrorCode.SUBSCRIPTION_CANCEL_BAD_STATE,
      ErrorCode.COMPLETION_TIMEOUT,
    ],
    async handle(call) {
      const { billing, context, params, query } = call;
      const { subscriptionId } = params;
      const { accountId, billingEnd } = await billing.subscriptions.cancel(context, subscriptionId, query);
      if (query.callCompletion) {
        await waitForCompletion(call, {
          accountId,
          done: `Subscription ${subscriptionId} is cancelled`,
          billingEffect: billingEnd.at,
          defaultSecInK: DEFAULT_CANCEL_WAIT_SEC_IN_K,
        });
      }
      return empty;
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: `${PATH}/uncancel`,
    operationId: 'uncancelSubscriptionPlan',
    area,
    summary: 'Take a cancellation back while billing goes on',
    permission: 'entitlement:cancel',
    success: { status: 204 },
    fails: [
      ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
      ErrorCode.SUBSCRIPTION_UNCANCEL_BAD_STATE,
      ErrorCode.ENTITLEMENT_UNCANCEL_BAD_STATE,
    ],
    async handle({ billing, context, params }) {
      await billing.subscriptions.uncancel(context, params.subscriptionId);
      return empty;
    },
  }),
];
