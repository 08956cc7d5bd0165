import type { Problem } from '../../values/errors/index.ts';
import type { CatalogVersion } from '../lookup/catalog-version.ts';

/** What an upload would do to the catalog. */
export interface CatalogPreview {
  /** Why it would be refused; empty: it would not be. */
  readonly errors: readonly Problem[];
  /** Never stop an upload. */
  readonly warnings: readonly Problem[];
  /** The versions that it would add; none if it would be refused. */
  readonly added: readonly CatalogVersion[];
}
