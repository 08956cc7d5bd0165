import { noSuchObject } from '../../accounts/index.ts';
import {
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  ObjectType,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { ChangedInvoice } from '../credit/changed-invoice.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { adjustedAmount, afterAdjustment } from '../invoices/item-adjustment.ts';
import type { NewInvoiceItem } from '../invoices/new-item.ts';
import type { ItemElsewhere } from './additional-items.ts';
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
