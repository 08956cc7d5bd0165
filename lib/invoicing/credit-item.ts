import { InvoiceItemType } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import type { CreditMove } from './account-credit.ts';
import type { NewInvoiceItem } from './new-items.ts';

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

/** The CBA_ADJ item of a move (§1.3, §10 rule 7); `today` = local date of the account. */
export function creditItem(
  id: Uuid,
  { amount, basis }: Pick<CreditMove, 'amount' | 'basis'>,
  today: LocalDate,
): NewInvoiceItem {
  const description = amount.isNegative()
    ? 'Adjustment (use of account credit)'
    : 'Adjustment (account credit)';
  return plainItem({
    id,
    itemType: InvoiceItemType.CBA_ADJ,
    description,
    startDate: today,
    endDate: today,
    amount,
    repairable: amount,
    basis,
  });
}
