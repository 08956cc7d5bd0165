import { billionths, by, dayNumber, is, type StoredRow, sum } from './books.ts';
import type { Invariant } from './invariant.ts';

interface Line {
  readonly itemId: string;
  readonly amount: number;
}

const DAY_MS = 86_400_000;

/** The rules of invoicing §21, for tenants with credit notes from their first day. */
export const creditNotesTellAll: Invariant = {
  name: 'credit notes cover each reduction of a committed invoice once, numbered without gaps',
  breaches: ({ books }) => {
    const invoiceOf = new Map(books.invoices.map((invoice) => [invoice.id, invoice]));
    const itemOf = new Map(books.invoice_items.map((item) => [item.id, item]));
    const itemsOf = by(books.invoice_items, 'invoice_id');
    const notes = books.credit_notes.map((note) => ({ note, lines: linesOf(note) }));
    const noted = new Map<string, number>();
    const breaches: string[] = [];

    for (const { note, lines } of notes) {
      const what = `credit note ${note.id} of invoice ${note.invoice_id}`;
      if (total(lines) !== billionths(note.amount))
        breaches.push(`${what} has another amount than its lines`);
      if (note.reason === 'VOID') continue;
      const types = lines.map(({ itemId }) => itemOf.get(itemId)?.item_type);
      if (note.reason !== (types.includes('REPAIR_ADJ') ? 'REPAIR' : 'ADJUSTMENT'))
        breaches.push(`${what} has the reason ${note.reason}`);
      for (const { itemId, amount } of lines) {
        const item = itemOf.get(itemId);
        noted.set(itemId, (noted.get(itemId) ?? 0) + 1);
        if (!isCrediting(item)) breaches.push(`${what} is about ${item?.item_type}`);
        if (billionths(String(amount)) !== -billionths(item?.amount))
          breaches.push(`${what} has another amount of ${itemId}`);
        if (itemOf.get(item?.linked_item_id ?? '')?.invoice_id !== note.invoice_id)
          breaches.push(`${what} credits an item of another invoice`);
      }
    }

    for (const item of books.invoice_items.filter(isCrediting)) {
      const times = noted.get(item.id ?? '') ?? 0;
      const on = invoiceOf.get(item.invoice_id ?? '');
      const credited = invoiceOf.get(itemOf.get(item.linked_item_id ?? '')?.invoice_id ?? '');
      if (times > 1) breaches.push(`${item.item_type} ${item.id} is noted ${times} times`);
      if (times === 0 && isDue(item, on, credited))
        breaches.push(`${item.item_type} ${item.id} is in no credit note`);
    }

    for (const invoice of books.invoices) {
      const own = notes.filter(({ note }) => note.reason === 'VOID' && note.invoice_id === invoice.id);
      const items = itemsOf(invoice.id).filter(
        ({ item_type: type, amount }) => type !== 'CBA_ADJ' && billionths(amount) !== 0n,
      );
      const isVoided = invoice.status === 'VOID' && wasCommitted(invoice) && !is(invoice, 'is_migration');
      const isCharged = items.some(({ item_type: type }) => type !== 'CREDIT_ADJ');
      if (own.length !== (isVoided && isCharged ? 1 : 0))
        breaches.push(`${invoice.status} invoice ${invoice.id} has ${own.length} notes of a void`);
      if (own[0] !== undefined && total(own[0].lines) !== owed(items))
        breaches.push(`the note of the void of invoice ${invoice.id} does not credit what it had charged`);
    }

    for (const own of Map.groupBy(books.credit_notes, (note) => note.tenant_record_id).values()) {
      const numbers = own
        .map((note) => Number(note.credit_note_number))
        .toSorted((one, other) => one - other);
      if (numbers.some((number, index) => number !== index + 1))
        breaches.push(`credit notes are numbered ${numbers.join(', ')}`);
    }
    return breaches;
  },
};

function linesOf(note: StoredRow): readonly Line[] {
  return JSON.parse(note.lines ?? '[]') as readonly Line[];
}

function total(lines: readonly Line[]): bigint {
  return lines.reduce((sofar, { amount }) => sofar + billionths(String(amount)), 0n);
}

/** The total of the items, at least 0: the rest becomes account credit. */
function owed(items: readonly StoredRow[]): bigint {
  const charged = sum(items.filter(({ amount }) => billionths(amount) > 0n));
  const given = -sum(items.filter(({ item_type: type }) => type === 'CREDIT_ADJ'));
  return sum(items) + given - (given < charged ? given : charged);
}

function isCrediting(item: StoredRow | undefined): boolean {
  return item?.item_type === 'REPAIR_ADJ' || item?.item_type === 'ITEM_ADJ';
}

function wasCommitted(invoice: StoredRow | undefined): boolean {
  return invoice !== undefined && invoice.commit_date !== null;
}

/** Returns true if the item reduces an invoice committed on an earlier day, in the account's time zone. */
function isDue(item: StoredRow, on: StoredRow | undefined, credited: StoredRow | undefined): boolean {
  if (billionths(item.amount) === 0n || !wasCommitted(on) || !wasCommitted(credited)) return false;
  if (is(credited as StoredRow, 'is_migration')) return false;
  const since = on === credited ? Math.floor(Number(item.created_date) / DAY_MS) : dayNumber(on?.commit_date);
  return dayNumber(credited?.commit_date) < since - 1;
}
