import type { ReadSession } from '../../ports/storage/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { AskedInvoice } from '../plugins/additional-items.ts';
import type { StoredElsewhere } from '../plugins/decided-elsewhere.ts';

/** What is stored of what plugins name. */
export interface LoadedElsewhere extends StoredElsewhere {
  /** Ids that plugins have chosen for new items and that stored ones have. */
  readonly taken: ReadonlySet<Uuid>;
}

/** What is stored of the invoices and items that plugins name; no statement where they name none. */
export async function loadElsewhere(
  session: ReadSession,
  asked: readonly AskedInvoice[],
): Promise<LoadedElsewhere> {
  const elsewhere = asked.flatMap((each) => each.elsewhere);
  const chosenIds = asked.flatMap((each) => each.chosenIds.map(({ id }) => id));
  const linkedIds = elsewhere.flatMap(({ item }) => item.linkedItemId ?? []);
  const wanted = [...new Set([...linkedIds, ...chosenIds])];
  const found = wanted.length === 0 ? [] : await session.invoices.findItemsByIds(wanted);
  const invoiceIds = new Set([
    ...elsewhere.flatMap(({ invoiceId }) => invoiceId ?? []),
    ...found.map(({ invoiceId }) => invoiceId),
  ]);
  const isNeeded = elsewhere.length > 0 && invoiceIds.size > 0;
  const invoices = isNeeded ? await session.invoices.findByIds([...invoiceIds]) : [];
  const items = isNeeded ? await session.invoices.findItems(invoices.map(({ id }) => id)) : [];
  return {
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
    itemsOf: Map.groupBy(items, ({ invoiceId }) => invoiceId),
    linked: new Map(found.map((item) => [item.id, item])),
    taken: new Set(found.filter(({ id }) => chosenIds.includes(id)).map(({ id }) => id)),
  };
}
