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
/** Default: the tenant's entries. */
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

/** Single plans and products, without uploading a catalog (catalog §15). */
export const catalogEntryRoutes: readonly Route[] = [
  pluginRoute('listProducts', `GET ${base}/product/all`, {
    summary: 'Get all products that were added one by one',
    query,
    shows: listOf(ProductData),
    handle: ({ billing, context, query }) => billing.catalogEntries.products(context, query),
  }),
  pluginRoute('listPlansOfProduct', `GET ${base}/{productName}/plansPerProduct`, {
    summary: 'Get the plans of a product, each as often as it was changed, retired ones included',
    query,
    shows: listOf(PlanData),
    handle: ({ billing, context, params: { productName }, query }) =>
      billing.catalogEntries.plansOfProduct(context, productName, query),
  }),
  pluginRoute('deleteProduct', `DELETE ${base}/product/{productName}/deleteProduct`, {
    ...deletion,
    summary:
      'Delete a product for good; its plans leave the catalog, and with deleteAllPlans are deleted too',
    query: { ...query, force: consent, deleteAllPlans: flag() },
    handle: ({ billing, context, params: { productName }, query }) =>
      billing.catalogEntries.deleteProduct(context, productName, query),
  }),
  pluginRoute('createCatalogEntries', `POST ${base}/inputData`, {
    ...creation,
    summary: 'Create plans, products and price lists; those that exist are returned as they are stored',
    body: jsonBody(CatalogInputData),
    shows: CatalogInputData,
    handle: ({ billing, context, query, body }) => billing.catalogEntries.create(context, body, query),
  }),
  pluginRoute('createPlan', `POST ${base}/plan`, {
    ...creation,
    summary: 'Create a plan of an existing product; one that exists is returned as it is stored',
    body: jsonBody(PlanData),
    shows: PlanData,
    handle: ({ billing, context, query, body }) => billing.catalogEntries.createPlan(context, body, query),
  }),
  pluginRoute('listPlans', `GET ${base}/plan/all`, {
    summary:
      'Get all plans that were added one by one, each as often as it was changed, retired ones included',
    query,
    shows: listOf(PlanData),
    handle: ({ billing, context, query }) => billing.catalogEntries.plans(context, query),
  }),
  pluginRoute('getLatestPlan', `GET ${base}/{planName}/plan`, {
    summary: 'Get a plan as it was changed last',
    query,
    shows: PlanData,
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.latestPlan(context, planName, query),
  }),
  pluginRoute('updatePlan', `PUT ${base}/{planName}/updatePlan`, {
    summary: 'Give a plan new prices from a date on',
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
    summary: 'Sell a plan no longer; subscriptions that run on it keep it',
    permission: 'catalog:config_upload',
    query,
    success: { status: 200 },
    fails: ['CATALOG_ENTRY_INVALID_ENTRY'],
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.retirePlan(context, planName, query),
  }),
  pluginRoute('deletePlan', `DELETE ${base}/{planName}/deletePlan`, {
    ...deletion,
    summary: 'Delete the last change of a plan, or with allVersions all of the plan, for good',
    query: { ...query, force: consent, allVersions: flag() },
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.deletePlan(context, planName, query),
  }),
  pluginRoute('getCatalogInfo', `GET ${base}/info`, {
    summary: 'Tell where the catalog comes from: entries or a plugin, an XML catalog, or nothing yet',
    query,
    shows: CatalogInfo,
    handle: async ({ billing, context, query }) => ({
      state: await billing.catalogEntries.state(context, query),
    }),
  }),
];
