import {
  type Catalog as CatalogValue,
  type CatalogVersion,
  catalogXmlTextSteps,
} from '../../../../lib/catalog/index.ts';
import { ErrorCode } from '../../../../lib/values/errors/index.ts';
import { formatInstant, type Instant } from '../../../../lib/values/time/index.ts';
import { Dialect } from '../../dialect.ts';
import { Catalog, CatalogValidation, PlanDetail, SimplePlan } from '../../models/catalog.ts';
import { created, json, plain } from '../../routing/answer.ts';
import { jsonBody, xmlBody } from '../../routing/body.ts';
import { type Route, tenantRoute } from '../../routing/route.ts';
import { slicesUntil } from '../../routing/slices.ts';
import { instantParameter, plainText, uuidParameter } from '../../wire/query.ts';
import { timestamp } from '../../wire/scalars.ts';
import { listOf, unaudited } from '../../wire/wire-type.ts';

const xml = 'text/xml';
// accountId selects the account's catalog, if it has one of its own (catalog §15.6, §16).
const accountQuery = { accountId: uuidParameter };
const query = { requestedDate: instantParameter, ...accountQuery };
const readFails = [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID];

export const catalogRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/catalog',
    operationId: 'getCatalogJson',
    summary:
      'Get the catalog version in force, or that of a date, as JSON or XML; in dialect K without a date all versions',
    permission: 'NONE',
    query,
    success: { status: 200, body: listOf(Catalog), mediaTypes: ['application/json', xml, 'application/xml'] },
    fails: readFails,
    async handle({ billing, context, dialect, mediaType, wanted, query: { requestedDate, accountId } }) {
      const catalog = await billing.catalogs.current(context, accountId);
      const versions = shownVersions(catalog, { requestedDate, dialect, now: context.createdDate });
      if (mediaType !== 'application/json')
        return plain(await slicesUntil(wanted)(catalogXmlTextSteps(catalog, versions)));
      return json(versions.map((version) => Catalog.write(version, unaudited(dialect))));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/catalog/xml',
    operationId: 'getCatalogXml',
    summary:
      'Get the catalog version in force, or that of a date, as XML; in dialect K without a date all versions',
    permission: 'NONE',
    query,
    success: { status: 200, mediaTypes: [xml, 'application/xml'] },
    fails: readFails,
    async handle({ billing, context, dialect, wanted, query: { requestedDate, accountId } }) {
      const catalog = await billing.catalogs.current(context, accountId);
      const versions = shownVersions(catalog, { requestedDate, dialect, now: context.createdDate });
      return plain(await slicesUntil(wanted)(catalogXmlTextSteps(catalog, versions)));
    },
  }),
  ...(['/1.0/kb/catalog', '/1.0/kb/catalog/xml'] as const).map((path) =>
    tenantRoute({
      method: 'POST',
      path,
      operationId: path === '/1.0/kb/catalog' ? 'uploadCatalogXmlOriginal' : 'uploadCatalogXml',
      summary: 'Add the versions of an XML document to the catalog: all or nothing',
      permission: 'catalog:config_upload',
      body: xmlBody,
      success: { status: 201, location: '/catalog' },
      fails: [ErrorCode.CATALOG_INVALID_FOR_TENANT],
      async handle({ billing, context, body }) {
        await billing.uploadCatalog(context, body);
        return created('/catalog');
      },
    }),
  ),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/catalog/xml/validate',
    operationId: 'validateCatalogXml',
    summary:
      'List every error for which an upload of the XML document would be refused now, in dialect D the warnings too; nothing is stored',
    permission: 'NONE',
    changesNothing: true,
    body: xmlBody,
    success: { status: 200, body: CatalogValidation },
    async handle({ billing, context, dialect, body }) {
      const found = await billing.catalogs.validate(context, body);
      return json(CatalogValidation.write(found, unaudited(dialect)));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/catalog/versions',
    operationId: 'getCatalogVersions',
    summary: 'List the effective dates of all versions, oldest first',
    permission: 'NONE',
    query: accountQuery,
    success: { status: 200, body: listOf(timestamp) },
    fails: readFails,
    async handle({ billing, context, query: { accountId } }) {
      const { versions } = await billing.catalogs.current(context, accountId);
      return json(versions.map((version) => formatInstant(version.effectiveDate)));
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: '/1.0/kb/catalog',
    operationId: 'deleteCatalog',
    summary: 'Remove all versions of the catalog, while no subscription has a plan of it',
    permission: 'catalog:delete',
    fails: [ErrorCode.CATALOG_INVALID_FOR_TENANT],
    handle: ({ billing, context }) => billing.catalogs.delete(context),
  }),
  tenantRoute({
    method: 'POST',
    path: '/1.0/kb/catalog/simplePlan',
    operationId: 'addSimplePlan',
    summary:
      'Add a plan with one recurring price, or a currency to one, to the version in force and all later ones',
    permission: 'catalog:config_upload',
    body: jsonBody(SimplePlan),
    success: { status: 201, location: '/catalog' },
    fails: [ErrorCode.CATALOG_INVALID_SIMPLE_PLAN_DESCRIPTOR, ErrorCode.CATALOG_INVALID_FOR_TENANT],
    async handle({ billing, context, body }) {
      await billing.catalogs.addSimplePlan(context, body);
      return created('/catalog');
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/catalog/availableBasePlans',
    operationId: 'getAvailableBasePlans',
    summary: 'List the plans of base products that can be bought now, once per price list',
    permission: 'NONE',
    query: accountQuery,
    success: { status: 200, body: listOf(PlanDetail) },
    fails: readFails,
    async handle({ billing, context, dialect, query: { accountId } }) {
      const plans = await billing.catalogs.availableBasePlans(context, { accountId });
      return json(plans.map((each) => PlanDetail.write(each, unaudited(dialect))));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/catalog/availableAddons',
    operationId: 'getAvailableAddons',
    summary: 'List the plans of the add-ons that can be bought now for a base product',
    permission: 'NONE',
    query: { baseProductName: plainText, priceListName: plainText, ...accountQuery },
    success: { status: 200, body: listOf(PlanDetail) },
    fails: readFails,
    async handle({ billing, context, dialect, query: { baseProductName, ...request } }) {
      const plans = await billing.catalogs.availableAddOns(context, {
        baseProductName: baseProductName ?? '',
        ...request,
      });
      return json(plans.map((each) => PlanDetail.write(each, unaudited(dialect))));
    },
  }),
];

/** catalog §12 rule 1; a tenant without a catalog has no version to show. */
function shownVersions(
  catalog: CatalogValue,
  wanted: { readonly requestedDate: Instant | null; readonly dialect: Dialect; readonly now: Instant },
): readonly CatalogVersion[] {
  if (catalog.versions.length === 0) return [];
  if (wanted.requestedDate === null && wanted.dialect === Dialect.K) return catalog.versions;
  return [catalog.resolveVersion(wanted.requestedDate ?? wanted.now)];
}
