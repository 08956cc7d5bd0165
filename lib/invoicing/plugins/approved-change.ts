import { noSuchObject } from '../../accounts/index.ts';
import type { InvoiceForPlugins } from '../../ports/index.ts';
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
import type { ConsultedInvoice, ItemElsewhere } from './additional-items.ts';
import { applyPluginNote, viewOfInvoice } from './plugin-calls.ts';
import { pluginAnswerError } from './plugin-claims.ts';
import { listComparedFields } from './proposal.ts';

/** An invoice that an operation creates or changes, before plugins and credit change it. */
export interface ProposedInvoice {
  /** The stored invoice, or null if the invoice is new. */
  readonly before: Invoice | null;
  /** The invoice before its new items are added. */
  readonly invoice: New<Invoice>;
  /** Stored items of the invoice after the operation, or null if they were not read because no plugin sees them. */
  readonly existing: readonly InvoiceItem[] | null;
  readonly newItems: readonly NewInvoiceItem[];
  /** The changed remainders (`repairable`) of stored items. */
  readonly remains?: readonly Remaining[];
  /** Tax adjustments of adjusted charges (§9 rule 4). A plugin that changes a tax replaces its adjustment. */
  readonly followingTaxes?: readonly FollowingAdjustment[];
}

interface FollowingAdjustment {
  readonly adjustment: NewInvoiceItem;
  /** The adjusted TAX item and its new remainder. */
  readonly remains: Remaining;
}

type Remaining = Pick<InvoiceItem, 'id' | 'repairable'>;

/**
 * The change that a user's operation proposes. Plugins are consulted about this change, and only an equal change may be
 * stored (§13 rule 7).
 */
export interface ProposedChange {
  /** The affected accounts. Plugins are consulted about each account. */
  readonly accounts: readonly Account[];
  readonly invoices: readonly ProposedInvoice[];
}

export interface ApprovedChange {
  /** The invoices of the operation, followed by other invoices to which plugins add items. */
  readonly changes: readonly ChangedInvoice[];
  /** Draft items that plugins have rewritten. */
  readonly rewritten: readonly InvoiceItem[];
  /** The changed remainders (`repairable`) of adjusted items. */
  readonly remains: readonly Remaining[];
}

/** Returns the change that applies if no plugins were consulted. */
export function unchangedProposal({ invoices }: ProposedChange): ApprovedChange {
  return {
    changes: invoices.map((each) => changeOf(each, withFollowingTaxes(each, invoiceToExtend(each)))),
    rewritten: [],
    remains: invoices.flatMap(({ remains = [], followingTaxes = [] }) => [
      ...remains,
      ...followingTaxes.map((each) => each.remains),
    ]),
  };
}

/** Adds the adjustments of taxes that no plugin has adjusted or rewritten (§9 rule 4). */
export function withFollowingTaxes(
  { existing: stored, followingTaxes = [] }: ProposedInvoice,
  asked: ConsultedInvoice,
): ConsultedInvoice {
  const changed = new Set(touchedItems(stored ?? [], asked.existing).map(({ item }) => item.id));
  const following = followingTaxes.filter(({ remains }) => !changed.has(remains.id));
  const left = new Map(following.map(({ remains }) => [remains.id, remains.repairable]));
  return {
    ...asked,
    items: [...asked.items, ...following.map(({ adjustment }) => adjustment)],
    existing: asked.existing.map((item) => withLeft(item, left)),
  };
}

/**
 * Returns the operation with the changes of plugins.
 * @param asked The invoices of the operation as the plugins saw them, in the same order.
 * @throws The errors of `elsewhereChanges`.
 */
export function approvedChange(
  { accounts, invoices }: ProposedChange,
  asked: readonly ConsultedInvoice[],
  stored: StoredElsewhere,
): ApprovedChange {
  const [account] = accounts;
  const elsewhere = asked.flatMap((each) => each.elsewhere);
  const own = invoices.map((proposed, index) => ({
    proposed,
    asked: asked[index] ?? invoiceToExtend(proposed),
  }));
  const other =
    account === undefined || elsewhere.length === 0
      ? { changes: [], remains: [] }
      : elsewhereChanges(account.id, elsewhere, withOwn(stored, own));
  const addedTo = new Map(other.changes.map(({ after, newItems = [] }) => [after.id, newItems]));
  const left = new Map(other.remains.map((each) => [each.id, each.repairable]));
  const isOwn = new Set<Uuid>(invoices.map(({ invoice }) => invoice.id));
  const applyRemainingAmount = <I extends Remaining>(item: I): I => withLeft(item, left);
  const decided = own.map(({ proposed, asked: made }) => ({
    proposed,
    items: [...made.items, ...(addedTo.get(proposed.invoice.id) ?? [])].map(applyRemainingAmount),
    existing: made.existing,
    note: made.note,
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
    rewritten: touched.filter(isRewritten).map(({ item }) => applyRemainingAmount(item)),
    remains: [...remains.values()]
      .filter(({ id }) => !added.has(id))
      .map(({ id, repairable }) => ({ id, repairable })),
  };
}

/**
 * Adds the operation's own invoices to the stored ones. A plugin that is consulted about one invoice can then add
 * items to another invoice.
 */
function withOwn(
  stored: StoredElsewhere,
  own: readonly { readonly proposed: ProposedInvoice; readonly asked: ConsultedInvoice }[],
): StoredElsewhere {
  const found = own.map(({ proposed: { before, invoice }, asked }) => {
    const added = asked.items.map((item) => ({ ...itemOf(invoice, item, invoice.createdDate), recordId: 0 }));
    return { invoice: before ?? { ...invoice, recordId: 0 }, items: [...asked.existing, ...added] };
  });
  const items = found.flatMap((each) => each.items);
  return {
    invoices: new Map([...stored.invoices, ...found.map(({ invoice }) => [invoice.id, invoice] as const)]),
    itemsOf: new Map([...stored.itemsOf, ...found.map((each) => [each.invoice.id, each.items] as const)]),
    linked: new Map([...stored.linked, ...items.map((item) => [item.id, item] as const)]),
  };
}

/** Returns the invoice to which plugins can add items. The items of a committed invoice cannot change (§1.6 rule 6). */
export function invoiceToExtend({ before, invoice, existing, newItems }: ProposedInvoice): ConsultedInvoice {
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

/** Returns the invoice as plugins see it, with the changes of previous plugins. */
export function viewOfProposed(
  proposed: ProposedInvoice,
  asked: Pick<ConsultedInvoice, 'items' | 'existing' | 'note'> = invoiceToExtend(proposed),
): InvoiceForPlugins {
  const { invoice } = proposed;
  const hasItems = asked.items.length > 0 || asked.existing !== proposed.existing;
  const isTouched = hasItems || asked.note !== undefined;
  const after = isTouched && !invoice.isMigration ? changeOf(proposed, asked).after : invoice;
  const added = asked.items.map((item) => itemOf(invoice, item, invoice.createdDate));
  return viewOfInvoice(after, [...asked.existing, ...added]);
}

interface Decided extends Pick<ConsultedInvoice, 'items' | 'existing'> {
  readonly note?: string | undefined;
}

/** Returns the change of an invoice with its new items. In a draft, plugins may also have rewritten stored items. */
function changeOf(
  { before, invoice, existing: stored }: ProposedInvoice,
  { items, existing, note }: Decided,
): ChangedInvoice {
  if (before === null) return withItems(applyPluginNote(invoice, note), items);
  if (stored === null || before.status !== InvoiceStatus.DRAFT) {
    return { before, after: { ...before, ...amountsAfterItems(before, items) }, newItems: items };
  }
  const difference = sum(existing.map(({ amount }, index) => amount.minus(stored[index]?.amount ?? amount)));
  const rewritten = { ...applyPluginNote(before, note), rawBalance: before.rawBalance.plus(difference) };
  return { ...withMoreItems({ invoice: rewritten, items: existing }, items), before };
}

/** Returns true if the decisions of plugins about `seen` also apply to `now`. */
export function isSameChange(seen: ProposedChange, now: ProposedChange): boolean {
  return textOf(seen) === textOf(now);
}

function textOf({ accounts, invoices }: ProposedChange): string {
  const parts = invoices.map(({ invoice, existing, newItems }) => {
    return [
      invoice.id,
      invoice.status,
      (existing ?? []).map(listComparedFields),
      newItems.map(listComparedFields),
    ];
  });
  return JSON.stringify([accounts.map(({ id }) => id), parts]);
}

/** The stored data that was read while the account was locked. */
interface StoredElsewhere {
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
  readonly itemsOf: ReadonlyMap<Uuid, readonly InvoiceItem[]>;
  /** Adjusted items by id. */
  readonly linked: ReadonlyMap<Uuid, InvoiceItem>;
}

/**
 * Returns the changes of existing invoices to which plugins add items (§13 rules 3 and 4), in the order of the
 * plugins.
 * @throws BillingError INVOICE_NOT_FOUND (4006), INVOICE_VOID_UPDATED (4031),
 * INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT (4012) for a migrated invoice, INVOICE_ITEM_NOT_FOUND (4011),
 * INVOICE_ITEM_ADJUSTMENT_ITEM_INVALID (4021), INVOICE_ITEM_ADJUSTMENT_AMOUNT_INVALID (4020). Each error names the
 * plugin.
 */
export function elsewhereChanges(
  accountId: Uuid,
  elsewhere: readonly ItemElsewhere[],
  stored: StoredElsewhere,
): Pick<ApprovedChange, 'changes' | 'remains'> {
  const left = new Map<Uuid, InvoiceItem>();
  const added = new Map<Uuid, NewInvoiceItem[]>();
  for (const each of elsewhere) {
    const { basis } = each.item;
    try {
      const { invoice, adjusted } = checkedPlace(each, accountId, { stored, left });
      if (adjusted !== null) left.set(adjusted.id, adjusted);
      added.set(invoice.id, [...(added.get(invoice.id) ?? []), each.item]);
    } catch (error) {
      throw error instanceof BillingError && basis?.kind === 'PLUGIN'
        ? pluginAnswerError(basis.pluginName, error)
        : error;
    }
  }
  return {
    changes: [...added].map(([id, newItems]) => changeElsewhere(id, newItems, stored)),
    remains: [...left.values()].map(({ id, repairable }) => ({ id, repairable })),
  };
}

function checkedPlace(
  each: ItemElsewhere,
  accountId: Uuid,
  { stored, left }: { readonly stored: StoredElsewhere; readonly left: ReadonlyMap<Uuid, InvoiceItem> },
) {
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

function adjustedItem({ invoiceId, item }: ItemElsewhere, accountId: Uuid, { linked }: StoredElsewhere) {
  const adjusted = item.linkedItemId === null ? undefined : linked.get(item.linkedItemId);
  if (adjusted?.accountId === accountId && (invoiceId ?? adjusted.invoiceId) === adjusted.invoiceId) {
    return adjusted;
  }
  throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: item.linkedItemId ?? item.id });
}

function checkInvoice({ id, status, isMigration }: Invoice): void {
  const invoiceId = id;
  if (status === InvoiceStatus.VOID) {
    const message = `Invoice ${id} is void: no items can be added`;
    throw billingError(ErrorCode.INVOICE_VOID_UPDATED, message, { invoiceId });
  }
  if (!isMigration) return;
  const message = `Invoice ${id} was migrated and is not part of a balance, so no items can be added`;
  throw billingError(ErrorCode.INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT, message, { invoiceId });
}

function changeElsewhere(id: Uuid, newItems: readonly NewInvoiceItem[], stored: StoredElsewhere) {
  const before = stored.invoices.get(id);
  if (before === undefined) throw noSuchObject({ type: ObjectType.INVOICE, id });
  const after = { ...before, ...amountsAfterItems(before, newItems) };
  return { before, after, newItems, allItems: [...(stored.itemsOf.get(id) ?? []), ...newItems] };
}

export interface LoadedElsewhere extends StoredElsewhere {
  /** Ids that plugins chose for new items although stored items already have them. */
  readonly taken: ReadonlySet<Uuid>;
}

/** Loads the stored invoices and items that plugins name. Executes no statement if they name none. */
export async function loadElsewhere(
  session: ReadSession,
  asked: readonly ConsultedInvoice[],
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

/**
 * Returns the remainders of stored items after the run's repairs. Plugins of the same run can only adjust these
 * remainders.
 */
export function remainingAmounts({ evaluations }: Pick<AccountRun, 'evaluations'>): Left {
  return new Map(
    evaluations.flatMap(({ repairable }) => repairable.map(({ id, repairable: left }) => [id, left])),
  );
}

function withLeft<I extends Remaining>(item: I, left: Left): I {
  const repairable = left.get(item.id);
  return repairable === undefined ? item : { ...item, repairable };
}

/** Returns the stored data with the reduced remainders of adjusted items. */
export function withRemainingAmounts<S extends StoredElsewhere>(stored: S, left: Left): S {
  if (left.size === 0) return stored;
  return { ...stored, linked: new Map([...stored.linked].map(([id, item]) => [id, withLeft(item, left)])) };
}

/** Returns the items of the draft to which the run adds items, with their remainders after the run. */
export function listDraftItemsAfterRun(
  run: Pick<AccountRun, 'evaluations' | 'invoice'>,
): readonly InvoiceItem[] {
  const items = run.invoice.draft?.items ?? [];
  if (items.length === 0) return items;
  const left = remainingAmounts(run);
  return items.map((item) => withLeft(item, left));
}

/** A stored item that plugins have changed. */
interface TouchedItem {
  readonly before: InvoiceItem;
  readonly item: InvoiceItem;
}

/** Returns the items that plugins have changed. Both parameters must contain the same items in the same order. */
export function touchedItems(
  before: readonly InvoiceItem[],
  after: readonly InvoiceItem[],
): readonly TouchedItem[] {
  return after.flatMap((item, index) => {
    const was = before[index];
    const isSame = was?.amount.equals(item.amount) && was.repairable.equals(item.repairable);
    return was === undefined || was === item || isSame ? [] : [{ before: was, item }];
  });
}

/** Returns true if the amount of the item has changed, so that the item must be written again. */
export function isRewritten({ before, item }: TouchedItem): boolean {
  return !before.amount.equals(item.amount);
}
