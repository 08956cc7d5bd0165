import { BcdTransfer } from '../../../../lib/ports/index.ts';
import { BillingActionPolicy } from '../../../../lib/records/index.ts';
import type { BundleOutline, BundleWindow, OutlinePage } from '../../../../lib/subscriptions/index.ts';
import { Dialect } from '../../dialect.ts';
import { Bundle, BundleKey, BundleTransfer } from '../../models/subscription.ts';
import type { Answer } from '../../routing/answer.ts';
import { type AuditedCall, auditParameter, loadRendering } from '../../routing/audited.ts';
import { jsonBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { type LazyList, lazyList } from '../../wire/json-pieces.ts';
import {
  flag,
  moment,
  optionalChoice,
  pageParameters,
  plainText,
  requiredParameter,
  uuidList,
} from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';
import { controlledErrors, controlledQuery } from './call-completion.ts';

/** Policies that callers may choose. ILLEGAL is excluded, because it only marks forbidden actions in catalogs. */
const { ILLEGAL: _ILLEGAL, ...ChosenPolicy } = BillingActionPolicy;

export { ChosenPolicy };

/** See subscriptions §17.4. */
const { START_OF_TERM: _START_OF_TERM, ...TransferPolicy } = ChosenPolicy;

const bundlePages = {
  query: { ...pageParameters, ...auditParameter },
  success: { status: 200, body: listOf(Bundle), paged: true },
} as const;

export const bundleRoutes: readonly Route[] = [
  tenantRoute('getAccountBundles', 'GET /accounts/{accountId}/bundles', {
    area: 'bundles',
    summary: 'List the bundles of an account with their subscriptions',
    query: { externalKey: plainText, bundlesFilter: uuidList, ...auditParameter },
    success: { status: 200, body: listOf(Bundle) },
    fails: ['ANSWER_TOO_LARGE'],
    async handle(call) {
      const { externalKey, bundlesFilter } = call.query;
      const bundles = await call.billing.outlines.ofAccount(call.context, call.params.accountId, {
        ...(externalKey === null ? {} : { externalKey }),
        ...(bundlesFilter.length === 0 ? {} : { bundleIds: bundlesFilter }),
      });
      return { json: await bundlesJson(call, bundles), isStreamed: true };
    },
  }),
  tenantRoute('getAccountBundlesPaginated', 'GET /accounts/{accountId}/bundles/pagination', {
    ...bundlePages,
    area: 'bundles',
    summary: 'List the bundles of an account, with pagination',
    async handle(call) {
      const { billing, context, params, query } = call;
      return bundlePage(call, await billing.outlines.pageOfAccount(context, params.accountId, query));
    },
  }),
  tenantRoute('getBundles', 'GET /bundles/pagination', {
    ...bundlePages,
    summary: 'List bundles, without prices',
    handle: async (call) => bundlePage(call, await call.billing.outlines.page(call.context, call.query)),
  }),
  tenantRoute('searchBundles', 'GET /bundles/search/{searchKey}', {
    ...bundlePages,
    summary: 'Search bundles by id, account id or external key, or by clauses (_q=1&…), without prices',
    async handle(call) {
      const { billing, context, params, query } = call;
      return bundlePage(call, await billing.outlines.search(context, params.searchKey, query));
    },
  }),
  tenantRoute('getBundleByKey', 'GET /bundles', {
    summary: 'Get the bundle with an external key, or all bundles that ever had it',
    query: { externalKey: requiredParameter(plainText), includedDeleted: flag(), ...auditParameter },
    success: { status: 200, body: listOf(Bundle) },
    fails: ['SUBSCRIPTION_GET_INVALID_BUNDLE_KEY', 'ANSWER_TOO_LARGE'],
    async handle(call) {
      const { outlines } = call.billing;
      const { externalKey, includedDeleted } = call.query;
      const bundles = includedDeleted
        ? await outlines.allOfKey(call.context, externalKey)
        : await outlines.bundleByKey(call.context, externalKey);
      return { json: await bundlesJson(call, bundles), isStreamed: true };
    },
  }),
  tenantRoute('getBundle', 'GET /bundles/{bundleId}', {
    summary: 'Get a bundle by id',
    query: auditParameter,
    success: { status: 200, body: Bundle },
    fails: ['ANSWER_TOO_LARGE'],
    async handle(call) {
      const [only] = await bundlesJson(
        call,
        await call.billing.outlines.bundle(call.context, call.params.bundleId),
      );
      return { json: only };
    },
  }),
  tenantRoute('transferBundle', 'POST /bundles/{bundleId}', {
    summary: 'Transfer the active subscriptions of a bundle to another account',
    permission: 'entitlement:transfer',
    query: {
      requestedDate: moment,
      billingPolicy: optionalChoice(TransferPolicy, TransferPolicy.END_OF_TERM),
      bcdTransfer: optionalChoice(BcdTransfer, BcdTransfer.USE_EXISTING),
      ...controlledQuery,
    },
    body: jsonBody(BundleTransfer),
    creates: '/bundles/{bundleId}',
    fails: [
      'ACCOUNT_DOES_NOT_EXIST_FOR_ID',
      'SUBSCRIPTION_INVALID_SUBSCRIPTION_ID',
      'SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS',
      'SUBSCRIPTION_EXTERNAL_KEY_EXISTS',
      'CATALOG_PLAN_NOT_FOUND',
      'CATALOG_NO_PRICE_FOR_CURRENCY',
      ...controlledErrors,
    ],
    async handle({ billing, context, dialect, params, query, body }) {
      const request = { ...body, ...query, ignoresEnded: dialect === Dialect.K };
      return { id: await billing.bundles.transfer(context, params.bundleId, request) };
    },
  }),
  tenantRoute('renameExternalKey', 'PUT /bundles/{bundleId}/renameKey', {
    summary: 'Change the external key of a bundle',
    permission: 'entitlement:create',
    query: controlledQuery,
    body: jsonBody(BundleKey),
    fails: [
      'SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS',
      'EXTERNAL_KEY_LIMIT_EXCEEDED',
      ...controlledErrors,
    ],
    handle: ({ billing, context, params, body }) =>
      billing.bundles.renameKey(context, params.bundleId, body.externalKey),
  }),
];

type BundleJson = ReturnType<typeof Bundle.write>;

function bundlePage(
  call: AuditedCall & { readonly query: { readonly offset: number; readonly limit: number } },
  { windows, returned, total, max }: OutlinePage,
): Answer {
  const { offset, limit } = call.query;
  return { jsonWindows: windowsJson(call, windows), page: { offset, limit, returned, total, max } };
}

async function* windowsJson(
  call: AuditedCall,
  windows: AsyncIterable<BundleWindow>,
): AsyncGenerator<Iterable<BundleJson>, undefined> {
  for await (const window of windows) yield bundlesJson(call, window);
}

/** Yields the JSON of bundles. Each bundle is rendered only when it is sent. */
async function bundlesJson(
  call: AuditedCall,
  { outlines, recordIds }: BundleWindow,
): Promise<LazyList<BundleJson>> {
  const rendering = await loadRendering(call, () => recordIds);
  return lazyList(outlines, (bundle: BundleOutline) => Bundle.write(bundle, rendering));
}
