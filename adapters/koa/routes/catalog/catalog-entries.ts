import {
  CatalogInfo,
  CatalogInputData,
  PhaseData,
  PlanData,
  ProductData,
} from '../../models/catalog-entry.ts';
import { jsonBody, jsonListBody } from '../../routing/body.ts';
import { pluginRoute, type Route } from '../../routing/route.ts';
import { consent, flag, instantParameter, uuidParameter } from '../../wire/query.ts';
import { listOf } from '../../wire/wire-type.ts';

const base = '/catalog';
/** `accountId` selects the entries of an account. By default, the tenant's entries are selected. */
const query = { accountId: uuidParameter };
const creation = {
  permission: 'catalog:config_upload',
  query,
  success: { status: 201 },
  fails: ['CATALOG_ENTRY_PRODUCT_UNKNOWN', 'CATALOG_ENTRY_SCOPE_MISMATCH', 'CATALOG_ENTRY_INVALID_ENTRY'],
} as const;
const deletion = {
  permission: 'catalog:delete',
  success: { status: 200 },
  fails: ['CATALOG_ENTRY_FORCE_REQUIRED', 'CATALOG_ENTRY_INVALID_ENTRY', 'CATALOG_ENTRY_ENTRY_IN_USE'],
} as const;

/** Routes for single plans and products. They require no catalog upload (catalog §15). */
export const catalogEntryRoutes: readonly Route[] = [
  pluginRoute('listProducts', `GET ${base}/product/all`, {
    summary: 'List the products added as catalog entries',
    query,
    shows: listOf(ProductData),
    handle: ({ billing, context, query }) => billing.catalogEntries.products(context, query),
  }),
  pluginRoute('listPlansOfProduct', `GET ${base}/{productName}/plansPerProduct`, {
    summary: "List all versions of a product's plans, including retired plans",
    query,
    shows: listOf(PlanData),
    handle: ({ billing, context, params: { productName }, query }) =>
      billing.catalogEntries.plansOfProduct(context, productName, query),
  }),
  pluginRoute('deleteProduct', `DELETE ${base}/product/{productName}/deleteProduct`, {
    ...deletion,
    summary:
      'Permanently delete a product, removing its plans from the catalog; deleteAllPlans also deletes the plans',
    query: { ...query, force: consent, deleteAllPlans: flag() },
    handle: ({ billing, context, params: { productName }, query }) =>
      billing.catalogEntries.deleteProduct(context, productName, query),
  }),
  pluginRoute('createCatalogEntries', `POST ${base}/inputData`, {
    ...creation,
    summary: 'Create plans, products and price lists, returning existing ones unchanged',
    body: jsonBody(CatalogInputData),
    shows: CatalogInputData,
    handle: ({ billing, context, query, body }) => billing.catalogEntries.create(context, body, query),
  }),
  pluginRoute('createPlan', `POST ${base}/plan`, {
    ...creation,
    summary: 'Create a plan for an existing product, or return the existing plan unchanged',
    body: jsonBody(PlanData),
    shows: PlanData,
    handle: ({ billing, context, query, body }) => billing.catalogEntries.createPlan(context, body, query),
  }),
  pluginRoute('listPlans', `GET ${base}/plan/all`, {
    summary: 'List all versions of the plans added as catalog entries, including retired plans',
    query,
    shows: listOf(PlanData),
    handle: ({ billing, context, query }) => billing.catalogEntries.plans(context, query),
  }),
  pluginRoute('getLatestPlan', `GET ${base}/{planName}/plan`, {
    summary: 'Get the latest version of a plan',
    query,
    shows: PlanData,
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.latestPlan(context, planName, query),
  }),
  pluginRoute('updatePlan', `PUT ${base}/{planName}/updatePlan`, {
    summary: 'Change the prices of a plan from a date',
    permission: 'catalog:config_upload',
    query: { ...query, effDate: instantParameter, effectiveDateForExistingSubscriptions: instantParameter },
    body: jsonListBody(PhaseData, PhaseData.name),
    shows: PlanData,
    success: { status: 201 },
    fails: ['CATALOG_ENTRY_INVALID_ENTRY'],
    handle({ billing, context, params: { planName }, query, body: phases }) {
      const { effDate: effectiveDate, ...dates } = query;
      return billing.catalogEntries.updatePlan(context, planName, { ...dates, effectiveDate, phases });
    },
  }),
  pluginRoute('retirePlan', `DELETE ${base}/{planName}/retirePlan`, {
    summary: 'Retire a plan; existing subscriptions keep it',
    permission: 'catalog:config_upload',
    query,
    success: { status: 200 },
    fails: ['CATALOG_ENTRY_INVALID_ENTRY'],
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.retirePlan(context, planName, query),
  }),
  pluginRoute('deletePlan', `DELETE ${base}/{planName}/deletePlan`, {
    ...deletion,
    summary: 'Permanently delete the latest version of a plan, or all versions with allVersions',
    query: { ...query, force: consent, allVersions: flag() },
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.deletePlan(context, planName, query),
  }),
  pluginRoute('getCatalogInfo', `GET ${base}/info`, {
    summary: 'Get the source of the catalog: entries or a plugin, an XML catalog, or none yet',
    query,
    shows: CatalogInfo,
    handle: async ({ billing, context, query }) => ({
      state: await billing.catalogEntries.state(context, query),
    }),
  }),
];
