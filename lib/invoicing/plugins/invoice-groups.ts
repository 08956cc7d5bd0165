import { InvoiceItemType } from '../../records/index.ts';
import { MalformedAnswer } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';

/**
 * The items of one run as several invoices (§8.2 step 12). Items that no group names go to the first, empty groups are
 * dropped, and an adjustment stays with its item, whatever group names it.
 * @param creditIds items of account credit: they are computed for each invoice anew, so naming them says nothing.
 * @throws MalformedAnswer for an id that the invoice does not have, or that two groups name.
 */
export function groupedItems(
  items: readonly NewInvoiceItem[],
  groups: readonly (readonly Uuid[])[],
  creditIds: ReadonlySet<Uuid> = new Set(),
): readonly (readonly NewInvoiceItem[])[] {
  const groupOf = new Map<Uuid, number>();
  const known = new Map(items.map((item) => [item.id, item]));
  for (const [index, ids] of groups.entries()) {
    for (const id of ids) {
      if (creditIds.has(id)) continue;
      if (!known.has(id)) throw new MalformedAnswer(`grouped item ${id}, which the invoice does not have`);
      if (groupOf.has(id)) throw new MalformedAnswer(`put item ${id} into groups twice`);
      groupOf.set(id, index);
    }
  }
  const named = [...groupOf.values()].sort((a, b) => a - b);
  const first = named[0] ?? 0;
  const homeOf = ({ id, itemType, linkedItemId }: NewInvoiceItem): number => {
    const adjusted =
      itemType === InvoiceItemType.ITEM_ADJ && linkedItemId !== null ? known.get(linkedItemId) : undefined;
    return adjusted === undefined ? (groupOf.get(id) ?? first) : homeOf(adjusted);
  };
  const homes = Map.groupBy(items, homeOf);
  return [...homes.keys()].sort((a, b) => a - b).map((home) => homes.get(home) ?? []);
}
