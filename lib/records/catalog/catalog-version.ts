import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export const CatalogPartKind = {
  /** The content of a version except its products and plans. */
  FRAME: 'FRAME',
  PRODUCT: 'PRODUCT',
  PLAN: 'PLAN',
  /** The text that plans share if they differ only in amounts and in the date for existing subscriptions. */
  SHAPE: 'SHAPE',
} as const;
export type CatalogPartKind = keyof typeof CatalogPartKind;

/**
 * An immutable part of catalog versions. A tenant stores each part only once, so a new version stores only the parts
 * that have changed.
 */
export interface StoredCatalogPart {
  readonly recordId: number;
  readonly kind: CatalogPartKind;
  readonly name: string;
  /**
   * The `effectiveDateForExistingSubscriptions` of a plan. It is stored separately, so that searches need not read the
   * text.
   */
  readonly forExisting: Instant | null;
  /** The SHAPE whose variable parts `text` contains, or null if `text` is complete. */
  readonly shapeRecordId: number | null;
  /**
   * The value as `textOfValue` writes it. A SHAPE, and a part that has a SHAPE, is stored as `shapedText` writes it.
   */
  readonly text: string;
}

export interface NewCatalogPart extends Omit<StoredCatalogPart, 'recordId' | 'shapeRecordId'> {
  readonly shape: NewCatalogPart | null;
  /** SHA-256 hash of the kind and the whole text, in hexadecimal. Unique in the tenant. */
  readonly contentHash: string;
}

/** The record ids of a version's parts. Products and plans are sorted by name. */
export interface CatalogComposition {
  readonly frame: number;
  readonly products: readonly number[];
  readonly plans: readonly number[];
}

/** A stored version without its content. */
export interface StoredCatalogVersion {
  readonly recordId: number;
  readonly id: Uuid;
  readonly effectiveDate: Instant;
  /** Id of the upload. All versions of one envelope have the same id. */
  readonly uploadId: Uuid;
  /** SHA-256 hash of the canonical form, in hexadecimal (catalog §3.4). */
  readonly contentHash: string;
  /** The tenant's `catalogRevision` in which this version was added, or null if it is unknown. */
  readonly revision: number | null;
  readonly createdDate: Instant;
}

/** The document with which a stored version was uploaded. */
export interface StoredCatalogSource {
  readonly uploadId: Uuid;
  readonly effectiveDate: Instant;
  /** Text of the document. Set only for the first version of an upload. */
  readonly sourceText: string | null;
  /** False if the version has been deleted or replaced. */
  readonly isLive: boolean;
}

/** Content of a stored version: its parts or, for versions stored before parts existed, its canonical XML. */
export interface StoredCatalogContent {
  readonly recordId: number;
  readonly content: CatalogComposition | { readonly canonicalXml: string };
}

/** A version to store. Parts that the tenant already has are not stored again. */
export interface NewCatalogVersion extends Omit<StoredCatalogVersion, 'recordId' | 'revision'> {
  /** The uploaded document. Set only for the first version of an upload. */
  readonly sourceText: string | null;
  readonly parts: NewCatalogParts;
}

export interface NewCatalogParts {
  readonly frame: NewCatalogPart;
  readonly products: readonly NewCatalogPart[];
  readonly plans: readonly NewCatalogPart[];
}
