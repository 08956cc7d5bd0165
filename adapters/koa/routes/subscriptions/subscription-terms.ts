import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Subscription } from '../../models/subscription.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { partial } from '../../wire/model.ts';
import { flag, moment } from '../../wire/query.ts';
import { checkFixedFields } from './fixed-fields.ts';

const PATH = '/1.0/kb/subscriptions/{subscriptionId}';

/** Bill cycle day and quantity of a subscription (http-api §13). */
export const subscriptionTermsRoutes: readonly Route[] = [
  tenantRoute({
    method: 'PUT',
    path: `${PATH}/bcd`,
    operationId: 'updateSubscriptionBCD',
    summary: 'Give a subscription a bill cycle day of its own',
    permission: 'entitlement:create',
    query: { effectiveFromDate: moment, forceNewBcdWithPastEffectiveDate: flag() },
    body: jsonBody(partial(Subscription)),
    fails: [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID, ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE],
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
  tenantRoute({
    method: 'PUT',
    path: `${PATH}/quantity`,
    operationId: 'updateSubscriptionQuantity',
    summary: 'Set the quantity of a subscription',
    permission: 'entitlement:create',
    query: { effectiveFromDate: moment, forceNewQuantityWithPastEffectiveDate: flag() },
    body: jsonBody(partial(Subscription)),
    fails: [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID, ErrorCode.SUBSCRIPTION_CHANGE_NON_ACTIVE],
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
