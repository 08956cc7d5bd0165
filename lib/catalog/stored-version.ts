import type { Uuid } from '../ids/index.ts';
import type { Instant } from '../time/index.ts';

/** One stored catalog version: the uploaded source text and the hash under which its compiled form is cached. */
export interface StoredCatalogVersion {
  readonly recordId: number;
  readonly id: Uuid;
  readonly effectiveDate: Instant;
  /** Id of the upload this version came in; several versions of one envelope share it. */
  readonly uploadId: Uuid;
  /** XML of this version alone, in the canonical written form (catalog.md §3.4). */
  readonly canonicalXml: string;
  /** The uploaded document as it came; kept once per upload, on its first version, else null. */
  readonly sourceText: string | null;
  readonly contentHash: string;
  readonly createdDate: Instant;
}
