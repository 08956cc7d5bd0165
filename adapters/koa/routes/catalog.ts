import {
  type Catalog as CatalogValue,
  type CatalogVersion,
  catalogJson,
  writeCatalogXml,
} from '../../../lib/catalog/index.ts';
import { ErrorCode } from '../../../lib/errors/index.ts';
import type { Instant } from '../../../lib/time/index.ts';
import { Dialect } from '../dialect.ts';
import { Catalog } from '../models/catalog.ts';
import { created, json, plain } from '../routing/answer.ts';
import { xmlBody } from '../routing/body.ts';
import { type Route, tenantRoute } from '../routing/route.ts';
import { instantParameter, uuidParameter } from '../wire/query.ts';
import { listOf } from '../wire/wire-type.ts';

const area = 'catalog';
const xml = 'text/xml';
// accountId selects the account's catalog, where it has one of its own (catalog.md §15.6, §16).
const query = { requestedDate: instantParameter, accountId: uuidParameter };

export const catalogRoutes: readonly Route[] = [
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/catalog',
    operationId: 'getCatalogJson',
    area,
    summary:
      'Get the catalog version in force, or that of a date, as JSON or XML; in dialect K without a date all versions',
    permission: 'NONE',
    query,
    success: { status: 200, body: listOf(Catalog), mediaTypes: ['application/json', xml, 'application/xml'] },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, dialect, mediaType, query: { requestedDate, accountId } }) {
      const catalog = await billing.catalogs.current(context, accountId);
      const versions = shownVersions(catalog, { requestedDate, dialect, now: context.createdDate });
      if (mediaType !== 'application/json') return plain(writeCatalogXml(catalog, versions));
      return json(versions.map((version) => catalogJson(version, dialect)));
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/1.0/kb/catalog/xml',
    operationId: 'getCatalogXml',
    area,
    summary:
      'Get the catalog version in force, or that of a date, as XML; in dialect K without a date all versions',
    permission: 'NONE',
    query,
    success: { status: 200, mediaTypes: [xml, 'application/xml'] },
    fails: [ErrorCode.ACCOUNT_DOES_NOT_EXIST_FOR_ID],
    async handle({ billing, context, dialect, query: { requestedDate, accountId } }) {
      const catalog = await billing.catalogs.current(context, accountId);
      const versions = shownVersions(catalog, { requestedDate, dialect, now: context.createdDate });
      return plain(writeCatalogXml(catalog, versions));
    },
  }),
  ...(['/1.0/kb/catalog', '/1.0/kb/catalog/xml'] as const).map((path) =>
    tenantRoute({
      method: 'POST',
      path,
      operationId: path === '/1.0/kb/catalog' ? 'uploadCatalogXmlOriginal' : 'uploadCatalogXml',
      area,
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
];

/** catalog.md §12 rule 1; a tenant without a catalog has no version to show. */
function shownVersions(
  catalog: CatalogValue,
  wanted: { readonly requestedDate: Instant | null; readonly dialect: Dialect; readonly now: Instant },
): readonly CatalogVersion[] {
  if (catalog.versions.length === 0) return [];
  if (wanted.requestedDate === null && wanted.dialect === Dialect.K) return catalog.versions;
  return [catalog.resolveVersion(wanted.requestedDate ?? wanted.now)];
}
