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

/** Gives a locked account credit by a committed invoice of its own (§9); it is used at once where something is owed. */
export async function addAccountCredit(
  session: WriteSession,
  {
    account,
    amount,
    description,
  }: { readonly account: Account; readonly amount: Decimal; readonly description: string },
  ids: IdGenerator,
): Promise<void> {
  const now = session.authorship.createdDate;
  const requestedDate = localDateOf(now, account.timeZone);
  const invoice = emptyInvoice({
    id: ids.next(),
    account,
    targetDate: requestedDate,
    status: InvoiceStatus.COMMITTED,
    now,
  });
  const made = { id: ids.next(), requestedDate };
  const item = manualItem(InvoiceItemType.CREDIT_ADJ, { amount, description }, made);
  await changeInvoices(session, { changes: [withItems(invoice, [item])], accounts: [account] }, ids);
}

/**
 * Adjusts to 0 every adjustable item of the unpaid invoices of a locked account (§9 rule 11); what was paid for them
 * becomes account credit. A constant number of statements.
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
    return [
      { before, after: { ...before, ...amountsAfterItems(before, newItems) }, newItems, tellsEachItem: true },
    ];
  });
  await session.invoices.setRepairable(adjusted.map((item) => afterAdjustment(item, item.repairable)));
  await changeInvoices(session, { changes, accounts: [account] }, ids);
}

/** What is taken off an item; of what no longer remains of it nothing is. */
export interface RefundedItem {
  readonly invoiceId: Uuid;
  readonly invoiceItemId: Uuid;
  readonly amount: Decimal;
  /** Default: that of every adjustment (§1.3). */
  readonly description?: string;
}

/**
 * The changed invoices with an adjustment of each of these items, dated today in the account's zone: what a refund takes
 * off them. Writes what remains of the items; a constant number of statements.
 */
export async function withAdjustments(
  session: WriteSession,
  changes: readonly ChangedInvoice[],
  { adjustments, ids }: { readonly adjustments: readonly RefundedItem[]; readonly ids: IdGenerator },
): Promise<readonly ChangedInvoice[]> {
  if (adjustments.length === 0) return changes;
  const items = await session.invoices.findItemsByIds(adjustments.map(({ invoiceItemId }) => invoiceItemId));
  const accounts = await session.accounts.findByIds([
    ...new Set(changes.map(({ after }) => after.accountId)),
  ]);
  const zones = new Map(accounts.map(({ id, timeZone }) => [id, timeZone]));
  const owners = new Map(changes.map(({ after }) => [after.id, after.accountId]));
  const left = new Map(items.map((item) => [item.id, item]));
  const taken = adjustments.flatMap(({ invoiceId, invoiceItemId, amount: asked, description }) => {
    const item = left.get(invoiceItemId);
    const zone = zones.get(owners.get(invoiceId) ?? invoiceId);
    if (!item || zone === undefined || !isAdjustable(item) || item.repairable.isZero()) return [];
    const amount = asked.greaterThan(item.repairable) ? item.repairable : asked;
    const date = localDateOf(session.authorship.createdDate, zone);
    const adjustment = itemAdjustment(item, {
      id: ids.next(),
      amount,
      date,
      description: description ?? null,
    });
    left.set(item.id, { ...item, ...afterAdjustment(item, amount) });
    return [{ invoiceId, adjustment, itemId: item.id }];
  });
  await session.invoices.setRepairable(
    [...new Set(taken.map(({ itemId }) => itemId))].flatMap((id) => left.get(id) ?? []),
  );
  return changes.map((change) => {
    const newItems = taken.flatMap(({ invoiceId, adjustment }) =>
      invoiceId === change.after.id ? [adjustment] : [],
    );
    if (newItems.length === 0) return change;
    return { ...change, after: { ...change.after, ...amountsAfterItems(change.after, newItems) }, newItems };
  });
}

/**
 * Writes the invoice off, or makes it count again: its balance is 0 then and leaves that of its account, whose lock the
 * caller holds (§9 rule 8). One that counts again is offered the account's credit.
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

/** Writes off the unpaid invoices of a locked account, with the tag that says so (§9 rule 11). */
export async function writeOffUnpaid(
  session: WriteSession,
  account: Account,
  ids: IdGenerator,
): Promise<void> {
  const invoices = await loadUnpaidInvoices(session, [account.id]);
  if (invoices.length === 0) return;
  const objects = invoices.map(({ id, accountId, accountRecordId }) => ({
    type: ObjectType.INVOICE,
    id,
    accountId,
    accountRecordId,
  }));
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
