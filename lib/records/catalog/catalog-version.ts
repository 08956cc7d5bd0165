import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export const CatalogPartKind = {
  /** All of a version except its products and plans. */
  FRAME: 'FRAME',
  PRODUCT: 'PRODUCT',
  PLAN: 'PLAN',
  /** What several plans have in common that differ only in amounts and in the date for existing subscriptions. */
  SHAPE: 'SHAPE',
} as const;
export type CatalogPartKind = (typeof CatalogPartKind)[keyof typeof CatalogPartKind];

/**
 * A part of catalog versions. It is stored once per tenant however many versions hold it, so that a version costs only
 * what it changes. Never edited.
 */
export interface StoredCatalogPart {
  readonly recordId: number;
  readonly kind: CatalogPartKind;
  readonly name: string;
  /** A plan's `effectiveDateForExistingSubscriptions`, so that a search through versions need not read the text. */
  readonly forExisting: Instant | null;
  /** The SHAPE whose blanks `text` fills; null: `text` is complete. Plans that are older than shapes have none. */
  readonly shapeRecordId: number | null;
  /** The value as `textOfValue` writes it; for a SHAPE, and for a part that has one, as `shapedText` divides it. */
  readonly text: string;
}

export interface NewCatalogPart extends Omit<StoredCatalogPart, 'recordId' | 'shapeRecordId'> {
  readonly shape: NewCatalogPart | null;
  /** SHA-256 of kind and whole text, in hexadecimal; unique in the tenant. */
  readonly contentHash: string;
}

/** What a stored version is made of: record ids of parts, those of products and plans in ascending order of name. */
export interface CatalogComposition {
  readonly frame: number;
  readonly products: readonly number[];
  readonly plans: readonly number[];
}

/** One stored version as the list of a tenant's versions shows it. */
export interface StoredCatalogVersion {
  readonly recordId: number;
  readonly id: Uuid;
  readonly effectiveDate: Instant;
  /** Id of the upload that this version came in; several versions of one envelope share it. */
  readonly uploadId: Uuid;
  /** SHA-256 of the canonical written form (catalog §3.4), in hexadecimal: it differs exactly when the content does. */
  readonly contentHash: string;
  /** The tenant's `catalogRevision` since which the catalog holds this version; null = stored before that was recorded. */
  readonly revision: number | null;
  readonly createdDate: Instant;
}

/** A stored version, as far as it tells what was uploaded. */
export interface StoredCatalogSource {
  readonly uploadId: Uuid;
  readonly effectiveDate: Instant;
  /** The uploaded document; null on all versions of an upload but the first. */
  readonly sourceText: string | null;
  /** False: since deleted or replaced. */
  readonly isLive: boolean;
}

/** Content of a stored version. Versions stored before parts existed have their canonical XML instead. */
export interface StoredCatalogContent {
  readonly recordId: number;
  readonly content: CatalogComposition | { readonly canonicalXml: string };
}

/** A version to be stored; parts that the tenant already has are not stored again. */
export interface NewCatalogVersion extends Omit<StoredCatalogVersion, 'recordId' | 'revision'> {
  /** The uploaded document as it came; kept once per upload, on its first version, else null. */
  readonly sourceText: string | null;
  readonly parts: NewCatalogParts;
}

export interface NewCatalogParts {
  readonly frame: NewCatalogPart;
  readonly products: readonly NewCatalogPart[];
  readonly plans: readonly NewCatalogPart[];
}
