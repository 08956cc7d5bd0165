import { MAX_CACHED_CATALOG_VERSIONS } from '../limits.ts';
import { type CatalogVersion, createVersion } from './catalog-version.ts';
import { readCatalogXml } from './xml/read-catalog.ts';

/**
 * Compiled versions by content hash: a version is parsed once per process, whichever tenants and revisions hold it
 * (catalog.md §13 rule 1). The least recently used ones go first.
 */
export class CompiledVersions {
  readonly #byHash = new Map<string, CatalogVersion>();

  /** The compiled form of a stored version, whose canonical XML has passed validation when it was stored. */
  get(stored: { readonly contentHash: string; readonly canonicalXml: string }): CatalogVersion {
    const known = this.#byHash.get(stored.contentHash);
    if (known) this.#byHash.delete(stored.contentHash);
    const version = known ?? compile(stored.canonicalXml);
    this.#byHash.set(stored.contentHash, version);
    if (this.#byHash.size > MAX_CACHED_CATALOG_VERSIONS) this.#dropOldest();
    return version;
  }

  #dropOldest(): void {
    const oldest = this.#byHash.keys().next();
    if (!oldest.done) this.#byHash.delete(oldest.value);
  }
}

function compile(canonicalXml: string): CatalogVersion {
  const [parsed] = readCatalogXml(canonicalXml).versions;
  if (!parsed) throw new Error('a stored catalog version holds no version');
  return createVersion(parsed.content);
}
