import { type ChangePlanRequest, EntitlementActionPolicy } from '../../../../lib/ports/index.ts';
import { ErrorCode, invalidField } from '../../../../lib/values/errors/index.ts';
import { Subscription } from '../../models/subscription.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { partial } from '../../wire/model.ts';
import { flag, moment, optionalChoice } from '../../wire/query.ts';
import {
  completionParameters,
  DEFAULT_CANCEL_WAIT_SEC_IN_K,
  DEFAULT_WAIT_SEC_IN_K,
  waitForCompletion,
} from './call-completion.ts';
import { ChosenPolicy } from './chosen-policies.ts';
import { controlledErrors, controlledQuery } from './entitlement-plugins.ts';
import { checkFixedFields } from './fixed-fields.ts';

const PATH = '/1.0/kb/subscriptions/{subscriptionId}';

/** Operations on running subscriptions (http-api §13). */
export const subscriptionLifecycleRoutes: readonly Route[] = [
  tenantRoute({
    method: 'PUT',
    path: PATH,
    operationId: 'changeSubscriptionPlan',
    summary: 'Change the plan of a subscription, at a date or by policy',
    permission: 'entitlement:change_plan',
    query: {
      requestedDate: moment,
      billingPolicy: optionalChoice(ChosenPolicy),
      ...controlledQuery,
      ...completionParameters,
    },
    body: jsonBody(partial(Subscription)),
    fails: [
      ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
      ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE,
      ErrorCode.SUBSCRIPTION_CREATE_AO_BP_NON_ACTIVE,
      ErrorCode.SUBSCRIPTION_CREATE_AO_ALREADY_INCLUDED,
      ErrorCode.SUBSCRIPTION_CREATE_AO_NOT_AVAILABLE,
      ErrorCode.SUBSCRIPTION_CHANGE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE,
      ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE,
      ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_CANCELLED,
      ErrorCode.SUBSCRIPTION_CHANGE_INVALID,
      ErrorCode.SUBSCRIPTION_CHANGE_FUTURE_EXPIRED,
      ErrorCode.CATALOG_ILLEGAL_CHANGE_REQUEST,
      ErrorCode.CATALOG_NO_SUCH_PLAN,
      ErrorCode.CATALOG_NO_SUCH_PRODUCT,
      ErrorCode.CATALOG_PLAN_NOT_FOUND,
      ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND,
      ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE,
      ErrorCode.BLOCKING_BLOCKED_ACTION,
      ErrorCode.COMPLETION_TIMEOUT,
      ...controlledErrors,
    ],
    async handle(call) {
      const { billing, context, params, query, body } = call;
      const { subscriptionId } = params;
      checkPriceListNamed(body);
      await checkFixedFields(call, subscriptionId, body);
      const { requestedDate, billingPolicy } = query;
      const change = { ...body, requestedDate, billingPolicy };
      const { accountId, effective } = await billing.subscriptions.changePlan(
        context,
        subscriptionId,
        change,
      );
      if (query.callCompletion) {
        await waitForCompletion(call, {
          accountId,
          done: `The plan of subscription ${subscriptionId} is changed`,
          billingEffect: effective.at,
          defaultSecInK: DEFAULT_WAIT_SEC_IN_K,
        });
      }
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: `${PATH}/undoChangePlan`,
    operationId: 'undoChangeSubscriptionPlan',
    summary: 'Take all pending changes of plan back',
    permission: 'entitlement:change_plan',
    query: controlledQuery,
    fails: [
      ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
      ErrorCode.SUBSCRIPTION_UNDO_CHANGE_BAD_STATE,
      ...controlledErrors,
    ],
    handle: ({ billing, context, params }) =>
      billing.subscriptions.undoChangePlan(context, params.subscriptionId),
  }),
  tenantRoute({
    method: 'DELETE',
    path: PATH,
    operationId: 'cancelSubscriptionPlan',
    summary: 'Cancel a subscription: end its service and its billing',
    permission: 'entitlement:cancel',
    query: {
      requestedDate: moment,
      entitlementPolicy: optionalChoice(EntitlementActionPolicy),
      billingPolicy: optionalChoice(ChosenPolicy),
      useRequestedDateForBilling: flag(),
      ...controlledQuery,
      ...completionParameters,
    },
    fails: [
      ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
      ErrorCode.SUBSCRIPTION_INVALID_REQUESTED_DATE,
      ErrorCode.SUBSCRIPTION_CANCEL_BAD_STATE,
      ErrorCode.COMPLETION_TIMEOUT,
      ...controlledErrors,
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
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: `${PATH}/uncancel`,
    operationId: 'uncancelSubscriptionPlan',
    summary: 'Take a cancellation back while billing goes on',
    permission: 'entitlement:cancel',
    query: controlledQuery,
    fails: [
      ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
      ErrorCode.SUBSCRIPTION_UNCANCEL_BAD_STATE,
      ErrorCode.ENTITLEMENT_UNCANCEL_BAD_STATE,
      ...controlledErrors,
    ],
    handle: ({ billing, context, params }) => billing.subscriptions.uncancel(context, params.subscriptionId),
  }),
];

/** The library finds the price list by the catalog's rule; over HTTP it must be named (http-api §13.1 note 12). */
function checkPriceListNamed(body: Pick<ChangePlanRequest, 'planName' | 'priceList'>): void {
  if (body.planName || body.priceList) return;
  throw invalidField('SubscriptionJson priceList needs to be set when no planName is specified', {
    field: 'priceList',
  });
}
