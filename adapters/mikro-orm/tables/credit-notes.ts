import {
  type CreditNote,
  type CreditNoteLine,
  creditNoteFields,
  type New,
} from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { type Field, json } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
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
    ...columnsOf(creditNoteFields),
    lines: linesIn('lines'),
  },
);

function linesIn(name: string): Field<readonly CreditNoteLine[]> {
  const stored = json<readonly CreditNoteLine[]>(name);
  return { ...stored, read: (row) => readLines(stored.read(row)) };
}

function readLines(lines: readonly CreditNoteLine[]): readonly CreditNoteLine[] {
  return lines.map(({ itemId, amount: credited }) => ({ itemId, amount: decimal(String(credited)) }));
}
