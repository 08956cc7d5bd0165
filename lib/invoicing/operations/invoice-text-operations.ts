import type { Leading } from '../../records/index.ts';
import type { DocumentTextKind } from '../documents/text-keys.ts';

/** Which text of a tenant's documents. */
export type DocumentText =
  | {
      readonly kind: Extract<DocumentTextKind, 'TEMPLATE' | 'MANUAL_PAY_TEMPLATE'>;
      /** Default: for every locale that has no template of its own. */
      readonly locale?: string | null;
    }
  | {
      readonly kind: Extract<DocumentTextKind, 'TRANSLATION' | 'CATALOG_TRANSLATION'>;
      /** Such as `en_US` or `de`. */
      readonly locale: string;
    };

/** A text to be stored. */
export type DocumentTextUpload = DocumentText & {
  /** A template (Mustache, at most 256 Ki characters) or translations (Java properties, at most 1 Mi characters). */
  readonly text: string;
  /** Whether one that is there already is replaced; default false: it is refused. */
  readonly replace?: boolean | undefined;
};

/** Templates and translations of the documents that the tenant's customers get (§14). */
export interface InvoiceTextOperations<C extends Leading = []> {
  /**
   * Stores a template or a translation. It holds from the next document on; `keyValues` shows it under
   * `INVOICE_TEMPLATE`, `INVOICE_MP_TEMPLATE` (both also with `_<locale>`), `INVOICE_TRANSLATION_<locale>` or
   * `CATALOG_TRANSLATION_<locale>`.
   * @throws BillingError INVALID_PARAMETER (60002) for a locale that is none, and where there is one already that is not
   * to be replaced; MISSING_OR_INVALID_FIELD (60003) for a text that is empty, cannot be read or is past a bound.
   */
  upload(...given: [...C, upload: DocumentTextUpload]): Promise<void>;

  /** The text as it was uploaded; null if there is none. @throws BillingError INVALID_PARAMETER (60002) for a bad locale. */
  get(...given: [...C, text: DocumentText]): Promise<string | null>;

  /** Goes back to what is built in; no error if there is none. @throws as `get`. */
  delete(...given: [...C, text: DocumentText]): Promise<void>;
}
