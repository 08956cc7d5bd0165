import type { StoredCatalogSource } from '../../../records/index.ts';
import type { Steps } from '../../../runtime/index.ts';
import type { Catalog } from '../../lookup/catalog.ts';
import { canonicalXmlSteps } from './write-catalog.ts';

/**
 * The documents that make up a tenant's catalog, in upload order: the values of its key CATALOG (§5 rule 9). An upload
 * that has since lost a version is shown by the versions that are left of it.
 * @param sources the versions of the uploads, in the order in which they were stored.
 * @param catalog the versions that the tenant has.
 */
export function* uploadedTexts(
  sources: readonly StoredCatalogSource[],
  catalog: Catalog,
): Steps<readonly string[]> {
  const byDate = new Map(catalog.versions.map((version) => [version.effectiveDate, version]));
  const texts: string[] = [];
  for (const upload of Map.groupBy(sources, (source) => source.uploadId).values()) {
    const text = upload.find((source) => source.sourceText !== null)?.sourceText ?? null;
    if (text !== null && upload.every((source) => source.isLive)) {
      texts.push(text);
      continue;
    }
    const live = upload.filter((source) => source.isLive);
    const versions = live.flatMap((source) => byDate.get(source.effectiveDate) ?? []);
    for (const version of versions) texts.push(yield* canonicalXmlSteps(version));
  }
  return texts;
}
