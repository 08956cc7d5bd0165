import type { CreditNoteView } from '../../../lib/index.ts';
import { creditNoteFields } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { decimalNumber, int, text, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const CreditNoteLine = model('CreditNoteLine', {
  invoiceItemId: field(uuid, 'R', { from: ({ itemId }: CreditNoteView['lines'][number]) => itemId }),
  amount: field(decimalNumber, 'R'),
});

export const CreditNote = model('CreditNote', {
  creditNoteId: field(uuid, 'R', { from: ({ id }: CreditNoteView) => id }),
  creditNoteNumber: field(int(), 'R'),
  formattedNumber: field(text(), 'R', {
    absentable: true,
    from: ({ formattedNumber }: CreditNoteView) => formattedNumber ?? undefined,
  }),
  ...recordFields(creditNoteFields, [
    'accountId',
    'invoiceId',
    'reason',
    'creditNoteDate',
    'amount',
    'currency',
  ]),
  lines: field(listOf(CreditNoteLine), 'R'),
  createdDate: field(timestamp, 'R'),
});
