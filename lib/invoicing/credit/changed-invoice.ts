import {
  type AccountInvoicingState,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  type New,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import {
  accountBalancesAfter,
  amountsAfterItems,
  type CountedItem,
  invoiceAmounts,
} from '../invoices/invoice-amounts.ts';
import { type Draft, invoiceAdjustmentEvents } from '../invoices/new-invoice.ts';
import { type NewInvoiceItem, plainItem } from '../invoices/new-item.ts';
import type { CreditMove } from './apply-credit.ts';

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

/** The CBA_ADJ item of a move (§1.3, §10 rule 7); `today` is a local date of the account. */
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

/** Stored invoices after credit was used on them, and the CBA_ADJ items that did it. */
export interface CreditedInvoices {
  readonly invoices: readonly Invoice[];
  readonly items: readonly (NewInvoiceItem & { readonly invoice: Invoice })[];
}

export const NOTHING_CREDITED: CreditedInvoices = { invoices: [], items: [] };

/** These invoices after the moves that concern them, with the items of the moves. */
export function creditInvoices(
  invoices: readonly Invoice[],
  moves: readonly CreditMove[],
  { today, nextItemId }: { readonly today: LocalDate; readonly nextItemId: () => Uuid },
): CreditedInvoices {
  const moved = invoices.filter(({ id }) => moves.some(({ invoiceId }) => invoiceId === id));
  return {
    invoices: moved.map((invoice) => afterMoves(invoice, moves)),
    items: moves.flatMap((move) => {
      const invoice = moved.find(({ id }) => id === move.invoiceId);
      return invoice === undefined ? [] : [{ ...creditItem(nextItemId(), move, today), invoice }];
    }),
  };
}

/** The kept sums of an invoice after its moves; `amount` leaves credit out (§1.4 rule 1). */
export function afterMoves<I extends Pick<Invoice, 'id' | 'creditAdj' | 'rawBalance'>>(
  invoice: I,
  moves: readonly CreditMove[],
): I {
  const moved: Decimal = sum(
    moves.filter(({ invoiceId }) => invoiceId === invoice.id).map(({ amount }) => amount),
  );
  return moved.isZero()
    ? invoice
    : {
        ...invoice,
        creditAdj: invoice.creditAdj.plus(moved),
        rawBalance: invoice.rawBalance.plus(moved),
      };
}

/** The account's balances after moves on stored invoices: the credit goes down with what it pays. */
export function stateAfterMoves(
  state: AccountInvoicingState,
  invoices: readonly Invoice[],
  moves: readonly CreditMove[],
): AccountInvoicingState {
  return invoices.reduce(
    (known, invoice) => accountBalancesAfter(known, { before: invoice, after: afterMoves(invoice, moves) }),
    state,
  );
}
