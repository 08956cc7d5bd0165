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

export interface ChangedInvoice {
  /** The stored invoice, or null for a new invoice. */
  readonly before: Invoice | null;
  /**
   * The invoice after the change. Equals `before` if only its credit can change. Otherwise includes new items and
   * payments, but no new credit.
   */
  readonly after: New<Invoice>;
  readonly newItems?: readonly NewInvoiceItem[];
  /**
   * All items of the invoice, including new items. Required for an invoice with a credit, because that invoice's amount
   * depends on all its items (§1.4).
   */
  readonly allItems?: readonly (CountedItem & Pick<InvoiceItem, 'id' | 'linkedItemId'>)[];
  /** If true, the invoice is reported as adjusted regardless of its items. */
  readonly isAdjusted?: boolean;
  /** If true, an adjustment is reported for each new item, for example when an account is closed (§16). */
  readonly reportsEachItem?: boolean;
}

export interface CreditUse {
  readonly item: NewInvoiceItem;
  readonly invoice: New<Invoice>;
}

/** Returns the changed invoice with its credit. The amount of an invoice with credit is computed from all its items. */
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
}) {
  const names = ['rawBalance', 'amount', 'creditAdj', 'refundAdj'] as const;
  return !names.every((name) => before[name].equals(stored[name]));
}

export type StoredChange = ChangedInvoice & { readonly stored: New<Invoice> };

export function isNewlyCommitted({ before, stored }: Pick<StoredChange, 'before' | 'stored'>): boolean {
  return stored.status === 'COMMITTED' && before?.status !== 'COMMITTED';
}

/**
 * Returns true if a stored, now committed invoice got items, or generated or used credit (§16). A draft that this
 * transaction commits is reported as adjusted and as created.
 */
export function isAdjusted(change: StoredChange, moves: readonly CreditMove[]): boolean {
  const { before, stored, newItems = [], isAdjusted: told = false } = change;
  if (told || before === null || stored.status !== 'COMMITTED') return told;
  return newItems.length > 0 || moves.some(({ invoiceId }) => invoiceId === stored.id);
}

export function adjustmentEvents({ stored, newItems = [], reportsEachItem = false }: StoredChange) {
  return invoiceAdjustmentEvents(stored, reportsEachItem ? Math.max(1, newItems.length) : 1);
}

export function withItems(invoice: New<Invoice>, newItems: readonly NewInvoiceItem[]): ChangedInvoice {
  const after = { ...invoice, ...invoiceAmounts(newItems) };
  return { before: null, after, newItems, allItems: newItems };
}

/**
 * Returns the draft with further items. Whether the amount of the draft includes its credit depends on all its items
 * (§1.4).
 */
export function withMoreItems(
  { invoice, items }: Draft,
  newItems: readonly NewInvoiceItem[],
): ChangedInvoice {
  const allItems = [...items, ...newItems];
  const { rawBalance } = amountsAfterItems(invoice, newItems);
  const after = { ...invoice, rawBalance, amount: invoiceAmounts(allItems).amount };
  return { before: invoice, after, newItems, allItems };
}

/** Returns the CBA_ADJ item of a credit move (§1.3, §10 rule 7). `today` is a local date of the account. */
export function creditItem(
  id: Uuid,
  { amount, basis }: Pick<CreditMove, 'amount' | 'basis'>,
  today: LocalDate,
): NewInvoiceItem {
  const description = amount.isNegative()
    ? 'Adjustment (use of account credit)'
    : 'Adjustment (account credit)';
  const dates = { startDate: today, endDate: today };
  const itemType = InvoiceItemType.CBA_ADJ;
  return plainItem({ id, itemType, description, ...dates, amount, repairable: amount, basis });
}

/** Stored invoices after account credit was applied, and the CBA_ADJ items that applied it. */
export interface CreditedInvoices {
  readonly invoices: readonly Invoice[];
  readonly items: readonly (NewInvoiceItem & { readonly invoice: Invoice })[];
}

export const NOTHING_CREDITED: CreditedInvoices = { invoices: [], items: [] };

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

/** Returns the invoice with its sums after the credit moves. `amount` excludes credit (§1.4 rule 1). */
export function afterMoves<I extends Pick<Invoice, 'id' | 'creditAdj' | 'rawBalance'>>(
  invoice: I,
  moves: readonly CreditMove[],
): I {
  const own = moves.filter(({ invoiceId }) => invoiceId === invoice.id);
  const moved: Decimal = sum(own.map(({ amount }) => amount));
  if (moved.isZero()) return invoice;
  const { creditAdj, rawBalance } = invoice;
  return { ...invoice, creditAdj: creditAdj.plus(moved), rawBalance: rawBalance.plus(moved) };
}

/** Returns the account's balances after credit moves on stored invoices. */
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
