import type { CreditNote, CreditNoteLine, New } from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { amount, bigint, currency, date, type Field, instantAt, json, oneOf, uuid } from '../sql/columns.ts';
import { RecordTable } from './record-table.ts';

export const creditNotesTable = new RecordTable<New<CreditNote>>(
  {
    name: 'credit_notes',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      // invoicing §21 rule 3
      { name: 'number', columns: ['tenant_record_id', 'credit_note_number'] },
    ],
    indexes: [
      { name: 'invoice', columns: ['tenant_record_id', 'invoice_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
    ],
  },
  {
    id: uuid('id'),
    accountId: uuid('account_id'),
    accountRecordId: bigint('account_record_id'),
    invoiceId: uuid('invoice_id'),
    creditNoteNumber: bigint('credit_note_number'),
    reason: oneOf('reason'),
    creditNoteDate: date('credit_note_date'),
    amount: amount('amount'),
    currency: currency('currency'),
    lines: linesIn('lines'),
    createdDate: instantAt('created_date'),
  },
);

function linesIn(name: string): Field<readonly CreditNoteLine[]> {
  const stored = json<readonly CreditNoteLine[]>(name);
  return { ...stored, read: (row) => readLines(stored.read(row)) };
}

function readLines(lines: readonly CreditNoteLine[]): readonly CreditNoteLine[] {
  return lines.map(({ itemId, amount: credited }) => ({ itemId, amount: decimal(String(credited)) }));
}
