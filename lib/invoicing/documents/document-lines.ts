import { InvoiceItemType, itemTypes } from '../../records/index.ts';
import type { Currency } from '../../values/money/index.ts';
import { roundToCurrency, sum } from '../../values/money/index.ts';
import type { InvoiceItemView } from '../invoices/invoice-view.ts';

/**
 * The items that a document shows (§14 rule 4), in their order: credits are merged into one line, account credit into
 * another behind it, and what comes to 0 is left out.
 */
export function documentItems(
  items: readonly InvoiceItemView[],
  currency: Currency,
): readonly InvoiceItemView[] {
  const others = items.filter((item) => !isCredit(item));
  const merged = [InvoiceItemType.CREDIT_ADJ, InvoiceItemType.CBA_ADJ].flatMap((type) =>
    mergedItem(items, type),
  );
  return [...others, ...merged].filter(({ amount }) => !roundToCurrency(amount, currency).isZero());
}

/** The first item of the type with the sum of them all, described by the first unless they differ. */
function mergedItem(items: readonly InvoiceItemView[], type: InvoiceItemType): readonly InvoiceItemView[] {
  const [first, ...more] = items.filter(({ itemType }) => itemType === type);
  if (first === undefined) return [];
  if (more.length === 0) return [first];
  const isAlike = more.every(({ description }) => description === first.description);
  const [ofSeveral = first.description] = Object.keys(itemTypes[type].descriptions);
  return [
    {
      ...first,
      amount: sum([first, ...more].map(({ amount }) => amount)),
      description: isAlike ? first.description : ofSeveral,
    },
  ];
}

/** Whether the item is a credit or account credit. */
export function isCredit({ itemType }: Pick<InvoiceItemView, 'itemType'>): boolean {
  const { kind } = itemTypes[itemType];
  return kind === 'CREDIT' || kind === 'ACCOUNT_CREDIT';
}
