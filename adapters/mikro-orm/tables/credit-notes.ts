import {
  type CreditNote,
  type CreditNoteLine,
  creditNoteFields,
  type New,
} from '../../../lib/records/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { jsonRead } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

const fields = {
  ...columnsOf(creditNoteFields),
  lines: jsonRead('lines', (lines: readonly CreditNoteLine[]) =>
    lines.map((line) => ({ ...line, amount: decimal(String(line.amount)) })),
  ),
};

export const creditNotesTable = new RecordTable<New<CreditNote>>('credit_notes', fields, {
  // invoicing §21 rule 3
  uniques: { id: 'id', number: 'tenant_record_id, credit_note_number' },
  indexes: {
    invoice: 'tenant_record_id, invoice_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
  },
});
