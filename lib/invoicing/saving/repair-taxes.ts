import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import { type InvoiceItem, InvoiceItemType, InvoiceStatus } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum, ZERO } from '../../values/money/index.ts';
import { isTaxOfRepair } from '../invoices/new-item.ts';

/**
 * Reduces the remainders of the TAX items of repaired charges by the taxes on their repairs (§14 rule 9). If the
 * invoice of these items is now VOID, raises the remainders again. Executes a constant number of statements, and none
 * if there are no such taxes.
 * @param items The items of the invoices that were just stored or voided.
 */
export async function setTaxRemainders(
  session: WriteSession,
  items: readonly Pick<InvoiceItem, 'itemType' | 'amount' | 'linkedItemId'>[],
): Promise<void> {
  const repairIds = new Set(items.filter(isTaxOfRepair).flatMap(({ linkedItemId }) => linkedItemId ?? []));
  if (repairIds.size === 0) return;
  const repairs = await session.invoices.findItemsByIds([...repairIds]);
  const chargeIds = new Set(repairs.flatMap(({ linkedItemId }) => linkedItemId ?? []));
  const remainders = await taxRemainders(session, [...chargeIds]);
  await session.invoices.setRepairable([...remainders].map(([id, repairable]) => ({ id, repairable })));
}

/**
 * Returns the remainder of each TAX item of these charges after adjustments and taxes on repairs. A remainder is at
 * least 0. The tax on a repair reduces the TAX items with the same tax details.
 */
export async function taxRemainders(
  session: ReadSession,
  chargeIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Decimal>> {
  const ofCharges = (await session.invoices.findItemsLinkedTo(chargeIds)).filter(
    ({ itemType }) => itemType === InvoiceItemType.TAX || itemType === InvoiceItemType.REPAIR_ADJ,
  );
  const reducing = (await session.invoices.findItemsLinkedTo(ofCharges.map(({ id }) => id))).filter(
    (item) => item.itemType === InvoiceItemType.ITEM_ADJ || isTaxOfRepair(item),
  );
  const inForce = await itemsInForce(session, reducing);
  const reductionsOf = Map.groupBy(inForce, ({ linkedItemId }) => linkedItemId);
  const remainders = new Map<Uuid, Decimal>();
  for (const own of Map.groupBy(ofCharges, ({ linkedItemId }) => linkedItemId).values()) {
    const isTax = ({ itemType }: InvoiceItem) => itemType === InvoiceItemType.TAX;
    const credited = own.filter((item) => !isTax(item)).flatMap(({ id }) => reductionsOf.get(id) ?? []);
    for (const [facts, taxes] of Map.groupBy(own.filter(isTax), factsKey)) {
      let left = sum(credited.filter((tax) => factsKey(tax) === facts).map(({ amount }) => amount)).negated();
      for (const { id, amount } of taxes) {
        const adjusted = amount.plus(sum((reductionsOf.get(id) ?? []).map((each) => each.amount)));
        const taken = left.lessThan(adjusted) ? left : adjusted;
        remainders.set(id, adjusted.minus(taken));
        left = taken.lessThan(left) ? left.minus(taken) : ZERO;
      }
    }
  }
  return remainders;
}

async function itemsInForce(session: ReadSession, items: readonly InvoiceItem[]) {
  const invoices = await session.invoices.findByIds([...new Set(items.map(({ invoiceId }) => invoiceId))]);
  const inForce = new Set(
    invoices
      .filter(({ status, isMigration }) => status !== InvoiceStatus.VOID && !isMigration)
      .map(({ id }) => id),
  );
  return items.filter(({ invoiceId }) => inForce.has(invoiceId));
}

function factsKey({ taxRate, taxCategory, taxExemption }: InvoiceItem): string {
  return JSON.stringify([taxRate?.toFixed() ?? null, taxCategory, taxExemption]);
}
