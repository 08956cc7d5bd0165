import type { IdGenerator } from '../../ports/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  itemTypes,
} from '../../records/index.ts';
import { atReferenceTime, markDirty } from '../../subscriptions/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { formatDecimal, sum, ZERO } from '../../values/money/index.ts';
import { addDays, formatLocalDate, type LocalDate, localDateOf } from '../../values/time/index.ts';
import { computeChargedThroughDate, findChargedThroughDates } from '../invoices/charged-through-date.ts';
import { accountCreditOf } from '../invoices/invoice-amounts.ts';
import { type Draft, payerOf } from '../invoices/new-invoice.ts';
import { isSettled } from '../invoices/parent-summary.ts';
import { invoicesBeingPaid, loadParentInvoices } from '../loading/load-credit-inputs.ts';
import { billedTwice, isRepair, type ReleasedCoverage, releaseCoverage } from '../reconciliation/coverage.ts';
import { changeInvoices } from './change-invoices.ts';
import { summariseChildren } from './parent-summaries.ts';
import { setTaxRemainders } from './repair-taxes.ts';

/** A draft with its account, which the caller has locked. */
interface OwnedDraft {
  readonly account: Account;
  readonly invoice: Invoice;
}

/**
 * Commits drafts (§9 rule 10). Committed invoices are owed, affect their accounts' credit and move the charged-through
 * dates. Summaries are first updated from their children's invoices (§12 rule 3). Executes a constant number of
 * statements.
 */
export async function commitDrafts(
  session: WriteSession,
  drafts: readonly OwnedDraft[],
  ids: IdGenerator,
): Promise<void> {
  await settleSummaries(session, drafts, ids);
  const accounts = new Map(drafts.map(({ account }) => [account.id, account]));
  const stored = await session.invoices.findByIds(drafts.map(({ invoice }) => invoice.id));
  const items = await session.invoices.findItems(stored.map(({ id }) => id));
  const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const committed = stored.flatMap((invoice) => {
    const account = accounts.get(invoice.accountId);
    return account === undefined ? [] : [{ account, invoice, items: itemsOf.get(invoice.id) ?? [] }];
  });
  const now = session.authorship.createdDate;
  const changes = committed.map(({ account, invoice: before, items: allItems }) => {
    const status = InvoiceStatus.COMMITTED;
    const commitDate = localDateOf(now, account.timeZone);
    const issued = { status, commitDate, issuedDate: now };
    return { before, after: { ...before, ...issued, ...payerOf(account, status) }, allItems };
  });
  const after = changes.map((change) => change.after);
  await session.invoices.setStanding(after);
  await session.invoices.setLinks(after.filter(({ contributedAmount }) => contributedAmount !== null));
  const charged = committed.flatMap(({ account, items: own }) =>
    [...findChargedThroughDates(own).keys()].map((subscriptionId) => [subscriptionId, account] as const),
  );
  await resetChargedThrough(
    session,
    new Map(charged),
    committed.flatMap(({ items: own }) => own),
  );
  await changeInvoices(session, { changes, accounts: [...accounts.values()] }, ids);
}

/**
 * Updates summaries to the current totals of their children's invoices, even if some changes have not been reported
 * yet.
 */
async function settleSummaries(session: WriteSession, drafts: readonly OwnedDraft[], ids: IdGenerator) {
  const summaries = drafts.filter(({ invoice }) => invoice.isParentInvoice);
  if (summaries.length === 0) return;
  const linked = await session.invoices.findLinked(summaries.map(({ invoice }) => invoice.id));
  const changes = linked.map(({ id }) => ({ invoiceId: id, isNew: false }));
  const parents = summaries.map(({ account }) => account);
  await summariseChildren(session, { parents, changes }, { ids, commitAt: session.authorship.createdDate });
}

const NOTHING_RELEASED: ReleasedCoverage = { itemIds: [], rows: [], repairable: [], touched: [] };

interface Voiding extends Draft {
  readonly account: Account;
}

/**
 * Voids an invoice of a locked account (§9 rule 6). Used credit is returned, generated credit is removed, and the
 * next run bills the same charges again.
 * @throws BillingError INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED (4032),
 * INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT (4033), INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID (4028).
 */
export async function voidInvoice(session: WriteSession, voiding: Voiding, ids: IdGenerator): Promise<void> {
  const { account, invoice: before, items } = voiding;
  await refuseRepaired(session, voiding);
  await refuseSettledByParent(session, before);
  if (before.status === InvoiceStatus.COMMITTED) await refuseUsed(session, voiding);
  // A migration invoice does not bill or repair anything.
  const released = before.isMigration ? NOTHING_RELEASED : await release(session, voiding);
  const after = { ...before, status: InvoiceStatus.VOID };
  await session.invoices.setStanding([after]);
  await session.invoices.replaceCoverage(released.itemIds, released.rows, () => account.recordId);
  await session.invoices.setRepairable(released.repairable);
  await setTaxRemainders(session, items);
  const maxTargetDates = await maxTargetDateWithout(session, voiding);
  const evaluatedAgain = await daysToEvaluateAgain(session, voiding, maxTargetDates.get(account.id));
  // `used` includes subscriptions whose usage cost nothing and that therefore have no items on the invoice. See usage
  // §7.5 and §7.7 rule 1.
  const used = before.isMigration ? [] : await session.usage.billedOn(before.id);
  await markDirty(session, [...released.touched, ...used, ...evaluatedAgain]);
  if (before.status === InvoiceStatus.COMMITTED && !before.isMigration) {
    const ofUsage = used.map(({ subscriptionId }) => subscriptionId);
    const charged = [...findChargedThroughDates(items).keys(), ...ofUsage];
    await resetChargedThrough(session, new Map(charged.map((id) => [id, account])));
  }
  const changes = [{ before, after, isAdjusted: true }];
  await changeInvoices(session, { changes, accounts: [account], maxTargetDates }, ids);
}

/** Rejects the void if another invoice in force contains a repair of one of the invoice's items. */
async function refuseRepaired(session: ReadSession, { invoice, items }: Voiding): Promise<void> {
  const linked = await session.invoices.findItemsLinkedTo(items.map(({ id }) => id));
  const repairs = linked.filter((item) => isRepair(item) && item.invoiceId !== invoice.id);
  const [standing] = await repairsInForce(session, repairs);
  if (standing === undefined) return;
  const facts = { invoiceId: invoice.id, repairingInvoiceId: standing.invoiceId };
  const message = `Invoice ${invoice.id} cannot be voided: invoice ${standing.invoiceId} repairs one of its items; void that invoice first`;
  throw billingError(ErrorCode.INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED, message, facts);
}

/** Rejects the void if credit generated by the invoice has been used, or if the invoice is paid or being paid. */
async function refuseUsed(session: ReadSession, { account, invoice, items }: Voiding): Promise<void> {
  const [state] = await session.invoices.loadStates([account.id]);
  const { id: invoiceId, isMigration } = invoice;
  // The account must still have the credit of each item, and of all items together.
  const credits = items.filter(({ itemType }) => itemType === InvoiceItemType.CBA_ADJ);
  const generated = isMigration ? [] : [accountCreditOf(invoice), ...credits.map(({ amount }) => amount)];
  const used = generated.find((credit) => credit.greaterThan(state?.accountCBA ?? ZERO));
  if (used !== undefined) {
    const message = `Invoice ${invoiceId} cannot be voided: some of the credit of ${formatDecimal(used)} that it generated is used`;
    const code = ErrorCode.INVOICE_CAN_NOT_VOID_INVOICE_THAT_GENERATED_USED_CREDIT;
    throw billingError(code, message, { invoiceId });
  }
  const paid = sum(items.map(({ amount }) => amount)).minus(invoice.rawBalance);
  if (!isMigration && !paid.isZero()) throw paidInvoiceError(invoiceId, 'is paid');
  const beingPaid = await invoicesBeingPaid(session, [invoiceId]);
  if (beingPaid.has(invoiceId)) throw paidInvoiceError(invoiceId, 'is being paid');
}

/** Rejects the void if the parent has already paid the invoice's amount in a summary (§12 rule 6). */
async function refuseSettledByParent(session: ReadSession, invoice: Invoice): Promise<void> {
  const parents = await loadParentInvoices(session, [invoice]);
  const summary = invoice.parentInvoiceId === null ? undefined : parents.get(invoice.parentInvoiceId);
  if (summary === undefined || !isSettled(summary)) return;
  if (invoice.contributedAmount?.greaterThan(0)) throw paidInvoiceError(invoice.id, 'is paid by the parent');
}

function paidInvoiceError(invoiceId: Uuid, reason: string): BillingError {
  const message = `Invoice ${invoiceId} cannot be voided: it ${reason}`;
  return billingError(ErrorCode.INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_PAID, message, { invoiceId });
}

/**
 * Releases the invoice's coverage.
 * @throws BillingError INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED if another invoice now bills the days that the
 * repairs on the voided invoice had credited.
 */
async function release(session: ReadSession, { invoice, items }: Voiding) {
  const own = new Set(items.map(({ id }) => id));
  const repairedIds = new Set(items.filter(isRepair).flatMap(({ linkedItemId }) => linkedItemId ?? []));
  const stored = await session.invoices.findItemsByIds([...repairedIds].filter((id) => !own.has(id)));
  const repaired = stored.filter(({ itemType }) => itemTypes[itemType].recurs);
  const linked = await session.invoices.findItemsLinkedTo(repaired.map(({ id }) => id));
  const others = linked.filter((item) => isRepair(item) && item.invoiceId !== invoice.id);
  const otherRepairs = await repairsInForce(session, others);
  const released = releaseCoverage({ items, repaired, otherRepairs, currency: invoice.currency });
  await refuseBilledTwice(session, invoice, released);
  return released;
}

async function refuseBilledTwice(
  session: ReadSession,
  { id: invoiceId }: Invoice,
  { rows, itemIds }: ReleasedCoverage,
): Promise<void> {
  const windows = rows.map(({ subscriptionId, startDate }) => ({ subscriptionId, from: startDate }));
  const released = new Set(itemIds);
  const covered = await session.invoices.loadCoverage(windows);
  const twice = billedTwice(
    rows,
    covered.filter(({ itemId }) => !released.has(itemId)),
  );
  if (twice === undefined) return;
  const from = formatLocalDate(twice.startDate);
  const message = `Invoice ${invoiceId} cannot be voided: another invoice bills repaired days from ${from} on again; void that invoice first`;
  const facts = { invoiceId, subscriptionId: twice.subscriptionId };
  throw billingError(ErrorCode.INVOICE_CAN_NOT_VOID_INVOICE_THAT_IS_REPAIRED, message, facts);
}

/** Returns the repairs on other invoices, except VOID and migrated invoices. */
async function repairsInForce(session: ReadSession, repairs: readonly InvoiceItem[]) {
  if (repairs.length === 0) return [];
  const invoices = await session.invoices.findByIds([...new Set(repairs.map(({ invoiceId }) => invoiceId))]);
  const ignored = invoices.filter(({ status, isMigration }) => status === InvoiceStatus.VOID || isMigration);
  const invisible = new Set(ignored.map(({ id }) => id));
  return repairs.filter(({ invoiceId }) => !invisible.has(invoiceId));
}

/** Returns the latest target date of the remaining invoices with recurring charges (§1.5). */
async function maxTargetDateWithout(session: ReadSession, { account, items }: Voiding) {
  const recurs = items.some(({ itemType }) => itemTypes[itemType].recurs);
  return recurs
    ? new Map([[account.id, await session.invoices.maxTargetDate(account.id)]])
    : new Map<Uuid, null>();
}

/**
 * Returns all subscriptions of the account, each with the day from which it must be evaluated again, or an empty list
 * if the next run cannot have an earlier target date. Without this evaluation, a run with an earlier target date would
 * cover only the days of its window, at an earlier date than the date at which these days were billed (§7.3, I3).
 * @param heldFrom latest target date that binds later runs; null for no date, undefined for an unchanged date.
 */
async function daysToEvaluateAgain(
  session: ReadSession,
  { account, invoice }: Voiding,
  heldFrom: LocalDate | null | undefined,
) {
  const { targetDate, isMigration } = invoice;
  if (heldFrom === undefined || targetDate === null || isMigration) return [];
  if (heldFrom !== null && heldFrom >= targetDate) return [];
  const cursors = await session.invoices.cursorsOfAccounts([account.id]);
  const ids = cursors.map(({ subscriptionId }) => subscriptionId);
  if (heldFrom !== null) return ids.map((subscriptionId) => ({ subscriptionId, date: addDays(heldFrom, 1) }));
  const subscriptions = await session.subscriptions.findByIds(ids);
  return subscriptions.map(({ id, alignStart }) => ({ subscriptionId: id, date: alignStart.date }));
}

/**
 * Sets the charged-through dates of these subscriptions from all their stored COMMITTED charges, or to null if
 * there are no charges (§8.5). Takes two statements.
 * @param accounts account by subscription.
 * @param charges items of a COMMITTED invoice that has charged each subscription, so that earlier items are not read.
 */
export async function resetChargedThrough(
  session: WriteSession,
  accounts: ReadonlyMap<Uuid, Account>,
  charges: readonly Pick<InvoiceItem, 'recordId'>[] = [],
): Promise<void> {
  if (accounts.size === 0) return;
  const since = charges.reduce((first, { recordId }) => Math.min(first, recordId), Number.POSITIVE_INFINITY);
  const from = Number.isFinite(since) ? since : undefined;
  const last = await session.invoices.lastCharges([...accounts.keys()], from);
  const dates = new Map(last.map((charge) => [charge.subscriptionId, computeChargedThroughDate(charge)]));
  await session.subscriptions.setChargedThrough(
    [...accounts].map(([subscriptionId, account]) => {
      const date = dates.get(subscriptionId);
      return { subscriptionId, chargedThrough: date === undefined ? null : atReferenceTime(date, account) };
    }),
  );
}
