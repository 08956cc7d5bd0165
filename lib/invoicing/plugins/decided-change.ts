import { noSuchObject } from '../../accounts/index.ts';
import type { SeenInvoice } from '../../ports/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  type New,
  ObjectType,
} from '../../records/index.ts';
import { BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum } from '../../values/money/index.ts';
import { type ChangedInvoice, withItems, withMoreItems } from '../credit/changed-invoice.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { itemOf } from '../invoices/new-invoice.ts';
import { adjustedAmount, afterAdjustment, type NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice, ItemElsewhere } from './additional-items.ts';
import { seenInvoice } from './plugin-calls.ts';
import { refusedTo } from './plugin-claims.ts';
import { comparedOf } from './proposal.ts';

/** An invoice that an operation makes or is about, before any plugin and credit. */
export interface ProposedInvoice {
  /** The stored invoice; null = new. */
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
function changeOf(
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

/** True if what plugins have decided about the one holds for the other. */
export function isSameChange(seen: ProposedChange, now: ProposedChange): boolean {
  return textOf(seen) === textOf(now);
}

function textOf({ accounts, invoices }: ProposedChange): string {
  const parts = invoices.map(({ invoice, existing, newItems }) => {
    return [invoice.id, invoice.status, (existing ?? []).map(comparedOf), newItems.map(comparedOf)];
  });
  return JSON.stringify([accounts.map(({ id }) => id), parts]);
}

/** What is stored, as it is under the lock of the account. */
interface StoredElsewhere {
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
  readonly itemsOf: ReadonlyMap<Uuid, readonly InvoiceItem[]>;
  /** Items that are adjusted, by id. */
  readonly linked: ReadonlyMap<Uuid, InvoiceItem>;
}

interface ElsewhereChanges {
  readonly changes: readonly ChangedInvoice[];
  readonly remains: readonly Pick<InvoiceItem, 'id' | 'repairable'>[];
}

/**
 * The existing invoices that plugins add to (§13 rules 3 and 4), in the order in which they are named.
 * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_VOID_UPDATED (4031), INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT
 * (4012) of a migration invoice, INVOICE_ITEM_NOT_FOUND (4011), INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021),
 * INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID (4020).
 */
export function elsewhereChanges(
  accountId: Uuid,
  elsewhere: readonly ItemElsewhere[],
  stored: StoredElsewhere,
): ElsewhereChanges {
  const left = new Map<Uuid, InvoiceItem>();
  const added = new Map<Uuid, NewInvoiceItem[]>();
  for (const each of elsewhere) {
    const { invoice, adjusted } = placeOf(each, accountId, { stored, left });
    if (adjusted !== null) left.set(adjusted.id, adjusted);
    added.set(invoice.id, [...(added.get(invoice.id) ?? []), each.item]);
  }
  return {
    changes: [...added].map(([id, newItems]) => changeElsewhere(id, newItems, stored)),
    remains: [...left.values()].map(({ id, repairable }) => ({ id, repairable })),
  };
}

interface Place {
  readonly invoice: Invoice;
  readonly adjusted: InvoiceItem | null;
}

/** Where the item goes; a refusal names its plugin. */
function placeOf(
  each: ItemElsewhere,
  accountId: Uuid,
  of: { readonly stored: StoredElsewhere; readonly left: ReadonlyMap<Uuid, InvoiceItem> },
): Place {
  const { basis } = each.item;
  try {
    return checkedPlace(each, accountId, of);
  } catch (error) {
    throw error instanceof BillingError && basis?.kind === 'PLUGIN'
      ? refusedTo(basis.pluginName, error)
      : error;
  }
}

function checkedPlace(
  each: ItemElsewhere,
  accountId: Uuid,
  { stored, left }: { readonly stored: StoredElsewhere; readonly left: ReadonlyMap<Uuid, InvoiceItem> },
): Place {
  const isAdjustment = each.item.itemType === InvoiceItemType.ITEM_ADJ;
  const found = isAdjustment ? adjustedItem(each, accountId, stored) : null;
  const invoiceId = found?.invoiceId ?? each.invoiceId;
  const invoice = invoiceId === null ? undefined : stored.invoices.get(invoiceId);
  if (invoice?.accountId !== accountId) {
    throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId ?? each.item.id });
  }
  checkInvoice(invoice);
  if (found === null) return { invoice, adjusted: null };
  const item = left.get(found.id) ?? found;
  const amount = adjustedAmount(item, each.item.amount.negated());
  return { invoice, adjusted: { ...item, ...afterAdjustment(item, amount) } };
}

function adjustedItem(
  { invoiceId, item }: ItemElsewhere,
  accountId: Uuid,
  { linked }: StoredElsewhere,
): InvoiceItem {
  const adjusted = item.linkedItemId === null ? undefined : linked.get(item.linkedItemId);
  const isThere =
    adjusted?.accountId === accountId && (invoiceId === null || invoiceId === adjusted.invoiceId);
  if (adjusted !== undefined && isThere) return adjusted;
  throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: item.linkedItemId ?? item.id });
}

function checkInvoice({ id, status, isMigration }: Invoice): void {
  if (status === InvoiceStatus.VOID) {
    throw billingError(ErrorCode.INVOICE_VOID_UPDATED, `Invoice ${id} is void: it gets no more items`, {
      invoiceId: id,
    });
  }
  if (!isMigration) return;
  throw billingError(
    ErrorCode.INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT,
    `Invoice ${id} was migrated: it is in no balance, so it gets no more items`,
    { invoiceId: id },
  );
}

function changeElsewhere(
  id: Uuid,
  newItems: readonly NewInvoiceItem[],
  stored: StoredElsewhere,
): ChangedInvoice {
  const before = stored.invoices.get(id);
  if (before === undefined) throw noSuchObject({ type: ObjectType.INVOICE, id });
  const after = { ...before, ...amountsAfterItems(before, newItems) };
  return { before, after, newItems, allItems: [...(stored.itemsOf.get(id) ?? []), ...newItems] };
}

/** What is stored of what plugins name. */
export interface LoadedElsewhere extends StoredElsewhere {
  /** Ids that plugins have chosen for new items and that stored ones have. */
  readonly taken: ReadonlySet<Uuid>;
}

/** What is stored of the invoices and items that plugins name; no statement where they name none. */
export async function loadElsewhere(
  session: ReadSession,
  asked: readonly AskedInvoice[],
): Promise<LoadedElsewhere> {
  const elsewhere = asked.flatMap((each) => each.elsewhere);
  const chosenIds = asked.flatMap((each) => each.chosenIds.map(({ id }) => id));
  const linkedIds = elsewhere.flatMap(({ item }) => item.linkedItemId ?? []);
  const wanted = [...new Set([...linkedIds, ...chosenIds])];
  const found = wanted.length === 0 ? [] : await session.invoices.findItemsByIds(wanted);
  const invoiceIds = new Set([
    ...elsewhere.flatMap(({ invoiceId }) => invoiceId ?? []),
    ...found.map(({ invoiceId }) => invoiceId),
  ]);
  const isNeeded = elsewhere.length > 0 && invoiceIds.size > 0;
  const invoices = isNeeded ? await session.invoices.findByIds([...invoiceIds]) : [];
  const items = isNeeded ? await session.invoices.findItems(invoices.map(({ id }) => id)) : [];
  return {
    invoices: new Map(invoices.map((invoice) => [invoice.id, invoice])),
    itemsOf: Map.groupBy(items, ({ invoiceId }) => invoiceId),
    linked: new Map(found.map((item) => [item.id, item])),
    taken: new Set(found.filter(({ id }) => chosenIds.includes(id)).map(({ id }) => id)),
  };
}

type Left = ReadonlyMap<Uuid, Decimal>;

/** What the repairs of a run leave of stored items: it is what plugins may take off them in the same run. */
export function leftOfItems({ evaluations }: Pick<AccountRun, 'evaluations'>): Left {
  return new Map(
    evaluations.flatMap(({ repairable }) => repairable.map(({ id, repairable: left }) => [id, left])),
  );
}

function withLeft<I extends Pick<InvoiceItem, 'id' | 'repairable'>>(item: I, left: Left): I {
  const repairable = left.get(item.id);
  return repairable === undefined ? item : { ...item, repairable };
}

/** What is stored, with what is left of items that are adjusted. */
export function withLeftOfLinked<S extends StoredElsewhere>(stored: S, left: Left): S {
  if (left.size === 0) return stored;
  return { ...stored, linked: new Map([...stored.linked].map(([id, item]) => [id, withLeft(item, left)])) };
}

/** The items of the draft that the run adds to, with what the run leaves of them. */
export function existingOf(run: Pick<AccountRun, 'evaluations' | 'invoice'>): readonly InvoiceItem[] {
  const items = run.invoice.draft?.items ?? [];
  if (items.length === 0) return items;
  const left = leftOfItems(run);
  return items.map((item) => withLeft(item, left));
}

/** A stored item that plugins have changed, with how it was for them. */
interface TouchedItem {
  readonly before: InvoiceItem;
  readonly item: InvoiceItem;
}

/** The items that plugins have changed; both lists have the same items in the same order. */
export function touchedItems(
  before: readonly InvoiceItem[],
  after: readonly InvoiceItem[],
): readonly TouchedItem[] {
  return after.flatMap((item, index) => {
    const was = before[index];
    const isSame =
      was === undefined ||
      was === item ||
      (was.amount.equals(item.amount) && was.repairable.equals(item.repairable));
    return isSame ? [] : [{ before: was, item }];
  });
}

/** True: its amount is another one, so that it is written anew. */
export function isRewritten({ before, item }: TouchedItem): boolean {
  return !before.amount.equals(item.amount);
}
