import { AuditLevel } from '../../../../lib/audit/index.ts';
import type { SubscriptionOutline } from '../../../../lib/subscriptions/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { auditedIdsOfSubscription, Subscription } from '../../models/subscription.ts';
import { type Answer, created, json } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { plainText, required } from '../../wire/query.ts';
import { type AuditedCall, auditParameter, renderingOf } from '../objects/audit.ts';
import { DEFAULT_WAIT_SEC_IN_K, waitForCompletion } from './call-completion.ts';
import { creationErrors, creationQuery } from './subscription-creation.ts';

export const subscriptionRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/subscriptions',
    operationId: 'createSubscription',
    summary: 'Create a subscription, in a new bundle or in an existing one',
    permission: 'entitlement:create',
    query: creationQuery,
    body: jsonBody(Subscription),
    success: { status: 201, location: '/subscriptions/{subscriptionId}' },
    fails: creationErrors,
    async handle(call) {
      const { billing, context, body, query } = call;
      const { subscriptionId } = await billing.createSubscription(context, body, query);
      if (query.callCompletion) {
        const { accountId, billingStart } = await billing.getSubscription(context, subscriptionId);
        await waitForCompletion(call, {
          accountId,
          done: `Subscription ${subscriptionId} is created`,
          billingEffect: billingStart?.at ?? null,
          defaultSecInK: DEFAULT_WAIT_SEC_IN_K,
        });
      }
      return created(`/subscriptions/${subscriptionId}`);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/subscriptions',
    operationId: 'getSubscriptionByKey',
    summary: 'Get a subscription by its external key',
    permission: 'NONE',
    query: { externalKey: required(plainText), ...auditParameter },
    success: { status: 200, body: Subscription },
    fails: [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY, ErrorCode.ANSWER_TOO_LARGE],
    async handle(call) {
      return subscriptionAnswer(
        call,
        await call.billing.outlines.subscriptionByKey(call.context, call.query.externalKey),
      );
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/subscriptions/{subscriptionId}',
    operationId: 'getSubscription',
    summary: 'Get a subscription by id',
    permission: 'NONE',
    query: auditParameter,
    success: { status: 200, body: Subscription },
    fails: [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID, ErrorCode.ANSWER_TOO_LARGE],
    async handle(call) {
      return subscriptionAnswer(
        call,
        await call.billing.outlines.subscription(call.context, call.params.subscriptionId),
      );
    },
  }),
];

async function subscriptionAnswer(call: AuditedCall, subscription: SubscriptionOutline): Promise<Answer> {
  const isAudited = call.query.audit !== AuditLevel.NONE;
  const rendering = await renderingOf(call, isAudited ? auditedIdsOfSubscription(subscription) : []);
  return json(Subscription.write(subscription, rendering));
}
