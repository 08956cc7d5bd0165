import type { Dialect } from '../../../adapters/koa/dialect.ts';
import { Catalog } from '../../../adapters/koa/models/catalog.ts';
import { renderingWithoutAudit } from '../../../adapters/koa/wire/wire-type.ts';
import type { CatalogVersion } from '../../../lib/catalog/index.ts';

/** Returns the wire form of a version, with decimals as strings so that their digits show. */
export function catalogJson(version: CatalogVersion, dialect: Dialect) {
  return JSON.parse(JSON.stringify(Catalog.write(version, renderingWithoutAudit(dialect))));
}
