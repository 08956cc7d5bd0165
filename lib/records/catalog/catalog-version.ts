import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export const CatalogPartKind = {
  /** Everything in a version except its products and plans. */
  FRAME: 'FRAME',
  PRODUCT: 'PRODUCT',
  PLAN: 'PLAN',
  /** The common text of plans that differ only in amounts and the date for existing subscriptions. */
  SHAPE: 'SHAPE',
} as const;
export type CatalogPartKind = keyof typeof CatalogPartKind;

/**
 * An immutable part of catalog versions, stored once per tenant, so that a new version stores only the parts that it
 * changes.
 */
export interface StoredCatalogPart {
  readonly recordId: number;
  readonly kind: CatalogPartKind;
  readonly name: string;
  /** A plan's `effectiveDateForExistingSubscriptions`, stored separately so that searches need not read the text. */
  readonly forExisting: Instant | null;
  /** The SHAPE whose blanks `text` fills; null if `text` is complete. */
  readonly shapeRecordId: number | null;
  /** The value as `textOfValue` writes it. For a SHAPE, or a part that has a SHAPE, as `shapedText` writes it. */
  readonly text: string;
}

export interface NewCatalogPart extends Omit<StoredCatalogPart, 'recordId' | 'shapeRecordId'> {
  readonly shape: NewCatalogPart | null;
  /** Hexadecimal SHA-256 of kind and whole text; unique in the tenant. */
  readonly contentHash: string;
}

/** The record ids of a version's parts; products and plans sorted by name. */
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
  /** Id of the upload, shared by the versions of one envelope. */
  readonly uploadId: Uuid;
  /** Hexadecimal SHA-256 of the canonical form (catalog §3.4). */
  readonly contentHash: string;
  /** The tenant's `catalogRevision` that added this version; null means unknown. */
  readonly revision: number | null;
  readonly createdDate: Instant;
}

/** The uploaded document of a stored version. */
export interface StoredCatalogSource {
  readonly uploadId: Uuid;
  readonly effectiveDate: Instant;
  /** Text of the document. Set only for the first version of an upload. */
  readonly sourceText: string | null;
  /** False if the version was deleted or replaced. */
  readonly isLive: boolean;
}

/** Content of a stored version: its parts, or canonical XML if stored before parts existed. */
export interface StoredCatalogContent {
  readonly recordId: number;
  readonly content: CatalogComposition | { readonly canonicalXml: string };
}

/** A version to be stored; parts that the tenant already has are not stored again. */
export interface NewCatalogVersion extends Omit<StoredCatalogVersion, 'recordId' | 'revision'> {
  /** The uploaded document, only on the first version of an upload. */
  readonly sourceText: string | null;
  readonly parts: NewCatalogParts;
}

export interface NewCatalogParts {
  readonly frame: NewCatalogPart;
  readonly products: readonly NewCatalogPart[];
  readonly plans: readonly NewCatalogPart[];
}
