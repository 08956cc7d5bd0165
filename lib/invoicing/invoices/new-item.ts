import { type InvoiceItem, InvoiceItemType, type ItemBasis, itemTypes } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

/** An item without the fields that all items of a run share: invoice, account, currency and creation date. */
export interface NewInvoiceItem
  extends Omit<
    InvoiceItem,
    'recordId' | 'invoiceId' | 'accountId' | 'accountRecordId' | 'currency' | 'createdDate'
  > {
  /** The facts from which the amount was computed. */
  readonly basis?: ItemBasis;
}

/** Returns an item with the given fields. All other fields are null. */
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
    listRate: null,
    discounts: null,
    quantity: null,
    linkedItemId: null,
    itemDetails: null,
    catalogEffectiveDate: null,
    taxRate: null,
    taxCategory: null,
    taxExemption: null,
    ...own,
  };
}

/** Returns the default description of an item (§1.3). */
export function defaultDescription(itemType: InvoiceItemType, planName: string | null = null): string {
  const [description = itemType] = Object.keys(itemTypes[itemType].descriptions);
  return itemType === InvoiceItemType.EXTERNAL_CHARGE && planName
    ? `${planName} (external charge)`
    : description;
}

/**
 * Returns true for a tax on a repair (§14 rule 9). Such a tax is negative, and it has no remaining amount that can be
 * adjusted.
 */
export function isTaxOfRepair({ itemType, amount }: Pick<InvoiceItem, 'itemType' | 'amount'>): boolean {
  return itemType === InvoiceItemType.TAX && amount.lessThan(0);
}

/** Returns true if items of this type can be adjusted (§9 rule 4). */
export function isAdjustable({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemTypes[itemType].adjustable;
}

/**
 * Returns the amount of an adjustment: the requested amount or, by default, the whole remainder. Returns 0 if nothing
 * remains.
 * @throws BillingError INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021), INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID (4020).
 */
export function adjustedAmount(item: InvoiceItem, requested: Decimal | null): Decimal {
  const { id, itemType, repairable } = item;
  if (!isAdjustable(item)) {
    const message = `Invoice item ${id} is a ${itemType}, which cannot be adjusted`;
    const facts = { invoiceItemId: id, itemType };
    throw billingError(ErrorCode.INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID, message, facts);
  }
  if (requested === null || requested.lessThanOrEqualTo(repairable)) return requested ?? repairable;
  const shown = { amount: formatDecimal(requested), remaining: formatDecimal(repairable) };
  const message = `${shown.amount} is more than the ${shown.remaining} that remains of invoice item ${id}`;
  const facts = { invoiceItemId: id, ...shown };
  throw billingError(ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID, message, facts);
}

/** Returns the ITEM_ADJ item with this amount (§1.3). @param date local date of the call. */
export function itemAdjustment(
  adjusted: InvoiceItem,
  {
    id,
    amount,
    date,
    ...details
  }: Pick<NewInvoiceItem, 'id' | 'amount'> & {
    readonly date: LocalDate;
    readonly description?: string | null;
    readonly itemDetails?: string | null;
  },
): NewInvoiceItem {
  return plainItem({
    id,
    itemType: InvoiceItemType.ITEM_ADJ,
    amount: amount.negated(),
    repairable: amount.minus(amount),
    description: details.description || defaultDescription(InvoiceItemType.ITEM_ADJ),
    startDate: date,
    endDate: date,
    linkedItemId: adjusted.id,
    itemDetails: details.itemDetails || null,
  });
}

export function afterAdjustment(item: InvoiceItem, amount: Decimal): Pick<InvoiceItem, 'id' | 'repairable'> {
  return { id: item.id, repairable: item.repairable.minus(amount) };
}
