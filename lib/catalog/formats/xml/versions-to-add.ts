import type { Steps } from '../../../runtime/index.ts';
import type { CatalogVersion } from '../../lookup/catalog-version.ts';
import { canonicalXmlSteps } from './write-catalog.ts';

/**
 * The versions of a document that are to be added (§5 rule 6): an envelope may repeat stored versions, in
 * equal form, so that a downloaded one can be extended and sent back. If nothing else is in it, all are returned, and
 * `validateVersions` finds their dates taken.
 */
export function* additionSteps(
  stored: readonly CatalogVersion[],
  added: readonly CatalogVersion[],
  isEnvelope: boolean,
): Steps<readonly CatalogVersion[]> {
  if (!isEnvelope) return added;
  const byDate = new Map(stored.map((version) => [version.effectiveDate, version]));
  const fresh: CatalogVersion[] = [];
  for (const version of added) {
    const holder = byDate.get(version.effectiveDate);
    const isKnown =
      holder !== undefined && (yield* canonicalXmlSteps(holder)) === (yield* canonicalXmlSteps(version));
    if (!isKnown) fresh.push(version);
  }
  return fresh.length > 0 ? fresh : added;
}
