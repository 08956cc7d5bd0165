import type { Catalog } from '../../lookup/catalog.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import { NameKind } from '../../validation/names.ts';

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
