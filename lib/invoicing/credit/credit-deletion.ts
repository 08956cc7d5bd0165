import { type InvoiceItem, InvoiceItemType } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, formatDecimal, ZERO } from '../../values/money/index.ts';

export type ChangedCredit = Pick<
  InvoiceItem,
  'id' | 'invoiceId' | 'itemType' | 'amount' | 'repairable' | 'description'
>;

/**
 * Returns the used credit that must be reversed before this item can be deleted. Returns 0 for an item with a negative
 * amount.
 */
export function creditToReclaim(item: InvoiceItem, accountCBA: Decimal): Decimal {
  return item.amount.greaterThan(accountCBA) ? item.amount.minus(accountCBA) : ZERO;
}

/**
 * Returns the invoice items that change when a CBA_ADJ item is deleted (§9 rule 7). The amount of the deleted item
 * becomes 0. If the item generated credit, the source credit is reduced too. `items` contains all items of the invoice.
 * @throws BillingError INVOICE_CBA_DELETED (4030) if the invoice has no source credit of that amount.
 */
export function deletedCredit(item: InvoiceItem, items: readonly InvoiceItem[]): readonly ChangedCredit[] {
  if (item.amount.isZero()) return [];
  if (item.amount.isNegative()) return [changeCreditItem(item, ZERO, 'Delete used credit')];
  const { id: invoiceItemId, invoiceId } = item;
  const credit = items.find(
    ({ itemType, amount }) =>
      itemType === InvoiceItemType.CREDIT_ADJ && amount.negated().greaterThanOrEqualTo(item.amount),
  );
  if (credit === undefined) {
    const amount = formatDecimal(item.amount);
    const message = `Cannot delete credit item ${invoiceItemId} (${amount}): invoice ${invoiceId} has no source credit of that amount`;
    throw billingError(ErrorCode.INVOICE_CBA_DELETED, message, { invoiceId, invoiceItemId, amount });
  }
  return [
    changeCreditItem(item, ZERO, 'Delete gained credit'),
    { ...changeCreditItem(credit, credit.amount.plus(item.amount), credit.description), repairable: ZERO },
  ];
}

/**
 * Reverses used credit until `amount` is reached (§9 rule 7).
 * @param used items that use credit (CBA_ADJ, negative), newest first.
 * @returns the changed items and the amount that is still missing.
 */
export function reclaimedCredit(used: readonly InvoiceItem[], amount: Decimal) {
  let missing = amount;
  const reclaimed: ChangedCredit[] = [];
  for (const item of used) {
    if (!missing.greaterThan(0)) break;
    const usedAmount = item.amount.negated();
    const taken = usedAmount.lessThan(missing) ? usedAmount : missing;
    missing = missing.minus(taken);
    reclaimed.push(changeCreditItem(item, item.amount.plus(taken), 'Reclaim used credit'));
  }
  return { changed: reclaimed, missing };
}

/** Returns the change of each invoice: the change of its CBA_ADJ items (`credit`) and of all its items (`all`). */
export function differences(
  before: readonly InvoiceItem[],
  after: readonly ChangedCredit[],
): ReadonlyMap<Uuid, { readonly credit: Decimal; readonly all: Decimal }> {
  const amountOf = new Map(before.map(({ id, amount }) => [id, amount]));
  const byInvoice = new Map<Uuid, { readonly credit: Decimal; readonly all: Decimal }>();
  for (const { id, invoiceId, itemType, amount } of after) {
    const known = byInvoice.get(invoiceId) ?? { credit: ZERO, all: ZERO };
    const difference = amount.minus(amountOf.get(id) ?? ZERO);
    const isCredit = itemType === InvoiceItemType.CBA_ADJ;
    byInvoice.set(invoiceId, {
      credit: isCredit ? known.credit.plus(difference) : known.credit,
      all: known.all.plus(difference),
    });
  }
  return byInvoice;
}

function changeCreditItem(item: InvoiceItem, amount: Decimal, description: string | null): ChangedCredit {
  const { id, invoiceId, itemType } = item;
  const plain = amount.isZero() ? ZERO : amount;
  return { id, invoiceId, itemType, amount: plain, repairable: plain, description };
}
