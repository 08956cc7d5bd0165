import { type CatalogEntry, EntryKind, type EntryScope, type ProductTerms } from '../../../records/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import type { Product } from '../../model/catalog-model.ts';
import { NameKind } from '../../validation/findings.ts';

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

const namesOfVersion = new WeakMap<CatalogVersion, ReadonlyMap<string, NameKind>>();

/** What a name stands for in any version of the catalog; undefined where it is free (V1 of §4). */
export function kindOfName(catalog: Pick<Catalog, 'versions'>, name: string): NameKind | undefined {
  for (const version of catalog.versions) {
    const kind = namesOf(version).get(name);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

/** Collected once per version, which never changes. */
function namesOf(version: CatalogVersion): ReadonlyMap<string, NameKind> {
  const known = namesOfVersion.get(version);
  if (known !== undefined) return known;
  const usages = version.plans.flatMap((plan) => plan.phases.flatMap((phase) => phase.usages));
  const names = new Map([
    ...kinds(version.units, NameKind.UNIT),
    ...kinds(usages, NameKind.USAGE),
    ...kinds(version.allPriceLists, NameKind.PRICE_LIST),
    ...kinds(version.products, NameKind.PRODUCT),
    ...kinds(version.plans, NameKind.PLAN),
  ]);
  namesOfVersion.set(version, names);
  return names;
}

function kinds(
  records: readonly { readonly name: string }[],
  kind: NameKind,
): readonly (readonly [string, NameKind])[] {
  return records.map((record) => [record.name, kind]);
}

/** Names of the plans and products of these versions. */
export function uploadedNames(versions: readonly CatalogVersion[]): readonly string[] {
  const names = versions.flatMap((version) =>
    [...version.products, ...version.plans].map(({ name }) => name),
  );
  return [...new Set(names)];
}

/** An XML version cannot take a plan or product name that a catalog entry holds (§15.6 rule 2). */
export function heldNames(
  versions: readonly CatalogVersion[],
  entries: readonly CatalogEntry[],
): readonly Problem[] {
  const held = new Set(
    entries.filter((entry) => entry.kind !== EntryKind.CATALOG).map((entry) => entry.name),
  );
  return uploadedNames(versions)
    .filter((name) => held.has(name))
    .map((name) => ({ message: `The name ${JSON.stringify(name)} is already that of a catalog entry` }));
}
