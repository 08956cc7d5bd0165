import { type Invoice, type InvoiceItem, InvoiceItemType } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';

/** How much an invoice takes off an item, of whatever invoice. */
export interface BroughtRepair {
  readonly itemId: Uuid;
  /** Above 0. */
  readonly amount: Decimal;
}

/** By how much an invoice lowers another one, a debt that a parent has not paid (§10 rule 8). */
export interface RepairedDebt {
  /** The invoice with the repairs. */
  readonly by: Uuid;
  readonly invoiceId: Uuid;
  /** Balance of the repaired invoice before. */
  readonly balance: Decimal;
  /** Above 0, at most the balance. */
  readonly amount: Decimal;
}

type Repairing = Pick<Invoice, 'id' | 'rawBalance'> & { readonly repairs?: readonly BroughtRepair[] };

/** What these items of an invoice repair. */
export function repairsAmong(
  items: readonly Pick<InvoiceItem, 'itemType' | 'linkedItemId' | 'amount'>[],
): readonly BroughtRepair[] {
  return items.flatMap(({ itemType, linkedItemId: itemId, amount }) => {
    if (itemType !== InvoiceItemType.REPAIR_ADJ || itemId === null || amount.isZero()) return [];
    return [{ itemId, amount: amount.negated() }];
  });
}

/**
 * What the candidates' repairs take off debts that parents have not paid, in their order: never more than is left of a
 * debt, since what was used on it of given credit is the child's again.
 * @param debtOf by repaired item: its invoice, for those of such debts.
 */
export function repairedDebts(
  candidates: readonly Repairing[],
  debtOf: ReadonlyMap<Uuid, Pick<Invoice, 'id' | 'rawBalance'>>,
): readonly RepairedDebt[] {
  if (debtOf.size === 0) return [];
  const left = new Map(candidates.map(({ id, rawBalance }) => [id, rawBalance]));
  return candidates.flatMap(({ id: by, repairs = [] }) => {
    const repairsOf = Map.groupBy(repairs, ({ itemId }) => debtOf.get(itemId));
    return [...repairsOf].flatMap(([debt, own]) => {
      if (debt === undefined || debt.id === by) return [];
      const balance = left.get(debt.id) ?? debt.rawBalance;
      const repaired = sum(own.map(({ amount }) => amount));
      const amount = repaired.lessThan(balance) ? repaired : balance;
      if (!amount.greaterThan(0)) return [];
      left.set(debt.id, balance.minus(amount));
      return [{ by, invoiceId: debt.id, balance, amount }];
    });
  });
}
