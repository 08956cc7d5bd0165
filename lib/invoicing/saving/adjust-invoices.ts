import { noSuchObject } from '../../accounts/index.ts';
import { SystemTag } from '../../control-tags/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import type { WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type Invoice,
  InvoiceItemType,
  InvoiceStatus,
  ObjectType,
} from '../../records/index.ts';
import { addSystemTag } from '../../tags/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import { type ChangedInvoice, withItems } from '../credit/changed-invoice.ts';
import { amountsAfterItems } from '../invoices/invoice-amounts.ts';
import { manualItem } from '../invoices/manual-items.ts';
import { emptyInvoice } from '../invoices/new-invoice.ts';
import { afterAdjustment, isAdjustable, itemAdjustment } from '../invoices/new-item.ts';
import { loadUnpaidInvoices } from '../loading/load-credit-inputs.ts';
import { changeInvoices } from './change-invoices.ts';

/** Credits a locked account with a separate committed invoice (§9). The credit immediately pays unpaid invoices. */
export async function addAccountCredit(
  session: WriteSession,
  {
    account,
    ...given
  }: { readonly account: Account; readonly amount: Decimal; readonly description: string },
  ids: IdGenerator,
): Promise<void> {
  const now = session.authorship.createdDate;
  const requestedDate = localDateOf(now, account.timeZone);
  const status = InvoiceStatus.COMMITTED;
  const invoice = emptyInvoice({ id: ids.next(), account, targetDate: requestedDate, status, now });
  const made = { id: ids.next(), requestedDate };
  const item = manualItem(InvoiceItemType.CREDIT_ADJ, given, made);
  await changeInvoices(session, { changes: [withItems(invoice, [item])], accounts: [account] }, ids);
}

/**
 * Adjusts every adjustable item of the unpaid invoices of a locked account to 0 (§9 rule 11). Paid amounts become
 * account credit. Takes a constant number of statements.
 */
export async function adjustUnpaidItems(
  session: WriteSession,
  { account, description }: { readonly account: Account; readonly description: string },
  ids: IdGenerator,
): Promise<void> {
  const unpaid = await loadUnpaidInvoices(session, [account.id]);
  if (unpaid.length === 0) return;
  const stored = await session.invoices.findItems(unpaid.map(({ id }) => id));
  const adjusted = stored.filter((item) => isAdjustable(item) && item.repairable.greaterThan(0));
  const date = localDateOf(session.authorship.createdDate, account.timeZone);
  const adjustments = adjusted.map((item) => ({
    invoiceId: item.invoiceId,
    item: itemAdjustment(item, { id: ids.next(), amount: item.repairable, date, description }),
  }));
  const changes = unpaid.flatMap((before): readonly ChangedInvoice[] => {
    const newItems = adjustments.flatMap(({ invoiceId, item }) => (invoiceId === before.id ? [item] : []));
    if (newItems.length === 0) return [];
    const after = { ...before, ...amountsAfterItems(before, newItems) };
    return [{ before, after, newItems, reportsEachItem: true }];
  });
  await session.invoices.setRepairable(adjusted.map((item) => afterAdjustment(item, item.repairable)));
  await changeInvoices(session, { changes, accounts: [account] }, ids);
}

/** A reduction of an item. Its amount is limited to the item's remainder. */
export interface RefundedItem {
  readonly invoiceId: Uuid;
  readonly invoiceItemId: Uuid;
  readonly amount: Decimal;
  /** Description of the item. Defaults to the description of adjustments (§1.3). */
  readonly description?: string;
}

/**
 * Adjusts each of the given items for a refund, dated today in the account's time zone. Returns the invoices of these
 * items and stores the new remainders. Executes a constant number of statements.
 */
export async function withAdjustments(
  session: WriteSession,
  changes: readonly ChangedInvoice[],
  { adjustments, ids }: { readonly adjustments: readonly RefundedItem[]; readonly ids: IdGenerator },
): Promise<readonly ChangedInvoice[]> {
  if (adjustments.length === 0) return changes;
  const items = await session.invoices.findItemsByIds(adjustments.map(({ invoiceItemId }) => invoiceItemId));
  const accountIds = new Set(changes.map(({ after }) => after.accountId));
  const accounts = await session.accounts.findByIds([...accountIds]);
  const zones = new Map(accounts.map(({ id, timeZone }) => [id, timeZone]));
  const owners = new Map(changes.map(({ after }) => [after.id, after.accountId]));
  const left = new Map(items.map((item) => [item.id, item]));
  const adjusted = adjustments.flatMap(({ invoiceId, invoiceItemId, amount: asked, description = null }) => {
    const item = left.get(invoiceItemId);
    const zone = zones.get(owners.get(invoiceId) ?? invoiceId);
    if (!item || zone === undefined || !isAdjustable(item) || item.repairable.isZero()) return [];
    const amount = asked.greaterThan(item.repairable) ? item.repairable : asked;
    const date = localDateOf(session.authorship.createdDate, zone);
    const adjustment = itemAdjustment(item, { id: ids.next(), amount, date, description });
    left.set(item.id, { ...item, ...afterAdjustment(item, amount) });
    return [{ invoiceId, adjustment, itemId: item.id }];
  });
  const adjustedIds = new Set(adjusted.map(({ itemId }) => itemId));
  await session.invoices.setRepairable([...adjustedIds].flatMap((id) => left.get(id) ?? []));
  return changes.map((change) => {
    const own = adjusted.filter(({ invoiceId }) => invoiceId === change.after.id);
    if (own.length === 0) return change;
    const newItems = own.map(({ adjustment }) => adjustment);
    return { ...change, after: { ...change.after, ...amountsAfterItems(change.after, newItems) }, newItems };
  });
}

/**
 * Writes off an invoice or undoes its write-off (§9 rule 8). A written-off invoice has the balance 0 and no longer
 * affects the account's balance. After an undone write-off, the invoice is owed again and the account's credit is
 * applied. The caller holds the account's lock.
 * @throws BillingError INVOICE_NOT_FOUND (4006).
 */
export async function setWrittenOff(
  session: WriteSession,
  { invoiceId, isWrittenOff }: { readonly invoiceId: Uuid; readonly isWrittenOff: boolean },
  ids: IdGenerator,
): Promise<void> {
  const [before] = await session.invoices.findByIds([invoiceId]);
  if (!before) throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
  await changeWrittenOff(session, { invoices: [before], isWrittenOff }, ids);
}

/** Writes off the unpaid invoices of a locked account and tags them (§9 rule 11). */
export async function writeOffUnpaid(
  session: WriteSession,
  account: Account,
  ids: IdGenerator,
): Promise<void> {
  const invoices = await loadUnpaidInvoices(session, [account.id]);
  if (invoices.length === 0) return;
  const { INVOICE: type } = ObjectType;
  const objects = invoices.map(({ id, accountId, accountRecordId }) => {
    return { type, id, accountId, accountRecordId };
  });
  await addSystemTag(session, objects, { definitionId: SystemTag.WRITTEN_OFF, ids });
  await changeWrittenOff(session, { invoices, isWrittenOff: true }, ids);
}

async function changeWrittenOff(
  session: WriteSession,
  { invoices, isWrittenOff }: { readonly invoices: readonly Invoice[]; readonly isWrittenOff: boolean },
  ids: IdGenerator,
): Promise<void> {
  const changes = invoices.map((before) => ({
    before,
    after: { ...before, isWrittenOff },
    isAdjusted: true,
  }));
  await session.invoices.setWrittenOff(changes.map(({ after }) => after));
  await changeInvoices(session, { changes }, ids);
}
