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

/** The reason of a credit (invoicing §21). */
export const CreditNoteReason = {
  /** A run repaired billed days. */
  REPAIR: 'REPAIR',
  /** Items were adjusted, by hand or with a refund. */
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

/** The credit on a committed invoice by one transaction; immutable. */
export const creditNoteFields = {
  recordId,
  id: id(),
  accountId: id(),
  accountRecordId: bigint(),
  /** The credited invoice. */
  invoiceId: id(),
  /** Counted per tenant without gaps. */
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
