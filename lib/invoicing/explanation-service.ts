import type { CallContext } from '../context.ts';
import type { Uuid } from '../ids/index.ts';
import { noSuchObject } from '../objects/no-such-object.ts';
import { ObjectType } from '../objects/object-type.ts';
import type { Ports } from '../ports/index.ts';
import { explainItem, type ItemExplanation } from './explanation.ts';
import { readBasis } from './item-basis-text.ts';

/** Explains what invoices hold. */
export class ExplanationService {
  readonly #ports: Pick<Ports, 'storage'>;

  constructor(ports: Pick<Ports, 'storage'>) {
    this.#ports = ports;
  }

  /**
   * Why an item has its amount: events, price, catalog version, period, days, and every step to the rounded amount, as they
   * were when the item was made; with a paragraph of English that works the sum out. Amounts that were given, such as those
   * of external charges, have no steps.
   * @throws BillingError INVOICE_ITEM_NOT_FOUND (4011).
   */
  async explain(context: CallContext, itemId: Uuid): Promise<ItemExplanation> {
    return this.#ports.storage.read(context.tenant, async (session) => {
      const [item] = await session.invoices.findItemsByIds([itemId]);
      if (item === undefined) throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: itemId });
      const [kept] = await session.invoices.findItemBases([item]);
      const [linked] = await session.invoices.findItemsByIds(
        item.linkedItemId === null ? [] : [item.linkedItemId],
      );
      return explainItem({ item, linked, basis: kept === undefined ? null : readBasis(kept.basis) });
    });
  }
}
