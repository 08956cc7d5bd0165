import { f, type RecordOf } from '../../values/fields/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';

/** The reason of a credit (invoicing §21). */
export const CreditNoteReason = {
  /** A run repaired billed days. */
  REPAIR: 'REPAIR',
  /** Items were adjusted, either directly or with a refund. */
  ADJUSTMENT: 'ADJUSTMENT',
  /** The invoice was voided. */
  VOID: 'VOID',
} as const;
export type CreditNoteReason = keyof typeof CreditNoteReason;

/** A credited item. */
export interface CreditNoteLine {
  readonly itemId: Uuid;
  readonly amount: Decimal;
}

/** The credit that one transaction grants on a committed invoice. Immutable. */
export const creditNoteFields = {
  recordId: f.recordId,
  id: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  /** The credited invoice. */
  invoiceId: f.id(),
  /** Number of the credit note. The numbers of a tenant have no gaps. */
  creditNoteNumber: f.bigint(),
  reason: f.oneOf(CreditNoteReason),
  /** Issue date, as a local date of the account. */
  creditNoteDate: f.date(),
  /** Sum of the lines. */
  amount: f.amount(),
  currency: f.currency(),
  lines: f.json<readonly CreditNoteLine[]>(),
  createdDate: f.instant(),
};
export interface CreditNote extends RecordOf<typeof creditNoteFields> {}
