import { type InvoiceItem, InvoiceItemType, TaxCategory } from '../../records/index.ts';
import { Decimal, roundToCurrency, ZERO } from '../../values/money/index.ts';

/** The reduction of a tax after an adjustment of the taxed charge. */
export interface FollowingTax {
  readonly tax: InvoiceItem;
  readonly amount: Decimal;
}

/**
 * Returns the amounts by which the taxes of an adjusted charge are reduced, so that the remaining tax is the tax on
 * the remainder of the charge (§9 rule 4). Only TAX items that have a rate and are on the invoice of the charge are
 * reduced.
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
 * Returns the tax on the remainder of the charge. This is the remainder's share of the whole tax, including rounding
 * differences. The tax may have been added after the charge was reduced, so a category S tax is at least the rate times
 * the remainder.
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
