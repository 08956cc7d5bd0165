import { loadAccount, noSuchAccount, noSuchObject } from '../../accounts/index.ts';
import type { IdGenerator } from '../../ports/index.ts';
import { ConcurrentChangeError, type ReadSession, type WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  ObjectType,
} from '../../records/index.ts';
import { type BillingError, billingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, formatDecimal, ZERO } from '../../values/money/index.ts';
import { localDateOf } from '../../values/time/index.ts';
import {
  type ChangedCredit,
  creditToReclaim,
  deletedCredit,
  differences,
  reclaimedCredit,
} from '../credit/credit-deletion.ts';
import {
  accountBalancesAfter,
  initialState,
  invoiceAmounts,
  storedAmounts,
} from '../invoices/invoice-amounts.ts';
import { checkCurrency } from '../invoices/manual-items.ts';
import { emptyInvoice, invoiceAdjustmentEvents, invoicingCurrency } from '../invoices/new-invoice.ts';
import { plainItem } from '../invoices/new-item.ts';
import type { DeleteCreditRequest } from '../invoices/requests.ts';
import { loadParentInvoices } from '../loading/load-credit-inputs.ts';
import { type ConsultedOperations, onAccount } from '../plugins/consult-about-operations.ts';
import { changeInvoices } from '../saving/change-invoices.ts';

/** Creates the credit operations that callers can request (§9 rule 9, §12 rule 9). */
export function accountCreditOperations(operations: ConsultedOperations) {
  return {
    rebalanceCredit: (context: CallContext, accountId: Uuid): Promise<void> =>
      operations.run(context, {
        ...onAccount(accountId),
        takesItems: false,
        plan: async (_session, account) => ({ accounts: [account], invoices: [] }),
        apply: async (session, { accounts }, { ids }) => {
          await changeInvoices(session, { changes: [], accounts }, ids);
        },
      }),

    transferCreditToParent: (context: CallContext, childAccountId: Uuid): Promise<void> =>
      operations.run(context, {
        // Plugins cannot add items, because the parent gets exactly the child's credit.
        takesItems: false,
        find: (session) => findPair(session, childAccountId),
        lock: (session) => lockPair(session, childAccountId),
        plan: (session, pair, { ids }) => planTransfer(session, pair, { context, ids }),
        apply: async (session, { accounts }, { changes, numbers, ids }) => {
          await changeInvoices(session, { changes, accounts, numbers }, ids);
        },
      }),
  };
}

interface Pair {
  readonly child: Account;
  readonly parent: Account;
}

async function planTransfer(
  session: ReadSession,
  { child, parent }: Pair,
  { context, ids }: { readonly context: CallContext; readonly ids: IdGenerator },
) {
  const [state] = await session.invoices.loadStates([child.id]);
  const credit = state?.accountCBA ?? ZERO;
  if (!credit.greaterThan(0)) {
    // The message is fixed (http-api §12).
    const message = `Child account ${child.id} does not have credit`;
    throw billingError(ErrorCode.INVOICE_CHILD_ACCOUNT_MISSING_CREDIT, message, { accountId: child.id });
  }
  checkCurrency(invoicingCurrency(parent), invoicingCurrency(child));
  const now = context.createdDate;
  const status = InvoiceStatus.COMMITTED;
  const prepareInvoice = (account: Account) => {
    const today = localDateOf(now, account.timeZone);
    const invoice = emptyInvoice({ id: ids.next(), account, targetDate: today, status, now });
    return { invoice, dates: { startDate: today, endDate: today } };
  };
  const [given, taken] = [prepareInvoice(parent), prepareInvoice(child)];
  const charge = plainItem({
    id: ids.next(),
    itemType: InvoiceItemType.EXTERNAL_CHARGE,
    description: 'Charge to move credit from child to parent account',
    ...taken.dates,
    amount: credit,
    repairable: credit,
  });
  const gift = plainItem({
    id: ids.next(),
    itemType: InvoiceItemType.CREDIT_ADJ,
    description: `Credit migrated from child account ${child.id}`,
    ...given.dates,
    amount: credit.negated(),
    repairable: ZERO,
  });
  const linked = { parentInvoiceId: given.invoice.id, parentAccountId: parent.id, contributedAmount: null };
  return {
    accounts: [child, parent],
    invoices: [
      { before: null, invoice: { ...taken.invoice, ...linked }, existing: [], newItems: [charge] },
      { before: null, invoice: given.invoice, existing: [], newItems: [gift] },
    ],
  };
}

/** Returns the child and its parent. @throws BillingError 3002, ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT. */
async function findPair(session: ReadSession, childId: Uuid): Promise<Pair> {
  const child = await loadAccount(session, childId);
  if (child.parentAccountId === null) throw noParent(child);
  return { child, parent: await loadAccount(session, child.parentAccountId) };
}

/**
 * Locks both accounts in the order of record ids (ruling R32).
 * @throws BillingError 3002, ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT, BUSY (60018); ConcurrentChangeError, after which
 * the operation runs again.
 */
async function lockPair(session: WriteSession, childId: Uuid): Promise<Pair> {
  const before = await loadAccount(session, childId);
  if (before.parentAccountId === null) throw noParent(before);
  const locked = await session.lockAccounts([childId, before.parentAccountId]);
  const child = locked.find(({ id }) => id === childId);
  const parent = locked.find(({ id }) => id === before.parentAccountId);
  if (!child) throw noSuchAccount(childId);
  // In the meantime, the child may have been assigned to a different parent. That parent is not locked.
  if (!parent || child.parentAccountId !== parent.id) {
    const message = `Another operation changed the parent of account ${childId} in the meantime`;
    throw new ConcurrentChangeError(message, { accountId: childId });
  }
  return { child, parent };
}

/** Returns the error for an account without a parent. Its message is fixed (http-api §12). */
function noParent({ id }: Account): BillingError {
  const message = `The Account ${id} does not have a Parent Account associated`;
  return billingError(ErrorCode.ACCOUNT_DOES_NOT_HAVE_PARENT_ACCOUNT, message, { accountId: id });
}

/** Page size for used credit items when credit is reclaimed. */
export const RECLAIMED_CREDITS_AT_ONCE = 100;

export function creditDeletion(operations: ConsultedOperations) {
  return {
    deleteCredit: (context: CallContext, request: DeleteCreditRequest): Promise<void> =>
      operations.run(context, {
        ...onAccount(request.accountId),
        takesItems: false,
        plan: async (session, account) => {
          const invoice = await countedInvoice(session, request);
          const items = await session.invoices.findItems([invoice.id]);
          const item = creditItemOf(items, request);
          await refuseSummarised(session, invoice, item);
          const invoices = [{ before: invoice, invoice, existing: items, newItems: [] }];
          const own = deletedCredit(item, items);
          return { accounts: [account], invoices, account, invoice, items, item, own };
        },
        apply: (session, deletion) => deleteCredit(session, deletion),
      }),
  };
}

interface Deletion {
  readonly account: Account;
  readonly invoice: Invoice;
  readonly items: readonly InvoiceItem[];
  readonly item: InvoiceItem;
  readonly own: readonly ChangedCredit[];
}

async function deleteCredit(session: WriteSession, { account, invoice, items, item, own }: Deletion) {
  if (own.length === 0) return;
  const [stored] = await session.invoices.loadStates([account.id]);
  const state = stored ?? initialState(account);
  const reclaimed = await reclaim(session, account.id, creditToReclaim(item, state.accountCBA));
  const credits = own.concat(reclaimed.credits);
  const touched = new Set(reclaimed.items.map(({ invoiceId }) => invoiceId));
  touched.delete(invoice.id);
  const others = await session.invoices.findByIds([...touched]);
  const changes = changedInvoices([{ invoice, items }, ...others.map((each) => ({ invoice: each }))], {
    items: [...items, ...reclaimed.items],
    credits,
  });
  await session.invoices.setCredits(credits);
  await session.invoices.setAmounts(changes.map(({ after }) => storedAmounts(after)));
  await session.invoices.saveStates([changes.reduce(accountBalancesAfter, state)]);
  session.publish(changes.flatMap(({ after }) => invoiceAdjustmentEvents(after)));
}

/**
 * Returns the invoice.
 * @throws BillingError INVOICE_NOT_FOUND (4006) if the account has no COMMITTED invoice with this id, or if the invoice
 * was migrated.
 */
async function countedInvoice(session: ReadSession, { accountId, invoiceId }: DeleteCreditRequest) {
  const [invoice] = await session.invoices.findByIds([invoiceId]);
  const isCounted =
    invoice?.accountId === accountId && invoice.status === InvoiceStatus.COMMITTED && !invoice.isMigration;
  if (isCounted) return invoice;
  throw noSuchObject({ type: ObjectType.INVOICE, id: invoiceId });
}

function creditItemOf(items: readonly InvoiceItem[], { invoiceItemId }: DeleteCreditRequest): InvoiceItem {
  const item = items.find(({ id }) => id === invoiceItemId);
  if (!item) throw noSuchObject({ type: ObjectType.INVOICE_ITEM, id: invoiceItemId });
  if (item.itemType === InvoiceItemType.CBA_ADJ) return item;
  throw billingError(
    ErrorCode.INVOICE_ITEM_TYPE_INVALID,
    `Invoice item ${invoiceItemId} is a ${item.itemType}: only account credit (CBA_ADJ) can be deleted`,
    { invoiceItemId, itemType: item.itemType },
  );
}

/**
 * Prevents the deletion of used credit on a child's invoice if a committed summary of the parent contains this invoice.
 * The parent's debt does not grow again (§12 rule 4), so nobody would pay the returned credit.
 */
async function refuseSummarised(session: ReadSession, invoice: Invoice, item: InvoiceItem): Promise<void> {
  if (invoice.contributedAmount === null || !item.amount.isNegative()) return;
  const [summary] = (await loadParentInvoices(session, [invoice])).values();
  if (summary === undefined || summary.status === InvoiceStatus.DRAFT) return;
  throw billingError(
    ErrorCode.INVOICE_CBA_DELETED,
    `Credit item ${item.id} cannot be deleted: it has reduced the committed invoice ${summary.id} of the parent`,
    { invoiceId: invoice.id, invoiceItemId: item.id, parentInvoiceId: summary.id },
  );
}

/** Reclaims used credit of the account page by page, starting with the most recent use. */
async function reclaim(session: ReadSession, accountId: Uuid, amount: Decimal) {
  const credits: ChangedCredit[] = [];
  const items: InvoiceItem[] = [];
  let missing = amount;
  while (missing.greaterThan(0)) {
    const used = await session.invoices.findUsedCredit({
      accountId,
      beforeRecordId: items.at(-1)?.recordId ?? null,
      limit: RECLAIMED_CREDITS_AT_ONCE,
    });
    if (used.length === 0) {
      // All other credit that was used has lowered the parent's summaries.
      const left = formatDecimal(missing);
      const message = `Credit of account ${accountId} cannot be deleted: ${left} of it has reduced committed invoices of the parent`;
      throw billingError(ErrorCode.INVOICE_CBA_DELETED, message, { accountId, amount: left });
    }
    const { changed, missing: left } = reclaimedCredit(used, missing);
    credits.push(...changed);
    items.push(...used.slice(0, changed.length));
    missing = left;
  }
  return { credits, items };
}

interface Reclaimed {
  readonly credits: readonly ChangedCredit[];
  readonly items: readonly InvoiceItem[];
}

/**
 * Returns each invoice before and after the change of its items. The amount of an invoice with credit depends on all
 * its items.
 */
function changedInvoices(
  touched: readonly { readonly invoice: Invoice; readonly items?: readonly InvoiceItem[] }[],
  { items, credits }: Reclaimed,
) {
  const differenceOf = differences(items, credits);
  const changedItem = new Map(credits.map((credit) => [credit.id, credit]));
  return touched.map(({ invoice: before, items: all }) => {
    const difference = differenceOf.get(before.id) ?? { credit: ZERO, all: ZERO };
    const amount =
      all === undefined
        ? before.amount
        : invoiceAmounts(all.map((item) => changedItem.get(item.id) ?? item)).amount;
    const creditAdj = before.creditAdj.plus(difference.credit);
    const rawBalance = before.rawBalance.plus(difference.all);
    return { before, after: { ...before, amount, creditAdj, rawBalance } };
  });
}
