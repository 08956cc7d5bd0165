import type { Invoice, InvoiceItem, New } from '../../records/index.ts';
import type { Draft } from '../invoices/drafting.ts';
import { amountsAfterItems, type CountedItem, invoiceAmounts } from '../invoices/invoice-amounts.ts';
import { invoiceAdjustmentEvents } from '../invoices/invoice-events.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { CreditMove } from './apply-credit.ts';
import { afterMoves } from './credit-moves.ts';

/** An invoice that a transaction has made or touched. */
export interface ChangedInvoice {
  /** As it is stored; null = it is new. */
  readonly before: Invoice | null;
  /**
   * `before` itself where only the credit that it may be offered has changed. Otherwise the invoice with its new items
   * and payments counted, but without credit of this transaction. A new one is numbered here.
   */
  readonly after: New<Invoice>;
  readonly newItems?: readonly NewInvoiceItem[];
  /** All items, the new ones included; needed where they decide the amount: for an invoice with a credit (§1.4). */
  readonly allItems?: readonly (CountedItem & Pick<InvoiceItem, 'linkedItemId'>)[];
  /** True: the invoice is told as adjusted whatever its items say. */
  readonly isAdjusted?: boolean;
  /** True: it is told as adjusted once for each of its new items, as it is when an account is closed (§16). */
  readonly tellsEachItem?: boolean;
}

/** A credit item, and the invoice that gets it. */
export interface CreditUse {
  readonly item: NewInvoiceItem;
  readonly invoice: New<Invoice>;
}

/** The changed invoice with its credit. Where it has one, all of its items decide its amount anew. */
export function creditedChange(
  { after, allItems }: ChangedInvoice,
  moves: readonly CreditMove[],
  uses: readonly CreditUse[],
): New<Invoice> {
  const credited = afterMoves(after, moves);
  if (allItems === undefined) return credited;
  const own = uses.filter(({ invoice }) => invoice.id === after.id).map(({ item }) => item);
  return { ...credited, amount: invoiceAmounts([...allItems, ...own]).amount };
}

export function hasOtherAmounts({
  before,
  stored,
}: {
  readonly before: Invoice;
  readonly stored: New<Invoice>;
}): boolean {
  return !(
    before.rawBalance.equals(stored.rawBalance) &&
    before.amount.equals(stored.amount) &&
    before.creditAdj.equals(stored.creditAdj) &&
    before.refundAdj.equals(stored.refundAdj)
  );
}

export type StoredChange = ChangedInvoice & { readonly stored: New<Invoice> };

export function isNewlyCommitted({ before, stored }: Pick<StoredChange, 'before' | 'stored'>): boolean {
  return stored.status === 'COMMITTED' && before?.status !== 'COMMITTED';
}

/**
 * True if items were added to an invoice that existed before and is committed now, or credit was made of it or used on it
 * (§16). A draft that this transaction commits is told as adjusted beside its creation.
 */
export function isAdjusted(change: StoredChange, moves: readonly CreditMove[]): boolean {
  const { before, stored, newItems = [], isAdjusted: told = false } = change;
  if (told || before === null || stored.status !== 'COMMITTED') return told;
  return newItems.length > 0 || moves.some(({ invoiceId }) => invoiceId === stored.id);
}

export function adjustmentEvents({ stored, newItems = [], tellsEachItem = false }: StoredChange) {
  const times = tellsEachItem ? Math.max(1, newItems.length) : 1;
  return invoiceAdjustmentEvents(stored, times);
}

/** A new invoice with these items. */
export function withItems(
  invoice: ChangedInvoice['after'],
  newItems: readonly NewInvoiceItem[],
): ChangedInvoice {
  const after = { ...invoice, ...invoiceAmounts(newItems) };
  return { before: null, after, newItems, allItems: newItems };
}

/** The draft with further items; whether its credit counts in its amount depends on them all (§1.4). */
export function withMoreItems(
  { invoice, items }: Draft,
  newItems: readonly NewInvoiceItem[],
): ChangedInvoice {
  const allItems = [...items, ...newItems];
  const { rawBalance } = amountsAfterItems(invoice, newItems);
  const after = { ...invoice, rawBalance, amount: invoiceAmounts(allItems).amount };
  return { before: invoice, after, newItems, allItems };
}
