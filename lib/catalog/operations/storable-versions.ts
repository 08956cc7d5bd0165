import type { NewCatalogParts } from '../../records/index.ts';
import type { TimeSlices } from '../../runtime/index.ts';
import { sha256Hex } from '../cache/content-hash.ts';
import { partsOf } from '../cache/version-parts.ts';
import type { ReadVersion } from '../formats/xml/catalog-document.ts';
import { canonicalXmlSteps } from '../formats/xml/write-catalog.ts';

/** A version with its hash. */
export interface Hashed extends ReadVersion {
  readonly parts: NewCatalogParts;
  readonly contentHash: string;
}

export async function withHash<R extends Pick<ReadVersion, 'version'>>(
  read: R,
  slices: TimeSlices,
): Promise<R & Pick<Hashed, 'parts' | 'contentHash'>> {
  const contentHash = await sha256Hex(await slices(canonicalXmlSteps(read.version)), slices);
  return { ...read, parts: await partsOf(read.version, slices), contentHash };
}

/** One after another, since each may be large. */
export async function allWithHash<R extends Pick<ReadVersion, 'version'>>(
  read: readonly R[],
  slices: TimeSlices,
): Promise<readonly (R & Pick<Hashed, 'parts' | 'contentHash'>)[]> {
  const hashed: (R & Pick<Hashed, 'parts' | 'contentHash'>)[] = [];
  for (const each of read) hashed.push(await withHash(each, slices));
  return hashed;
}
