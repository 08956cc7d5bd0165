import { type InvoiceItem, InvoiceItemType, type ItemBasis, itemTypes } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, formatDecimal } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';

/** An item as the rules decide it; invoice, account, currency and creation date are the same for all items of a run. */
export interface NewInvoiceItem
  extends Omit<
    InvoiceItem,
    'recordId' | 'invoiceId' | 'accountId' | 'accountRecordId' | 'currency' | 'createdDate'
  > {
  /** The facts behind the amount, where it is computed. */
  readonly basis?: ItemBasis;
}

/** An item without plan, subscription and rate, except for the given members. */
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

/** Whether an item of this type may be adjusted at all (§9 rule 4). */
export function isAdjustable({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemTypes[itemType].adjustable;
}

/**
 * How much of the item an adjustment takes off: the requested amount, by default all that remains; 0 = nothing remains.
 * @throws BillingError INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021), INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID (4020).
 */
export function adjustedAmount(item: InvoiceItem, requested: Decimal | null): Decimal {
  const { id, itemType, repairable } = item;
  if (!isAdjustable(item)) {
    throw billingError(
      ErrorCode.INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID,
      `Invoice item ${id} is a ${itemType}, which cannot be adjusted`,
      { invoiceItemId: id, itemType },
    );
  }
  if (requested === null || requested.lessThanOrEqualTo(repairable)) return requested ?? repairable;
  throw billingError(
    ErrorCode.INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID,
    `${formatDecimal(requested)} is more than what remains of invoice item ${id}, ${formatDecimal(repairable)}`,
    { invoiceItemId: id, amount: formatDecimal(requested), remaining: formatDecimal(repairable) },
  );
}

interface AdjustmentDetails {
  readonly id: Uuid;
  /** More than 0. */
  readonly amount: Decimal;
  /** Local date that the call gives. */
  readonly date: LocalDate;
  readonly description?: string | null;
  readonly itemDetails?: string | null;
}

/** The ITEM_ADJ item that takes the amount off (§1.3). */
export function itemAdjustment(adjusted: InvoiceItem, details: AdjustmentDetails): NewInvoiceItem {
  const { id, amount, date } = details;
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
