import type { Billing } from '../../../../lib/billing.ts';
import { type ChangePlanRequest, EntitlementActionPolicy } from '../../../../lib/ports/index.ts';
import type { CallContext } from '../../../../lib/records/index.ts';
import { invalidField } from '../../../../lib/values/errors/index.ts';
import type { Uuid } from '../../../../lib/values/ids/index.ts';
import { Subscription } from '../../models/subscription.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { partial, type RequestOf } from '../../wire/model.ts';
import { flag, moment, optionalChoice } from '../../wire/query.ts';
import { ChosenPolicy } from './bundles.ts';
import {
  addOnErrors,
  changeErrors,
  completionParameters,
  controlledErrors,
  controlledQuery,
  DEFAULT_CANCEL_WAIT_SEC_IN_K,
  DEFAULT_WAIT_SEC_IN_K,
  waitForCompletion,
} from './call-completion.ts';
import { checkCoupons, couponPermission, redemptionErrors } from './redeemed-coupons.ts';

const update = {
  permission: 'entitlement:create',
  body: jsonBody(partial(Subscription)),
  fails: ['SUBSCRIPTION_CHANGE_NON_ACTIVE'],
} as const;

/** Routes that change running subscriptions (http-api §13). */
export const subscriptionChangeRoutes: readonly Route[] = [
  tenantRoute('changeSubscriptionPlan', 'PUT /subscriptions/{subscriptionId}', {
    summary: 'Change the plan of a subscription, at a date or by policy',
    permission: 'entitlement:change_plan',
    needsFor: couponPermission,
    query: {
      requestedDate: moment,
      billingPolicy: optionalChoice(ChosenPolicy),
      ...controlledQuery,
      ...completionParameters,
    },
    body: jsonBody(partial(Subscription)),
    fails: [
      ...changeErrors,
      ...addOnErrors,
      'SUBSCRIPTION_CHANGE_AO_MAX_PLAN_ALLOWED_BY_BUNDLE',
      'COMPLETION_TIMEOUT',
      ...controlledErrors,
      ...redemptionErrors,
    ],
    async handle(call) {
      const { billing, context, query, body } = call;
      checkCoupons(call.user, [body]);
      const { subscriptionId } = call.params;
      checkPriceListNamed(body);
      await checkFixedFields(call, subscriptionId, body);
      const { requestedDate, billingPolicy } = query;
      const change = { ...body, requestedDate, billingPolicy };
      const changed = await billing.subscriptions.changePlan(context, subscriptionId, change);
      await waitForCompletion(call, {
        accountId: changed.accountId,
        done: `The plan of subscription ${subscriptionId} was changed`,
        billingEffect: changed.effective.at,
        defaultSecInK: DEFAULT_WAIT_SEC_IN_K,
      });
    },
  }),
  tenantRoute('undoChangeSubscriptionPlan', 'PUT /subscriptions/{subscriptionId}/undoChangePlan', {
    summary: 'Cancel all pending plan changes',
    permission: 'entitlement:change_plan',
    query: controlledQuery,
    fails: ['SUBSCRIPTION_UNDO_CHANGE_BAD_STATE', ...controlledErrors],
    handle: ({ billing, context, params }) =>
      billing.subscriptions.undoChangePlan(context, params.subscriptionId),
  }),
  tenantRoute('cancelSubscriptionPlan', 'DELETE /subscriptions/{subscriptionId}', {
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
      'SUBSCRIPTION_INVALID_REQUESTED_DATE',
      'SUBSCRIPTION_CANCEL_BAD_STATE',
      'COMPLETION_TIMEOUT',
      ...controlledErrors,
    ],
    async handle(call) {
      const { billing, context, query } = call;
      const { subscriptionId } = call.params;
      // Without this policy, the library would end the service when billing ends (subscriptions §9 rule 10).
      const request = { ...query, defaultEntitlementPolicy: EntitlementActionPolicy.IMMEDIATE };
      const { accountId, billingEnd } = await billing.subscriptions.cancel(context, subscriptionId, request);
      await waitForCompletion(call, {
        accountId,
        done: `Subscription ${subscriptionId} was canceled`,
        billingEffect: billingEnd.at,
        defaultSecInK: DEFAULT_CANCEL_WAIT_SEC_IN_K,
      });
    },
  }),
  tenantRoute('uncancelSubscriptionPlan', 'PUT /subscriptions/{subscriptionId}/uncancel', {
    summary: 'Undo a cancellation before billing ends',
    permission: 'entitlement:cancel',
    query: controlledQuery,
    fails: ['SUBSCRIPTION_UNCANCEL_BAD_STATE', 'ENTITLEMENT_UNCANCEL_BAD_STATE', ...controlledErrors],
    handle: ({ billing, context, params }) => billing.subscriptions.uncancel(context, params.subscriptionId),
  }),
  tenantRoute('updateSubscriptionBCD', 'PUT /subscriptions/{subscriptionId}/bcd', {
    ...update,
    summary: 'Set the bill cycle day of a subscription',
    query: { effectiveFromDate: moment, forceNewBcdWithPastEffectiveDate: flag() },
    async handle(call) {
      const { billing, context, params, query, body } = call;
      await checkFixedFields(call, params.subscriptionId, body);
      await billing.subscriptions.changeBillCycleDay(context, params.subscriptionId, {
        billCycleDayLocal: body.billCycleDayLocal,
        effectiveFromDate: query.effectiveFromDate,
        allowPastDate: query.forceNewBcdWithPastEffectiveDate,
      });
    },
  }),
  tenantRoute('updateSubscriptionQuantity', 'PUT /subscriptions/{subscriptionId}/quantity', {
    ...update,
    summary: 'Set the quantity of a subscription',
    query: { effectiveFromDate: moment, forceNewQuantityWithPastEffectiveDate: flag() },
    async handle(call) {
      const { billing, context, params, query, body } = call;
      await checkFixedFields(call, params.subscriptionId, body);
      await billing.subscriptions.changeQuantity(context, params.subscriptionId, {
        quantity: body.quantity,
        effectiveFromDate: query.effectiveFromDate,
        allowPastDate: query.forceNewQuantityWithPastEffectiveDate,
      });
    },
  }),
];

/** Checks that the call names the price list, which HTTP requires (subscriptions §7 rule 1). */
function checkPriceListNamed(body: Pick<ChangePlanRequest, 'planName' | 'priceList'>): void {
  if (body.planName || body.priceList) return;
  const message = 'SubscriptionJson priceList needs to be set when no planName is specified';
  throw invalidField(message, { field: 'priceList' });
}

const fixedFields = ['accountId', 'bundleId', 'externalKey', 'bundleExternalKey', 'productCategory'] as const;

/**
 * Rejects changes to fields that cannot change (json-models §16 rule 1).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) or SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082).
 */
async function checkFixedFields(
  { billing, context }: { readonly billing: Billing; readonly context: CallContext },
  subscriptionId: Uuid,
  body: Pick<RequestOf<typeof Subscription.fields>, (typeof fixedFields)[number]>,
): Promise<void> {
  const sent = fixedFields.filter((field) => Boolean(body[field]));
  if (sent.length === 0) return;
  const stored = await billing.getSubscription(context, subscriptionId);
  const field = sent.find((each) => body[each] !== stored[each]);
  if (field === undefined) return;
  const kept = `subscription ${subscriptionId} has ${stored[field]}`;
  throw invalidField(`SubscriptionJson ${field} cannot be changed: ${kept}`, { field, subscriptionId });
}
