import type { SeenInvoice } from '../../ports/index.ts';
import {
  type Account,
  type Invoice,
  type InvoiceItem,
  InvoiceStatus,
  type New,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { sum } from '../../values/money/index.ts';
import { type ChangedInvoice, withItems, withMoreItems } from '../credit/changed-invoice.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice } from './additional-items.ts';
import { elsewhereChanges, isRewritten, type StoredElsewhere, touchedItems } from './decided-elsewhere.ts';
import { isSame, isSameItem } from './proposal.ts';
import { seenInvoice } from './seen-invoices.ts';

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

/** An invoice that an operation makes or is about, before any plugin and credit. */
export interface ProposedInvoice {
  /** As it is stored; null = it is new. */
  readonly before: Invoice | null;
  /** As it is without the new items. */
  readonly invoice: New<Invoice>;
  /** What is stored of it, as the operation leaves it; null: nobody needs to see it, so it was not read. */
  readonly existing: readonly InvoiceItem[] | null;
  readonly newItems: readonly NewInvoiceItem[];
  /** What the operation leaves of stored items. */
  readonly remains?: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
}

/** What an operation of people would change: plugins are asked about it, and only it may be stored then (§13 rule 7). */
export interface ProposedChange {
  /** The accounts that it concerns, each of which the plugins are asked about. */
  readonly accounts: readonly Account[];
  readonly invoices: readonly ProposedInvoice[];
}

/** What plugins are asked to add items to. Items of an invoice that is committed stay as they are (§1.6 rule 6). */
export function askedOf({ before, invoice, existing, newItems }: ProposedInvoice): AskedInvoice {
  return {
    invoiceId: invoice.id,
    currency: invoice.currency,
    items: newItems,
    existing: existing ?? [],
    isFixed: before !== null && before.status !== InvoiceStatus.DRAFT,
    creditIds: new Set(),
    elsewhere: [],
    chosenIds: [],
  };
}

/** The invoice as plugins see it, with what they have made of it so far. */
export function seenProposed(
  proposed: ProposedInvoice,
  asked: Pick<AskedInvoice, 'items' | 'existing'> = askedOf(proposed),
): SeenInvoice {
  const { invoice } = proposed;
  const isTouched = asked.items.length > 0 || asked.existing !== proposed.existing;
  const after = isTouched && !invoice.isMigration ? changeOf(proposed, asked).after : invoice;
  const added = asked.items.map((item) => itemOf(invoice, item, invoice.createdDate));
  return seenInvoice(after, [...asked.existing, ...added]);
}

/** The invoice with its new items, as it is to be stored; plugins may have rewritten items of a draft. */
export function changeOf(
  { before, invoice, existing: stored }: ProposedInvoice,
  { items, existing }: Pick<AskedInvoice, 'items' | 'existing'>,
): ChangedInvoice {
  if (before === null) return withItems(invoice, items);
  if (stored === null || before.status !== InvoiceStatus.DRAFT) {
    return { before, after: { ...before, ...amountsAfterItems(before, items) }, newItems: items };
  }
  const difference = sum(existing.map(({ amount }, index) => amount.minus(stored[index]?.amount ?? amount)));
  const rewritten = { ...before, rawBalance: before.rawBalance.plus(difference) };
  return { ...withMoreItems({ invoice: rewritten, items: existing }, items), before };
}

/** True if what plugins have said about the one holds for the other. */
export function isSameChange(seen: ProposedChange, now: ProposedChange): boolean {
  return (
    isSame(seen.accounts, now.accounts, isSameId) &&
    isSame(seen.invoices, now.invoices, isSameProposedInvoice)
  );
}

function isSameProposedInvoice(seen: ProposedInvoice, now: ProposedInvoice): boolean {
  return (
    isSameId(seen.invoice, now.invoice) &&
    seen.invoice.status === now.invoice.status &&
    isSame(seen.existing ?? [], now.existing ?? [], isSameItem) &&
    isSame(seen.newItems, now.newItems, isSameItem)
  );
}

function isSameId(one: { readonly id: Uuid }, other: { readonly id: Uuid }): boolean {
  return one.id === other.id;
}
