import {
  type PriceList as CatalogPriceList,
  type Catalog as CatalogValue,
  type CatalogVersion,
  catalogXmlTextSteps,
} from '../../../../lib/catalog/index.ts';
import type { PlanInForce } from '../../../../lib/subscriptions/index.ts';
import { Dialect } from '../../dialect.ts';
import {
  Catalog,
  CatalogValidation,
  Phase,
  Plan,
  PlanDetail,
  PriceList,
  Product,
  SimplePlan,
  shownPlan,
} from '../../models/catalog.ts';
import { CatalogChangeReport, changeReportJson } from '../../models/catalog-change-report.ts';
import type { Answer } from '../../routing/answer.ts';
import type { Shown } from '../../routing/audited.ts';
import { jsonBody, XML_TYPES, xmlBody } from '../../routing/body.ts';
import { type Route, type TenantCall, tenantRoute } from '../../routing/route.ts';
import { slicesUntil } from '../../routing/slices.ts';
import { instantParameter, moment, plainText, requiredParameter, uuidParameter } from '../../wire/query.ts';
import { timestamp } from '../../wire/scalars.ts';
import { listOf, renderingWithoutAudit } from '../../wire/wire-type.ts';

// With `accountId`, the routes use the account's own catalog if it has one (catalog §15.6, §16).
const accountQuery = { accountId: uuidParameter };
const query = { requestedDate: instantParameter, ...accountQuery };

const upload: Parameters<typeof tenantRoute<'POST /', Record<never, never>, Uint8Array>>[2] = {
  summary: 'Add all versions of an XML document to the catalog, or none if one is invalid',
  permission: 'catalog:config_upload',
  body: xmlBody,
  creates: '/catalog',
  fails: ['CATALOG_INVALID_FOR_TENANT'],
  handle: ({ billing, context, body }) => billing.uploadCatalog(context, body),
};

export const catalogRoutes: readonly Route[] = [
  tenantRoute('getCatalogJson', 'GET /catalog', {
    summary:
      'Get the catalog version in force now or on a date, as JSON or XML; in dialect K without a date, all versions',
    query,
    success: { status: 200, body: listOf(Catalog), mediaTypes: ['application/json', ...XML_TYPES] },
    async handle(call) {
      const { catalog, versions } = await requestedVersions(call);
      if (call.mediaType !== 'application/json') return xmlAnswer(call, catalog, versions);
      return { json: versions.map((version) => Catalog.write(version, renderingWithoutAudit(call.dialect))) };
    },
  }),
  tenantRoute('getCatalogXml', 'GET /catalog/xml', {
    summary:
      'Get the catalog version in force now or on a date, as XML; in dialect K without a date, all versions',
    query,
    success: { status: 200, mediaTypes: XML_TYPES },
    async handle(call) {
      const { catalog, versions } = await requestedVersions(call);
      return xmlAnswer(call, catalog, versions);
    },
  }),
  tenantRoute('uploadCatalogXmlOriginal', 'POST /catalog', upload),
  tenantRoute('uploadCatalogXml', 'POST /catalog/xml', upload),
  tenantRoute('validateCatalogXml', 'POST /catalog/xml/validate', {
    summary: 'Validate an XML catalog without storing it, returning all errors and, in dialect D, warnings',
    permission: 'NONE',
    changesNothing: true,
    body: xmlBody,
    shows: CatalogValidation,
    handle: ({ billing, context, body }) => billing.catalogs.validate(context, body),
  }),
  tenantRoute('getCatalogVersions', 'GET /catalog/versions', {
    summary: 'List the effective dates of all versions, oldest first',
    query: accountQuery,
    shows: listOf(timestamp),
    async handle({ billing, context, query: { accountId } }) {
      const { versions } = await billing.catalogs.current(context, accountId);
      return versions.map((version) => version.effectiveDate);
    },
  }),
  tenantRoute('deleteCatalog', 'DELETE /catalog', {
    summary: 'Delete all catalog versions, if no subscription uses their plans',
    permission: 'catalog:delete',
    fails: ['CATALOG_INVALID_FOR_TENANT'],
    handle: ({ billing, context }) => billing.catalogs.delete(context),
  }),
  tenantRoute('addSimplePlan', 'POST /catalog/simplePlan', {
    summary:
      'Add a plan with one recurring price, or add a currency to such a plan, in the current and all later versions',
    permission: 'catalog:config_upload',
    body: jsonBody(SimplePlan),
    creates: '/catalog',
    fails: ['CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR', 'CATALOG_INVALID_FOR_TENANT'],
    handle: ({ billing, context, body }) => billing.catalogs.addSimplePlan(context, body),
  }),
  tenantRoute('getAvailableBasePlans', 'GET /catalog/availableBasePlans', {
    summary: 'List the base plans that can be bought now, once per price list',
    query: accountQuery,
    shows: listOf(PlanDetail),
    handle: ({ billing, context, query }) => billing.catalogs.availableBasePlans(context, query),
  }),
  tenantRoute('getAvailableAddons', 'GET /catalog/availableAddons', {
    summary: 'List the add-on plans that can be bought now for a base product',
    query: { baseProductName: plainText, priceListName: plainText, ...accountQuery },
    shows: listOf(PlanDetail),
    handle: ({ billing, context, query: { baseProductName, ...request } }) =>
      billing.catalogs.availableAddOns(context, { baseProductName: baseProductName ?? '', ...request }),
  }),
];

type CatalogCall = Pick<
  TenantCall<string, typeof query, null>,
  'billing' | 'context' | 'dialect' | 'query' | 'wanted'
>;

/**
 * Returns the catalog with the requested versions (catalog §12 rule 1), or null if the tenant has none of these
 * versions.
 */
async function requestedVersions({
  billing,
  context,
  dialect,
  query: { requestedDate, accountId },
}: CatalogCall) {
  const catalog = await billing.catalogs.current(context, accountId);
  const isWhole = catalog.versions.length === 0 || (requestedDate === null && dialect === Dialect.K);
  const versions = isWhole
    ? catalog.versions
    : [catalog.resolveVersion(requestedDate ?? context.createdDate)];
  return { catalog, versions };
}

async function xmlAnswer(
  { wanted, dialect }: CatalogCall,
  catalog: CatalogValue,
  versions: readonly CatalogVersion[],
): Promise<Answer> {
  const withFeatures = dialect === Dialect.D;
  return { text: await slicesUntil(wanted)(catalogXmlTextSteps(catalog, versions, { withFeatures })) };
}

/** Routes that read the catalog (catalog §12 rule 5) or check a catalog before it is uploaded. */
export const catalogReadRoutes: readonly Route[] = [
  subscriptionRoute('getPlanForSubscriptionAndDate', 'plan', {
    shows: Plan,
    view: ({ version, plan }) => shownPlan(plan, version),
  }),
  subscriptionRoute('getPhaseForSubscriptionAndDate', 'phase', {
    shows: Phase,
    view: ({ phase }) => phase,
  }),
  subscriptionRoute('getProductForSubscriptionAndDate', 'product', {
    shows: Product,
    // The product's plans are omitted (json-models §5).
    view: ({ version, plan }) => ({ ...version.findProduct(plan.product), plans: [] }),
  }),
  subscriptionRoute('getPriceListForSubscriptionAndDate', 'priceList', {
    shows: PriceList,
    view: priceListOf,
  }),
  tenantRoute('reportCatalogChanges', 'POST /catalog/xml/changeReport', {
    summary: 'Show which live subscriptions an XML catalog would change in price, without storing it',
    permission: 'catalog:config_upload',
    changesNothing: true,
    body: xmlBody,
    success: { status: 200, body: CatalogChangeReport },
    fails: ['CATALOG_INVALID_FOR_TENANT'],
    async handle({ billing, context, body, dialect }) {
      const parts = await billing.catalogs.changeReport(context, body);
      return { jsonPieces: changeReportJson(parts, renderingWithoutAudit(dialect)) };
    },
  }),
];

/** Returns the chosen price list. If that list is retired, returns the first list that contains the plan. */
function priceListOf({ version, plan, priceListName }: PlanInForce): CatalogPriceList {
  const chosen = version.allPriceLists.find(({ name }) => name === priceListName);
  return chosen ?? version.findPriceList(version.priceListOf(plan));
}

function subscriptionRoute(
  operationId: string,
  path: 'plan' | 'phase' | 'product' | 'priceList',
  { view, shows }: Pick<Shown, 'shows'> & { readonly view: (inForce: PlanInForce) => unknown },
): Route {
  return tenantRoute(operationId, `GET /catalog/${path}`, {
    summary: `Get the ${path === 'priceList' ? 'price list' : path} of a subscription, now or at a date`,
    query: { subscriptionId: requiredParameter(uuidParameter), requestedDate: moment },
    shows,
    fails: ['SUBSCRIPTION_INVALID_REQUESTED_DATE'],
    handle: async ({ billing, context, query }) => view(await billing.subscriptions.planAt(context, query)),
  });
}
