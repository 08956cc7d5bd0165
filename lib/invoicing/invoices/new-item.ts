import type { InvoiceItem, ItemBasis } from '../../records/index.ts';

/** An item as the rules decide it; invoice, account, currency and creation date are the same for all of a run. */
export interface NewInvoiceItem
  extends Omit<
    InvoiceItem,
    'recordId' | 'invoiceId' | 'accountId' | 'accountRecordId' | 'currency' | 'createdDate'
  > {
  /** The facts behind the amount, where it is computed. */
  readonly basis?: ItemBasis;
}

/** An item that no plan, subscription or rate stands behind; what it has of its own is given. */
export function plainItem(
  own: Pick<NewInvoiceItem, 'id' | 'itemType' | 'amount' | 'repairable'> & Partial<NewInvoiceItem>,
): NewInvoiceItem {
  return {
    childAccountId: null,
    bundleId: null,
    subscriptionId: null,
    productName: null,
    planName: null,
    phaseName: null,
    usageName: null,
    description: null,
    startDate: null,
    endDate: null,
    rate: null,
    quantity: null,
    linkedItemId: null,
    itemDetails: null,
    catalogEffectiveDate: null,
    ...own,
  };
}
