import { type CatalogEntry, EntryKind, type EntryScope, type ProductTerms } from '../../../records/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import type { Product } from '../../model/catalog-model.ts';
import { NameKind } from '../../validation/names.ts';
import { kindOfName } from './uploaded-name-kinds.ts';

/** A product that a plan may have. */
export interface KnownProduct {
  /** Null: a product of the XML catalog. */
  readonly entryId: CatalogEntry['id'] | null;
  readonly terms: Pick<ProductTerms, 'prettyName' | 'category'>;
}

/** The names that one call mentions, as the entries of the tenant and its XML versions know them. */
export class KnownNames {
  readonly #entries: readonly CatalogEntry[];
  readonly #xml: Catalog;
  readonly #now: Parameters<Catalog['resolveVersion']>[0];

  /** `entries`: all those of the names in question, and the one that names the entry catalog. */
  constructor(entries: readonly CatalogEntry[], xml: Catalog, now: Parameters<Catalog['resolveVersion']>[0]) {
    this.#entries = entries;
    this.#xml = xml;
    this.#now = now;
  }

  /** Name of the entry catalog, where one has been given. */
  get catalogName(): string | undefined {
    return this.#entries.find((entry) => entry.kind === EntryKind.CATALOG)?.name;
  }

  entry(kind: EntryKind, name: string): CatalogEntry | undefined {
    return this.#entries.find((entry) => entry.kind === kind && entry.name === name);
  }

  /** What a taken name stands for; undefined for a free one. */
  kindOf(name: string): NameKind | undefined {
    for (const entry of this.#entries) {
      if (entry.name === name && entry.kind !== EntryKind.CATALOG) return NameKind[entry.kind];
    }
    return kindOfName(this.#xml, name);
  }

  /** A product of that name in the newest XML version that has one. */
  xmlProduct(name: string): Product | undefined {
    return this.#xml.versions
      .findLast((version) => version.productNamed(name) !== undefined)
      ?.productNamed(name);
  }

  /**
   * The product as a plan of the scope finds it: entries of the scope, of the tenant, the XML version in force (§15.4
   * rule 5).
   */
  productFor(scope: EntryScope, name: string): KnownProduct | undefined {
    const entry = this.entry(EntryKind.PRODUCT, name);
    const isVisible = entry?.accountId === null || entry?.accountId === scope.accountId;
    if (entry?.product && isVisible) return { entryId: entry.id, terms: entry.product };
    const inForce = this.#xml.versions.length === 0 ? undefined : this.#xml.resolveVersion(this.#now);
    const { prettyName, category } = inForce?.productNamed(name) ?? {};
    if (prettyName === undefined || category === undefined) return undefined;
    return { entryId: null, terms: { prettyName, category } };
  }
}
