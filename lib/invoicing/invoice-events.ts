import { BusEventType, type NewBusEvent } from '../queue/model.ts';
import type { Invoice } from './model.ts';

type Told = Pick<Invoice, 'id' | 'accountId' | 'accountRecordId'>;

/** INVOICE_CREATION: what its consumers need beside the ids (invoicing.md §16). */
export function invoiceCreationEvent(invoice: Told & Pick<Invoice, 'rawBalance' | 'currency'>): NewBusEvent {
  return {
    type: BusEventType.INVOICE_CREATION,
    accountRecordId: invoice.accountRecordId,
    payload: {
      accountId: invoice.accountId,
      invoiceId: invoice.id,
      metaData: null,
      amountOwed: invoice.rawBalance,
      currency: invoice.currency,
    },
  };
}

/** INVOICE_ADJUSTMENT: at most one per invoice and transaction. */
export function invoiceAdjustmentEvent(invoice: Told): NewBusEvent {
  return {
    type: BusEventType.INVOICE_ADJUSTMENT,
    accountRecordId: invoice.accountRecordId,
    payload: { accountId: invoice.accountId, invoiceId: invoice.id, metaData: null },
  };
}
