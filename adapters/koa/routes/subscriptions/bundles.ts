import { BcdTransfer } from '../../../../lib/ports/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { Dialect } from '../../dialect.ts';
import { Bundle, BundleKey, BundleTransfer } from '../../models/subscription.ts';
import { created, json, longJson } from '../../routing/answer.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { choice, flag, moment, pageParameters, plainText, required } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { auditParameter } from '../objects/audit.ts';
import { bundlePage, bundlesJson } from './bundle-answers.ts';
import { TransferPolicy } from './chosen-policies.ts';
import { controlledErrors, controlledQuery } from './entitlement-plugins.ts';

const paged = {
  query: { ...pageParameters, ...auditParameter },
  success: { status: 200, body: listOf(Bundle), paged: true },
} as const;

/** Bundles of the whole tenant (http-api §13). */
export const bundleRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/bundles/pagination',
    operationId: 'getBundles',
    summary: 'List bundles, without prices',
    permission: 'NONE',
    ...paged,
    async handle(call) {
      return bundlePage(call, await call.billing.outlines.page(call.context, call.query));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/bundles/search/{searchKey}',
    operationId: 'searchBundles',
    summary: 'Search bundles by id, account id or external key, or by clauses (_q=1&…), without prices',
    permission: 'NONE',
    ...paged,
    async handle(call) {
      const { billing, context, params, query } = call;
      return bundlePage(call, await billing.outlines.search(context, params.searchKey, query));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/bundles',
    operationId: 'getBundleByKey',
    summary: 'Get the bundle that holds an external key, or all that ever carried it',
    permission: 'NONE',
    query: { externalKey: required(plainText), includedDeleted: flag(), ...auditParameter },
    success: { status: 200, body: listOf(Bundle) },
    fails: [ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_KEY, ErrorCode.ANSWER_TOO_LARGE],
    async handle(call) {
      const { outlines } = call.billing;
      const { externalKey, includedDeleted } = call.query;
      const bundles = includedDeleted
        ? await outlines.allOfKey(call.context, externalKey)
        : await outlines.bundleByKey(call.context, externalKey);
      return longJson(await bundlesJson(call, bundles));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/bundles/{bundleId}',
    operationId: 'getBundle',
    summary: 'Get a bundle by id',
    permission: 'NONE',
    query: auditParameter,
    success: { status: 200, body: Bundle },
    fails: [ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID, ErrorCode.ANSWER_TOO_LARGE],
    async handle(call) {
      const bundle = await call.billing.outlines.bundle(call.context, call.params.bundleId);
      const [only] = await bundlesJson(call, bundle);
      return json(only);
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/bundles/{bundleId}',
    operationId: 'transferBundle',
    summary: 'Transfer the running subscriptions of a bundle to another account',
    permission: 'entitlement:transfer',
    query: {
      requestedDate: moment,
      billingPolicy: choice(TransferPolicy, TransferPolicy.END_OF_TERM),
      bcdTransfer: choice(BcdTransfer, BcdTransfer.USE_EXISTING),
      ...controlledQuery,
    },
    body: jsonBody(BundleTransfer),
    success: { status: 201, location: '/bundles/{bundleId}' },
    fails: [
      ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
      ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID,
      ErrorCode.SUBSCRIPTION_INVALID_SUBSCRIPTION_ID,
      ErrorCode.SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS,
      ErrorCode.SUBSCRIPTION_EXTERNAL_KEY_EXISTS,
      ErrorCode.CATALOG_PLAN_NOT_FOUND,
      ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY,
      ...controlledErrors,
    ],
    async handle({ billing, context, dialect, params, query, body }) {
      const ignoresEnded = dialect === Dialect.K;
      const request = { ...body, ...query, ignoresEnded };
      const bundleId = await billing.bundles.transfer(context, params.bundleId, request);
      return created(`/bundles/${bundleId}`);
    },
  }),
  tenantRoute({
    method: 'PUT',
    path: '/1.0/kb/bundles/{bundleId}/renameKey',
    operationId: 'renameExternalKey',
    summary: 'Give a bundle another external key',
    permission: 'entitlement:create',
    query: controlledQuery,
    body: jsonBody(BundleKey),
    fails: [
      ErrorCode.SUBSCRIPTION_GET_INVALID_BUNDLE_ID,
      ErrorCode.SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS,
      ErrorCode.EXTERNAL_KEY_LIMIT_EXCEEDED,
      ...controlledErrors,
    ],
    handle: ({ billing, context, params, body }) =>
      billing.bundles.renameKey(context, params.bundleId, body.externalKey),
  }),
];
