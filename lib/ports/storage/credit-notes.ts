import type { CreditNote, New, Page, PageRequest } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface CreditNoteReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly CreditNote[]>;
  /** In the order of their numbers. */
  ofInvoice(invoiceId: Uuid): Promise<readonly CreditNote[]>;
  pageOfAccount(accountId: Uuid, request: PageRequest): Promise<Page<CreditNote>>;
  /** Of the tenant, by number, after one: at most `limit`. */
  afterNumber(creditNoteNumber: number, limit: number): Promise<readonly CreditNote[]>;
}

export interface CreditNoteWrites {
  /** Takes `count` consecutive numbers from the tenant's counter and returns the first; rolled back with the transaction. */
  takeNumbers(count: number): Promise<number>;
  insert(notes: readonly New<CreditNote>[]): Promise<void>;
  /** Whether the tenant writes credit notes; asked only where something is credited. */
  areWritten(): Promise<boolean>;
}
