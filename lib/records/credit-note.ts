import {
  amount,
  bigint,
  currency,
  date,
  id,
  instant,
  json,
  oneOf,
  type RecordOf,
  recordId,
} from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';

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
export const creditNoteFields = {
  recordId,
  id: id(),
  accountId: id(),
  accountRecordId: bigint(),
  /** The invoice that is credited. */
  invoiceId: id(),
  /** Of the tenant's credit notes, without gaps. */
  creditNoteNumber: bigint(),
  reason: oneOf(CreditNoteReason),
  /** Local date of the account. */
  creditNoteDate: date(),
  /** Sum of the lines. */
  amount: amount(),
  currency: currency(),
  lines: json<readonly CreditNoteLine[]>(),
  createdDate: instant(),
};
export interface CreditNote extends RecordOf<typeof creditNoteFields> {}
