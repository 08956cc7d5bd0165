import type { CreditNoteView } from '../../../lib/index.ts';
import { creditNoteFields } from '../../../lib/records/index.ts';
import { derivedField, model } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { decimalNumber, int, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { formattedNumber } from './invoice.ts';

const CreditNoteLine = model('CreditNoteLine', {
  invoiceItemId: derivedField(uuid, ({ itemId }: CreditNoteView['lines'][number]) => itemId),
  amount: decimalNumber,
});

export const CreditNote = model('CreditNote', {
  creditNoteId: derivedField(uuid, ({ id }: CreditNoteView) => id),
  creditNoteNumber: int(),
  formattedNumber,
  ...recordFields(creditNoteFields, [
    'accountId',
    'invoiceId',
    'reason',
    'creditNoteDate',
    'amount',
    'currency',
  ]),
  lines: listOf(CreditNoteLine),
  createdDate: timestamp,
});
