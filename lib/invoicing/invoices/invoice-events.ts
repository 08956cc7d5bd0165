import type { Invoice } from '../../records/index.ts';
import { BusEventType, type NewBusEvent } from '../../records/index.ts';

type Told = Pick<Invoice, 'id' | 'accountId' | 'accountRecordId' | 'contributedAmount'>;

/** INVOICE_CREATION: what its consumers need besides the ids (§16). */
export function invoiceCreationEvents(
  invoice: Told & Pick<Invoice, 'rawBalance' | 'currency'>,
): readonly NewBusEvent[] {
  const event = {
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
  return [event, ...childInvoiceEvents(invoice, true)];
}

/** INVOICE_ADJUSTMENT: one per invoice and transaction; more only where an account is closed. */
export function invoiceAdjustmentEvents(invoice: Told, times = 1): readonly NewBusEvent[] {
  const event = {
    type: BusEventType.INVOICE_ADJUSTMENT,
    accountRecordId: invoice.accountRecordId,
    payload: { accountId: invoice.accountId, invoiceId: invoice.id, metaData: null },
  };
  return [...Array.from({ length: times }, () => event), ...childInvoiceEvents(invoice, false)];
}

/** Tells the parent's summary to follow. */
function childInvoiceEvents(invoice: Told, isNew: boolean): readonly NewBusEvent[] {
  if (invoice.contributedAmount === null) return [];
  const payload = { accountId: invoice.accountId, invoiceId: invoice.id, isNew };
  return [{ type: BusEventType.CHILD_INVOICE_CHANGE, accountRecordId: invoice.accountRecordId, payload }];
}
