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

/** An item that takes something off another one. */
export type CreditingItem = Pick<InvoiceItem, 'id' | 'itemType' | 'linkedItemId' | 'amount'>;

/** What a transaction has done that credit notes are about. */
interface Credited {
  /** Repairs and adjustments that are in force from now on, on whatever invoice. */
  readonly items: readonly CreditingItem[];
  /** Invoices that were COMMITTED and are VOID now, with all their items. */
  readonly voided: readonly { readonly invoice: Invoice; readonly items: readonly InvoiceItem[] }[];
  /** By id: the items that `items` take something off, and the invoices of these as they were before. */
  readonly linked: ReadonlyMap<Uuid, InvoiceItem>;
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
}

/** A credit note without what its account, the tenant and the moment give it. */
type DraftNote = Pick<New<CreditNote>, 'reason' | 'amount' | 'lines'> & { readonly invoice: Invoice };

export function isCrediting({ itemType }: Pick<InvoiceItem, 'itemType'>): boolean {
  return itemTypes[itemType].kind === 'ADJUSTMENT';
}

/**
 * The credit notes of a transaction (§21 rules 1 and 2): one for each invoice that was COMMITTED before it, in the order in
 * which the invoices are first credited.
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
    .map(({ invoice, items: all }) => noteOf(invoice, CreditNoteReason.VOID, takenBack(all)));
  return [...taken, ...cancelled].filter(({ lines }) => lines.length > 0);
}

/**
 * What the void of an invoice with these items takes back: of credits only what has made the customer owe less. The rest has
 * become account credit, and what was never owed cannot be credited.
 */
function takenBack(items: readonly InvoiceItem[]): readonly CreditNoteLine[] {
  const own = items.filter(({ itemType }) => itemTypes[itemType].kind !== 'ACCOUNT_CREDIT');
  let charged = sum(own.map(({ amount }) => amount).filter((amount) => amount.greaterThan(0)));
  return own.map(({ id: itemId, itemType, amount }) => {
    if (itemTypes[itemType].kind !== 'CREDIT') return { itemId, amount };
    const taken = amount.negated().greaterThan(charged) ? charged.negated() : amount;
    charged = charged.plus(taken);
    return { itemId, amount: taken };
  });
}

/** What another system has made is its own to credit. What is written off may still be taken back, and goes on being noted. */
function isNoted({ status, isMigration }: Invoice): boolean {
  return status === InvoiceStatus.COMMITTED && !isMigration;
}

function noteOf(invoice: Invoice, reason: CreditNoteReason, all: readonly CreditNoteLine[]): DraftNote {
  const lines = all.filter(({ amount }) => !amount.isZero());
  return { invoice, reason, lines, amount: sum(lines.map(({ amount }) => amount)) };
}
