import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { Instant, LocalDate } from '../values/time/index.ts';

/** What has credited an invoice (invoicing §21). */
export const CreditNoteReason = {
  /** A run has taken back days that the invoice had billed. */
  REPAIR: 'REPAIR',
  /** Items of the invoice were adjusted, by hand or with a refund. */
  ADJUSTMENT: 'ADJUSTMENT',
  /** The whole invoice was voided. */
  VOID: 'VOID',
} as const;
export type CreditNoteReason = (typeof CreditNoteReason)[keyof typeof CreditNoteReason];

/** An item behind a credit note, and what it credits. */
export interface CreditNoteLine {
  readonly itemId: Uuid;
  readonly amount: Decimal;
}

/** What was taken off a committed invoice by one transaction. It never changes. */
export interface CreditNote {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  /** The invoice that is credited. */
  readonly invoiceId: Uuid;
  /** Of the tenant's credit notes, without gaps. */
  readonly creditNoteNumber: number;
  readonly reason: CreditNoteReason;
  /** Local date of the account. */
  readonly creditNoteDate: LocalDate;
  /** Sum of the lines. */
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly lines: readonly CreditNoteLine[];
  readonly createdDate: Instant;
}
