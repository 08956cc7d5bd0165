import type { InvoiceItem } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import type { StoredElsewhere } from './decided-elsewhere.ts';

type Left = ReadonlyMap<Uuid, Decimal>;

/** What the repairs of a run leave of stored items: it is what plugins may take off them in the same run. */
export function leftOfItems({ evaluations }: Pick<AccountRun, 'evaluations'>): Left {
  return new Map(
    evaluations.flatMap(({ repairable }) => repairable.map(({ id, repairable: left }) => [id, left])),
  );
}

/** The item with what is left of it. */
export function withLeft<I extends Pick<InvoiceItem, 'id' | 'repairable'>>(item: I, left: Left): I {
  const repairable = left.get(item.id);
  return repairable === undefined ? item : { ...item, repairable };
}

/** What is stored, with what is left of items that are adjusted. */
export function withLeftOfLinked<S extends StoredElsewhere>(stored: S, left: Left): S {
  if (left.size === 0) return stored;
  return { ...stored, linked: new Map([...stored.linked].map(([id, item]) => [id, withLeft(item, left)])) };
}

/** The items of the draft that the run adds to, with what the run leaves of them. */
export function existingOf(run: Pick<AccountRun, 'evaluations' | 'invoice'>): readonly InvoiceItem[] {
  const items = run.invoice.draft?.items ?? [];
  if (items.length === 0) return items;
  const left = leftOfItems(run);
  return items.map((item) => withLeft(item, left));
}

/** A stored item that plugins have changed, with how it was for them. */
export interface TouchedItem {
  readonly before: InvoiceItem;
  readonly item: InvoiceItem;
}

/** The items that plugins have changed; both lists have the same items in the same order. */
export function touchedItems(
  before: readonly InvoiceItem[],
  after: readonly InvoiceItem[],
): readonly TouchedItem[] {
  return after.flatMap((item, index) => {
    const was = before[index];
    const isSame =
      was === undefined ||
      was === item ||
      (was.amount.equals(item.amount) && was.repairable.equals(item.repairable));
    return isSame ? [] : [{ before: was, item }];
  });
}

/** True: its amount is another one, so that it is written anew. */
export function isRewritten({ before, item }: TouchedItem): boolean {
  return !before.amount.equals(item.amount);
}
