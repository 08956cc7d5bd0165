import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import {
  CatalogInfo,
  CatalogInputData,
  PhaseData,
  PlanData,
  ProductData,
} from '../../models/catalog-entry.ts';
import { json } from '../../routing/answer.ts';
import { jsonBody, jsonListBody } from '../../routing/body.ts';
import { PLUGIN } from '../../routing/path.ts';
import { pluginRoute, type Route } from '../../routing/route.ts';
import { consent, flag, instantParameter, uuidParameter } from '../../wire/query.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

const base = `${PLUGIN}/catalog` as const;
/** Entries of an account or, without this parameter, of the tenant. */
const accountId = uuidParameter;
const unknownAccount = ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID;
const creationFails = [
  unknownAccount,
  ErrorCode.CATALOG_ENTRY_PRODUCT_UNKNOWN,
  ErrorCode.CATALOG_ENTRY_SCOPE_MISMATCH,
  ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
];
const deletionFails = [
  unknownAccount,
  ErrorCode.CATALOG_ENTRY_FORCE_REQUIRED,
  ErrorCode.CATALOG_ENTRY_INVALID_ENTRY,
  ErrorCode.CATALOG_ENTRY_ENTRY_IN_USE,
];

/** Single plans and products, without uploading a catalog (catalog §15). */
export const catalogEntryRoutes: readonly Route[] = [
  pluginRoute({
    method: 'GET',
    path: `${base}/product/all`,
    operationId: 'listProducts',
    summary: 'Get all products that were added one by one',
    permission: 'NONE',
    query: { accountId },
    success: { status: 200, body: listOf(ProductData) },
    fails: [unknownAccount],
    async handle({ billing, context, dialect, query }) {
      const products = await billing.catalogEntries.products(context, query);
      return json(products.map((product) => ProductData.write(product, unaudited(dialect))));
    },
  }),
  pluginRoute({
    method: 'GET',
    path: `${base}/{productName}/plansPerProduct`,
    operationId: 'listPlansOfProduct',
    summary: 'Get the plans of a product, each as often as it was changed, retired ones included',
    permission: 'NONE',
    query: { accountId },
    success: { status: 200, body: listOf(PlanData) },
    fails: [unknownAccount, ErrorCode.CATALOG_ENTRY_PRODUCT_NOT_FOUND],
    async handle({ billing, context, dialect, params: { productName }, query }) {
      const plans = await billing.catalogEntries.plansOfProduct(context, productName, query);
      return json(plans.map((plan) => PlanData.write(plan, unaudited(dialect))));
    },
  }),
  pluginRoute({
    method: 'DELETE',
    path: `${base}/product/{productName}/deleteProduct`,
    operationId: 'deleteProduct',
    summary:
      'Delete a product for good; its plans leave the catalog, and with deleteAllPlans are deleted too',
    permission: 'catalog:delete',
    query: { accountId, force: consent, deleteAllPlans: flag() },
    success: { status: 200 },
    fails: [...deletionFails, ErrorCode.CATALOG_ENTRY_PRODUCT_NOT_FOUND],
    handle: ({ billing, context, params: { productName }, query }) =>
      billing.catalogEntries.deleteProduct(context, productName, query),
  }),
  pluginRoute({
    method: 'POST',
    path: `${base}/inputData`,
    operationId: 'createCatalogEntries',
    summary: 'Create plans, products and price lists; those that exist are returned as they are stored',
    permission: 'catalog:config_upload',
    query: { accountId },
    body: jsonBody(CatalogInputData),
    success: { status: 201, body: CatalogInputData },
    fails: creationFails,
    async handle({ billing, context, dialect, query, body }) {
      const entries = await billing.catalogEntries.create(context, body, query);
      return json(CatalogInputData.write(entries, unaudited(dialect)));
    },
  }),
  pluginRoute({
    method: 'POST',
    path: `${base}/plan`,
    operationId: 'createPlan',
    summary: 'Create a plan of an existing product; one that exists is returned as it is stored',
    permission: 'catalog:config_upload',
    query: { accountId },
    body: jsonBody(PlanData),
    success: { status: 201, body: PlanData },
    fails: creationFails,
    async handle({ billing, context, dialect, query, body }) {
      const plan = await billing.catalogEntries.createPlan(context, body, query);
      return json(PlanData.write(plan, unaudited(dialect)));
    },
  }),
  pluginRoute({
    method: 'GET',
    path: `${base}/plan/all`,
    operationId: 'listPlans',
    summary:
      'Get all plans that were added one by one, each as often as it was changed, retired ones included',
    permission: 'NONE',
    query: { accountId },
    success: { status: 200, body: listOf(PlanData) },
    fails: [unknownAccount],
    async handle({ billing, context, dialect, query }) {
      const plans = await billing.catalogEntries.plans(context, query);
      return json(plans.map((plan) => PlanData.write(plan, unaudited(dialect))));
    },
  }),
  pluginRoute({
    method: 'GET',
    path: `${base}/{planName}/plan`,
    operationId: 'getLatestPlan',
    summary: 'Get a plan as it was changed last',
    permission: 'NONE',
    query: { accountId },
    success: { status: 200, body: PlanData },
    fails: [unknownAccount, ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND],
    async handle({ billing, context, dialect, params: { planName }, query }) {
      const plan = await billing.catalogEntries.latestPlan(context, planName, query);
      return json(PlanData.write(plan, unaudited(dialect)));
    },
  }),
  pluginRoute({
    method: 'PUT',
    path: `${base}/{planName}/updatePlan`,
    operationId: 'updatePlan',
    summary: 'Give a plan new prices from a date on',
    permission: 'catalog:config_upload',
    query: {
      accountId,
      effDate: instantParameter,
      effectiveDateForExistingSubscriptions: instantParameter,
    },
    body: jsonListBody(PhaseData, PhaseData.name),
    success: { status: 201, body: PlanData },
    fails: [unknownAccount, ErrorCode.CATALOG_ENTRY_INVALID_ENTRY, ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND],
    async handle({ billing, context, dialect, params: { planName }, query, body: phases }) {
      const { effDate: effectiveDate, ...dates } = query;
      const update = { ...dates, effectiveDate, phases };
      const plan = await billing.catalogEntries.updatePlan(context, planName, update);
      return json(PlanData.write(plan, unaudited(dialect)));
    },
  }),
  pluginRoute({
    method: 'DELETE',
    path: `${base}/{planName}/retirePlan`,
    operationId: 'retirePlan',
    summary: 'Sell a plan no longer; subscriptions that run on it keep it',
    permission: 'catalog:config_upload',
    query: { accountId },
    success: { status: 200 },
    fails: [unknownAccount, ErrorCode.CATALOG_ENTRY_INVALID_ENTRY, ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND],
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.retirePlan(context, planName, query),
  }),
  pluginRoute({
    method: 'DELETE',
    path: `${base}/{planName}/deletePlan`,
    operationId: 'deletePlan',
    summary: 'Delete the last change of a plan, or with allVersions all of the plan, for good',
    permission: 'catalog:delete',
    query: { accountId, force: consent, allVersions: flag() },
    success: { status: 200 },
    fails: [...deletionFails, ErrorCode.CATALOG_ENTRY_PLAN_NOT_FOUND],
    handle: ({ billing, context, params: { planName }, query }) =>
      billing.catalogEntries.deletePlan(context, planName, query),
  }),
  pluginRoute({
    method: 'GET',
    path: `${base}/info`,
    operationId: 'getCatalogInfo',
    summary: 'Tell where the catalog comes from: entries or a plugin, an XML catalog, or nothing yet',
    permission: 'NONE',
    query: { accountId },
    success: { status: 200, body: CatalogInfo },
    fails: [unknownAccount],
    async handle({ billing, context, query }) {
      return json({ state: await billing.catalogEntries.state(context, query) });
    },
  }),
];
