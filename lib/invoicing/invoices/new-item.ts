import { type InvoiceItem, InvoiceItemType, type ItemBasis, itemTypes } from '../../records/index.ts';

/** An item as the rules decide it; invoice, account, currency and creation date are the same for all items of a run. */
export interface NewInvoiceItem
  extends Omit<
    InvoiceItem,
    'recordId' | 'invoiceId' | 'accountId' | 'accountRecordId' | 'currency' | 'createdDate'
  > {
  /** The facts behind the amount, where it is computed. */
  readonly basis?: ItemBasis;
}

/** An item with no plan, subscription or rate behind it, but for what is given. */
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

/** The description of an item that is added without one (§1.3). */
export function defaultDescription(itemType: InvoiceItemType, planName: string | null = null): string {
  const [description = itemType] = Object.keys(itemTypes[itemType].descriptions);
  return itemType === InvoiceItemType.EXTERNAL_CHARGE && planName
    ? `${planName} (external charge)`
    : description;
}
