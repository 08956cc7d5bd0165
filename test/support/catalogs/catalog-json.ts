import type { Dialect } from '../../../adapters/koa/dialect.ts';
import { Catalog } from '../../../adapters/koa/models/catalog.ts';
import { unaudited } from '../../../adapters/koa/wire/wire-type.ts';
import type { CatalogVersion } from '../../../lib/catalog/index.ts';

/** A version as it stands on the wire, decimals as strings to show their digits. */
export function catalogJson(version: CatalogVersion, dialect: Dialect) {
  return JSON.parse(JSON.stringify(Catalog.write(version, unaudited(dialect))));
}
