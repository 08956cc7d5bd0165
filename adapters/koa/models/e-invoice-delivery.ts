import { type EInvoiceDelivery as Delivery, eInvoiceDeliveryFields } from '../../../lib/records/index.ts';
import { derivedField, maybe, model } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import { text, timestamp, uuid } from '../wire/scalars.ts';

/** See invoicing §22 rule 9. */
export const EInvoiceDelivery = model('EInvoiceDelivery', {
  deliveryId: derivedField(uuid, ({ id }: Delivery) => id),
  ...recordFields(eInvoiceDeliveryFields, [
    'accountId',
    'invoiceId',
    'creditNoteId',
    'format',
    'profile',
    'state',
    'attempts',
  ]),
  lastAttemptDate: maybe(timestamp, ({ attemptedDate }: Delivery) => attemptedDate),
  nextAttemptDate: maybe(timestamp),
  receipt: maybe(text()),
  lastError: maybe(text()),
  createdDate: timestamp,
});
