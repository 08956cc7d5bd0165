import { noSuchObject } from '../../accounts/index.ts';
import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  ObjectType,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import type { AccountRun } from '../evaluation/evaluate-account.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { adjustedAmount, afterAdjustment, type NewInvoiceItem } from '../invoices/new-item.ts';
import type { AskedInvoice, ItemElsewhere } from './additional-items.ts';
import { refusedTo } from './refused-to.ts';

/** What is stored, as it is under the lock of the account. */
export interface StoredElsewhere {
  readonly invoices: ReadonlyMap<Uuid, Invoice>;
  readonly itemsOf: ReadonlyMap<Uuid, readonly InvoiceItem[]>;
  /** Items that are adjusted, by id. */
  readonly linked: ReadonlyMap<Uuid, InvoiceItem>;
}

export interface ElsewhereChanges {
  readonly changes: readonly ChangedInvoice[];
  /** What remains of the items that are adjusted. */
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
    changes: [...added].map(([id, newItems]) => changeOf(id, newItems, stored)),
    remains: [...left.values()].map(({ id, repairable }) => ({ id, repairable })),
  };
}

interface Place {
  readonly invoice: Invoice;
  /** What the item leaves of the one that it adjusts. */
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
    throw new BillingError({
      code: ErrorCode.INVOICE_VOID_UPDATED,
      message: `Invoice ${id} is void: it gets no more items`,
      facts: { invoiceId: id },
    });
  }
  if (!isMigration) return;
  throw new BillingError({
    code: ErrorCode.INVOICE_INVALID_FOR_INVOICE_ITEM_ADJUSTMENT,
    message: `Invoice ${id} was migrated: it is in no balance, so it gets no more items`,
    facts: { invoiceId: id },
  });
}

function changeOf(id: Uuid, newItems: readonly NewInvoiceItem[], stored: StoredElsewhere): ChangedInvoice {
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

/** The item with what is left of it. */
export function withLeft<I extends Pick<InvoiceItem, 'id' | 'repairable'>>(item: I, left: Left): I {
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
export interface TouchedItem {
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
