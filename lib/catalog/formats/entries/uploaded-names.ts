import { type CatalogEntry, EntryKind } from '../../../records/index.ts';
import type { Problem } from '../../../values/errors/index.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';

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
