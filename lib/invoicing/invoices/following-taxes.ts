import { type InvoiceItem, InvoiceItemType, TaxCategory } from '../../records/index.ts';
import { Decimal, roundToCurrency, ZERO } from '../../values/money/index.ts';

/** The amount by which a tax follows an adjustment of its charge. */
export interface FollowingTax {
  readonly tax: InvoiceItem;
  readonly amount: Decimal;
}

/**
 * Returns the amounts by which the taxes of an adjusted charge are reduced, so that the tax that is left is the tax
 * on what is left of the charge (§9 rule 4). Only TAX items with a rate on the invoice of the charge follow.
 * @param charge the charge after its adjustment.
 * @param items stored items of the invoice, or at least those that refer to the charge.
 */
export function followingTaxes(charge: InvoiceItem, items: readonly InvoiceItem[]): readonly FollowingTax[] {
  return items.flatMap((tax) => {
    if (tax.itemType !== InvoiceItemType.TAX || tax.taxRate === null) return [];
    if (tax.linkedItemId !== charge.id || tax.invoiceId !== charge.invoiceId) return [];
    const amount = tax.repairable.minus(taxLeftOn(charge, tax));
    return amount.greaterThan(0) ? [{ tax, amount }] : [];
  });
}

/**
 * Returns the tax on what is left of the charge: its share of the whole tax, which contains rounding differences. The
 * tax can have been added after the charge was reduced, so a tax of category S is at least its rate of what is left.
 */
function taxLeftOn(
  charge: Pick<InvoiceItem, 'amount' | 'repairable'>,
  tax: Pick<InvoiceItem, 'amount' | 'taxRate' | 'taxCategory' | 'currency'>,
): Decimal {
  const share = charge.amount.isZero() ? ZERO : tax.amount.times(charge.repairable).dividedBy(charge.amount);
  const rate = tax.taxCategory === TaxCategory.S ? (tax.taxRate ?? ZERO) : ZERO;
  const byRate = charge.repairable.times(rate).dividedBy(100);
  return roundToCurrency(Decimal.max(share, byRate), tax.currency);
}
