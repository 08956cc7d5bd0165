import type { AuditLevel } from '../../../lib/audit/service.ts';
import type { Billing } from '../../../lib/billing.ts';
import type { CallContext } from '../../../lib/context.ts';
import { ErrorCode } from '../../../lib/errors/index.ts';
import type { SubscriptionView } from '../../../lib/subscriptions/views.ts';
import type { Dialect } from '../dialect.ts';
import { auditedIdsOfSubscription, Subscription, subscriptionJson } from '../models/subscription.ts';
import { type Answer, created, json } from '../routing/answer.ts';
import { jsonBody } from '../routing/body.ts';
import { type Route, tenantRoute } from '../routing/route.ts';
import { flag, moment, plainText, required } from '../wire/query.ts';
import { auditOf, auditParameter } from './audit.ts';
import { completionParameters, DEFAULT_WAIT_SEC_IN_K, waitForCompletion } from './call-completion.ts';

const area = 'subscriptions';

export const subscriptionRoutes: readonly Route[] = [
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/subscriptions',
    operationId: 'createSubscription',
    area,
    summary: 'Create a subscription, in a new bundle or in an existing one',
    permission: 'entitlement:create',
    query: {
      entitlementDate: moment,
      billingDate: moment,
      renameKeyIfExistsAndUnused: flag(true),
      migrated: flag(),
      ...completionParameters,
    },
    body: jsonBody(Subscription),
    success: { status: 201, location: '/subscriptions/{subscriptionId}' },
    fails: [
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
      ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE,
      ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
      ErrorCode.SUBSCRIPTION_CREATE_BP_EXISTS,
      ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
      ErrorCode.CATALOG_NO_SUCH_PLAN,
      ErrorCode.CATALOG_NO_SUCH_PRODUCT,
      ErrorCode.CATALOG_PLAN_NOT_FOUND,
      ErrorCode.CATALOG_PRICE_LIST_NOT_FOUND,
      ErrorCode.CATALOG_NO_CATALOG_FOR_GIVEN_DATE,
      ErrorCode.CATALOG_INVALID_PRICE_OVERRIDE,
      ErrorCode.COMPLETION_TIMEOUT,
    ],
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
    area,
    summary: 'Get a subscription by its external key',
    permission: 'NONE',
    query: { externalKey: required(plainText), ...auditParameter },
    success: { status: 200, body: Subscription },
    fails: [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY],
    async handle(call) {
      return subscriptionAnswer(
        call,
        await call.billing.subscriptions.getByKey(call.context, call.query.externalKey),
      );
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/subscriptions/{subscriptionId}',
    operationId: 'getSubscription',
    area,
    summary: 'Get a subscription by id',
    permission: 'NONE',
    query: auditParameter,
    success: { status: 200, body: Subscription },
    fails: [ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID],
    async handle(call) {
      return subscriptionAnswer(
        call,
        await call.billing.getSubscription(call.context, call.params.subscriptionId),
      );
    },
  }),
];

async function subscriptionAnswer(
  call: {
    readonly billing: Billing;
    readonly context: CallContext;
    readonly dialect: Dialect;
    readonly query: { readonly audit: AuditLevel };
  },
  view: SubscriptionView,
): Promise<Answer> {
  const audit = await auditOf(call, auditedIdsOfSubscription(view));
  return json(subscriptionJson(view, { dialect: call.dialect, audit }));
}
