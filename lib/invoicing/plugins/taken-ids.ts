import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { refusedTo } from './refused-to.ts';

/** The id of a new item that a plugin has chosen. */
export interface ChosenId {
  readonly id: Uuid;
  readonly pluginName: string;
}

interface NewItems {
  readonly items: readonly { readonly id: Uuid }[];
  readonly elsewhere: readonly { readonly item: { readonly id: Uuid } }[];
  readonly chosenIds: readonly ChosenId[];
}

/**
 * The ids that plugins cannot choose for new items (§13 rule 3): those of stored items, and of new ones of the invoices
 * that have been added.
 */
export class TakenIds {
  readonly #ids: Set<Uuid>;

  constructor(stored: Iterable<Uuid>) {
    this.#ids = new Set(stored);
  }

  /** Takes the ids of the invoice's new items. @throws BillingError INVOICE_ITEM_NOT_FOUND (4011) for a chosen one that is taken. */
  add({ items, elsewhere, chosenIds }: NewItems): void {
    const clash = chosenIds.find(({ id }) => this.#ids.has(id));
    if (clash !== undefined) throw refusedTo(clash.pluginName, takenId(clash.id));
    for (const { id } of items) this.#ids.add(id);
    for (const { item } of elsewhere) this.#ids.add(item.id);
  }
}

export function takenId(id: Uuid): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_ITEM_NOT_FOUND,
    message: `A new item cannot have the id ${id}, which an item of another invoice has`,
    facts: { invoiceItemId: id },
  });
}
