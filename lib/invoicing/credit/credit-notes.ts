import {
  type CreditNote,
  type CreditNoteLine,
  CreditNoteReason,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  itemTypes,
  type New,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { sum } from '../../values/money/index.ts';
import { isTaxOfRepair } from '../invoices/new-item.ts';

export type CreditingItem = Pick<InvoiceItem, 'id' | 'itemType' | 'linkedItemId' | 'amount'>;

/** The changes of a transaction that credit notes document. */
interface Credited {
  /** Repairs and adjustments that take effect now, on all invoices. */
  readonly items: readonly CreditingItem[];
  /** Invoices that were COMMITTED and are VOID now, each with all its items. */
  readonly voided: readonly { readonly invoice: Invoice; readonly items: readonly InvoiceItem[] }[];
  /**
   * The items that `items` reduces, by id. `invoices` contains the invoices of these items in their state before the
   * transaction, by id.
   */
  readonly linked: ReadonlyMap<Uuid, InvoiceItem>;
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
}

/** A credit note before its account, tenant and time are added. */
type DraftNote = Pick<New<CreditNote>, 'reason' | 'amount' | 'lines'> & { readonly invoice: Invoice };

/**
 * Returns the items of an invoice that credit earlier charges: repairs, adjustments, and the taxes of repairs. A tax is
 * linked to the item of its repair. Any other item is linked to the credited item.
 */
export function creditingItems<I extends CreditingItem>(items: readonly I[]): readonly I[] {
  const credits = items.filter((item) => itemTypes[item.itemType].kind === 'ADJUSTMENT');
  const taxes = items.filter(isTaxOfRepair);
  if (taxes.length === 0) return credits;
  const creditedBy = new Map(credits.map(({ id, linkedItemId }) => [id, linkedItemId]));
  const linked = taxes.map((tax) => ({
    ...tax,
    linkedItemId: tax.linkedItemId && (creditedBy.get(tax.linkedItemId) ?? null),
  }));
  return [...credits, ...linked];
}

/**
 * Returns one credit note per invoice that was COMMITTED before the transaction, in the order in which the invoices
 * are first credited (§21 rules 1, 2).
 */
export function creditNotesOf({ items, voided, linked, invoices }: Credited): readonly DraftNote[] {
  const credited = items.flatMap((item) => {
    const target = item.linkedItemId === null ? undefined : linked.get(item.linkedItemId);
    const invoice = target === undefined ? undefined : invoices.get(target.invoiceId);
    return invoice === undefined || !isNoted(invoice) ? [] : [{ invoice, item }];
  });
  const byInvoice = Map.groupBy(credited, ({ invoice }) => invoice.id);
  const taken = [...byInvoice.values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const isRepair = own.some(({ item }) => item.itemType === InvoiceItemType.REPAIR_ADJ);
    const reason = isRepair ? CreditNoteReason.REPAIR : CreditNoteReason.ADJUSTMENT;
    const lines = own.map(({ item }) => ({ itemId: item.id, amount: item.amount.negated() }));
    return [noteOf(first.invoice, reason, lines)];
  });
  const cancelled = voided
    .filter(({ invoice }) => isNoted(invoice))
    .map(({ invoice, items: all }) => noteOf(invoice, CreditNoteReason.VOID, creditableItems(all)));
  return [...taken, ...cancelled].filter(({ lines }) => lines.length > 0);
}

/**
 * Returns the items that are credited when an invoice is voided. For a credit item, only the part that reduced the debt
 * is included. The rest became account credit, and a credit note cannot credit an amount that was never owed.
 */
function creditableItems(items: readonly InvoiceItem[]) {
  const own = items.filter(({ itemType }) => itemTypes[itemType].kind !== 'ACCOUNT_CREDIT');
  let charged = sum(own.map(({ amount }) => amount).filter((amount) => amount.greaterThan(0)));
  return own.map(({ id: itemId, itemType, amount }) => {
    if (itemTypes[itemType].kind !== 'CREDIT') return { itemId, amount };
    const taken = amount.negated().greaterThan(charged) ? charged.negated() : amount;
    charged = charged.plus(taken);
    return { itemId, amount: taken };
  });
}

/**
 * Returns true if the invoice gets credit notes. Migrated invoices get no credit notes. Written-off invoices get credit
 * notes, because a write-off can be undone.
 */
function isNoted({ status, isMigration }: Invoice): boolean {
  return status === InvoiceStatus.COMMITTED && !isMigration;
}

function noteOf(invoice: Invoice, reason: CreditNoteReason, all: readonly CreditNoteLine[]): DraftNote {
  const lines = all.filter(({ amount }) => !amount.isZero());
  return { invoice, reason, lines, amount: sum(lines.map(({ amount }) => amount)) };
}
