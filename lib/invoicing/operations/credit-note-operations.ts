import type { Leading, Page, PageRequest } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CreditNoteView } from '../invoices/credit-note-view.ts';

/** Documents of what was taken off committed invoices (§21), for tenants with `org.service.invoice.creditNotes`. */
export interface CreditNoteOperations<C extends Leading = []> {
  /** The credit note with its lines. @throws BillingError OBJECT_NOT_FOUND (60007). */
  get(...given: [...C, creditNoteId: Uuid | string]): Promise<CreditNoteView>;

  /** Those that credit the invoice, by number. @throws BillingError INVOICE_NOT_FOUND (4006). */
  ofInvoice(...given: [...C, invoiceId: Uuid | string]): Promise<readonly CreditNoteView[]>;

  /** A window of those of the account, by number. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  pageOfAccount(
    ...given: [...C, accountId: Uuid | string, request: PageRequest]
  ): Promise<Page<CreditNoteView>>;

  /**
   * The credit note as a page of HTML in the language of the account: the built-in page with the tenant's translations.
   * @throws BillingError OBJECT_NOT_FOUND (60007), ANSWER_TOO_LARGE (60020) for one of more than 10,000 lines.
   */
  html(...given: [...C, creditNoteId: Uuid | string]): Promise<string>;

  /** As a PDF. @throws as `html`, and NOT_IMPLEMENTED (1) as `invoices.pdf` does. */
  pdf(...given: [...C, creditNoteId: Uuid | string]): Promise<Uint8Array>;
}
