import type { CreditNoteView } from '../../../lib/index.ts';
import { CreditNoteReason } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { currency, date, decimalNumber, enumeration, int, text, timestamp, uuid } from '../wire/scalars.ts';
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
  accountId: field(uuid, 'R'),
  invoiceId: field(uuid, 'R'),
  reason: field(enumeration(CreditNoteReason), 'R'),
  creditNoteDate: field(date, 'R'),
  amount: field(decimalNumber, 'R'),
  currency: field(currency, 'R'),
  lines: field(listOf(CreditNoteLine), 'R'),
  createdDate: field(timestamp, 'R'),
});
