import type { Invoice, InvoiceItem } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice } from './additional-items.ts';
import { elsewhereChanges, type StoredElsewhere } from './decided-elsewhere.ts';
import { isRewritten, touchedItems } from './left-of-items.ts';
import { askedOf, changeOf, type ProposedChange, type ProposedInvoice } from './proposed-change.ts';

/** What is to be stored of an operation. */
export interface DecidedChange {
  /** The invoices of the operation, then the others that plugins add to. */
  readonly changes: readonly ChangedInvoice[];
  /** Items of drafts that plugins have rewritten, and what remains of items that are adjusted. */
  readonly rewritten: readonly InvoiceItem[];
  readonly remains: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
}

/** The operation as it is where nobody has a say. */
export function undecidedChange({ invoices }: ProposedChange): DecidedChange {
  return {
    changes: invoices.map((each) => changeOf(each, askedOf(each))),
    rewritten: [],
    remains: invoices.flatMap(({ remains }) => remains ?? []),
  };
}

/**
 * The operation with what plugins have made of its invoices.
 * @param asked one for each of the invoices, in their order.
 * @throws BillingError of `elsewhereChanges`.
 */
export function decidedChange(
  { accounts, invoices }: ProposedChange,
  asked: readonly AskedInvoice[],
  stored: StoredElsewhere,
): DecidedChange {
  const [account] = accounts;
  const elsewhere = asked.flatMap((each) => each.elsewhere);
  const own = invoices.map((proposed, index) => ({ proposed, asked: asked[index] ?? askedOf(proposed) }));
  const other =
    account === undefined || elsewhere.length === 0
      ? { changes: [], remains: [] }
      : elsewhereChanges(account.id, elsewhere, withOwn(stored, own));
  const addedTo = new Map(other.changes.map(({ after, newItems = [] }) => [after.id, newItems]));
  const left = new Map(other.remains.map((each) => [each.id, each.repairable]));
  const isOwn = new Set<Uuid>(invoices.map(({ invoice }) => invoice.id));
  const remaining = <I extends Pick<InvoiceItem, 'id' | 'repairable'>>(item: I): I => {
    const repairable = left.get(item.id);
    return repairable === undefined ? item : { ...item, repairable };
  };
  const decided = own.map(({ proposed, asked: made }) => ({
    proposed,
    items: [...made.items, ...(addedTo.get(proposed.invoice.id) ?? [])].map(remaining),
    existing: made.existing,
  }));
  const touched = decided.flatMap(({ proposed, existing }) =>
    touchedItems(proposed.existing ?? [], existing),
  );
  const remains = new Map([
    ...invoices.flatMap((each) => (each.remains ?? []).map((one) => [one.id, one] as const)),
    ...touched.filter((each) => !isRewritten(each)).map(({ item }) => [item.id, item] as const),
    ...other.remains.map((each) => [each.id, each] as const),
  ]);
  const added = new Set(asked.flatMap(({ items }) => items.map(({ id }) => id)));
  return {
    changes: [
      ...decided.map((each) => changeOf(each.proposed, each)),
      ...other.changes.filter(({ after }) => !isOwn.has(after.id)),
    ],
    rewritten: touched.filter(isRewritten).map(({ item }) => remaining(item)),
    remains: [...remains.values()]
      .filter(({ id }) => !added.has(id))
      .map(({ id, repairable }) => ({ id, repairable })),
  };
}

interface Own {
  readonly proposed: ProposedInvoice;
  readonly asked: AskedInvoice;
}

/** The stored invoices and those of the operation: a plugin may add to one of them what it says about another. */
function withOwn(stored: StoredElsewhere, own: readonly Own[]): StoredElsewhere {
  const asStored = (item: NewInvoiceItem, { invoice }: ProposedInvoice): InvoiceItem => ({
    ...itemOf(invoice, item, invoice.createdDate),
    recordId: 0,
  });
  const itemsOf = own.map(({ proposed, asked }) => {
    const items = [...asked.existing, ...asked.items.map((item) => asStored(item, proposed))];
    return [proposed.invoice.id, items] as const;
  });
  const invoices = own.map(({ proposed: { before, invoice } }): readonly [Uuid, Invoice] => [
    invoice.id,
    before ?? { ...invoice, recordId: 0 },
  ]);
  return {
    invoices: new Map([...stored.invoices, ...invoices]),
    itemsOf: new Map([...stored.itemsOf, ...itemsOf]),
    linked: new Map([
      ...stored.linked,
      ...itemsOf.flatMap(([, items]) => items.map((item) => [item.id, item] as const)),
    ]),
  };
}
