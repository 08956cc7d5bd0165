import { CreditNoteReason, type CreditNote as CreditNoteRecord } from '../../../lib/records/index.ts';
import { field, model } from '../wire/model.ts';
import { currency, date, decimalNumber, enumeration, int, timestamp, uuid } from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';

const CreditNoteLine = model('CreditNoteLine', {
  invoiceItemId: field(uuid, 'R', { from: ({ itemId }: CreditNoteRecord['lines'][number]) => itemId }),
  amount: field(decimalNumber, 'R'),
});

export const CreditNote = model('CreditNote', {
  creditNoteId: field(uuid, 'R', { from: ({ id }: CreditNoteRecord) => id }),
  creditNoteNumber: field(int(), 'R'),
  accountId: field(uuid, 'R'),
  invoiceId: field(uuid, 'R'),
  reason: field(enumeration(CreditNoteReason), 'R'),
  creditNoteDate: field(date, 'R'),
  amount: field(decimalNumber, 'R'),
  currency: field(currency, 'R'),
  lines: field(listOf(CreditNoteLine), 'R'),
  createdDate: field(timestamp, 'R'),
});
