import { loadAccount, lockAccount, noSuchObject } from '../../accounts/index.ts';
import type { ReadSession, WriteSession } from '../../ports/storage/index.ts';
import {
  type Account,
  type CallContext,
  type Invoice,
  type InvoiceItem,
  InvoiceItemType,
  InvoiceStatus,
  ObjectType,
} from '../../records/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, formatDecimal, ZERO } from '../../values/money/index.ts';
import type { ConsultedOperations } from '../consulting/consulted-operations.ts';
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
import { invoiceAdjustmentEvents } from '../invoices/invoice-events.ts';
import { loadParentInvoices } from '../loading/load-open-invoices.ts';
import type { DeleteCreditRequest } from '../operations/invoice-operations.ts';

/** Items of used credit that are read at once, to take credit back. */
export const RECLAIMED_CREDITS_AT_ONCE = 100;

/** Takes account credit back (§9 rule 7). */
export class CreditDeletionService {
  readonly #operations: ConsultedOperations;

  constructor(operations: ConsultedOperations) {
    this.#operations = operations;
  }

  async deleteCredit(context: CallContext, request: DeleteCreditRequest): Promise<void> {
    const { accountId } = request;
    await this.#operations.run(context, {
      takesItems: false,
      find: (session) => loadAccount(session, accountId),
      lock: (session) => lockAccount(session, accountId),
      plan: async (session, account) => {
        const invoice = await countedInvoice(session, request);
        const items = await session.invoices.findItems([invoice.id]);
        const item = creditItemOf(items, request);
        await refuseSummarised(session, invoice, item);
        const invoices = [{ before: invoice, invoice, existing: items, newItems: [] }];
        return {
          accounts: [account],
          invoices,
          account,
          invoice,
          items,
          item,
          own: deletedCredit(item, items),
        };
      },
      apply: (session, deletion) => deleteCredit(session, deletion),
    });
  }
}

interface Deletion {
  readonly account: Account;
  readonly invoice: Invoice;
  readonly items: readonly InvoiceItem[];
  readonly item: InvoiceItem;
  readonly own: readonly ChangedCredit[];
}

async function deleteCredit(
  session: WriteSession,
  { account, invoice, items, item, own }: Deletion,
): Promise<void> {
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

/** @throws BillingError INVOICE_NOT_FOUND (4006) unless it is a COMMITTED invoice of the account, made here. */
async function countedInvoice(
  session: ReadSession,
  { accountId, invoiceId }: DeleteCreditRequest,
): Promise<Invoice> {
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
  throw new BillingError({
    code: ErrorCode.INVOICE_ITEM_TYPE_INVALID,
    message: `Invoice item ${invoiceItemId} is a ${item.itemType}: only account credit (CBA_ADJ) can be deleted`,
    facts: { invoiceItemId, itemType: item.itemType },
  });
}

/**
 * Used credit on a child's invoice that a committed summary of the parent stands for stays used: the parent does not owe
 * more again (§12 rule 4), so that it would be credit from a debt that nobody pays.
 */
async function refuseSummarised(session: ReadSession, invoice: Invoice, item: InvoiceItem): Promise<void> {
  if (invoice.contributedAmount === null || !item.amount.isNegative()) return;
  const [summary] = (await loadParentInvoices(session, [invoice])).values();
  if (summary === undefined || summary.status === InvoiceStatus.DRAFT) return;
  throw new BillingError({
    code: ErrorCode.INVOICE_CBA_DELETED,
    message: `Credit item ${item.id} cannot be deleted: it has lowered invoice ${summary.id} of the parent, which is committed`,
    facts: { invoiceId: invoice.id, invoiceItemId: item.id, parentInvoiceId: summary.id },
  });
}

interface Reclaimed {
  readonly credits: readonly ChangedCredit[];
  /** The items as they were. */
  readonly items: readonly InvoiceItem[];
}

/**
 * Takes back that much used credit of the account, the newest uses first. They are read in pages, since few of a long
 * history are needed.
 */
async function reclaim(session: ReadSession, accountId: Uuid, amount: Decimal): Promise<Reclaimed> {
  const credits: ChangedCredit[] = [];
  const items: InvoiceItem[] = [];
  let missing = amount;
  while (missing.greaterThan(0)) {
    const used = await session.invoices.findUsedCredit({
      accountId,
      beforeRecordId: items.at(-1)?.recordId ?? null,
      limit: RECLAIMED_CREDITS_AT_ONCE,
    });
    if (used.length === 0) throw isSummarised(accountId, missing);
    const { changed, missing: left } = reclaimedCredit(used, missing);
    credits.push(...changed);
    items.push(...used.slice(0, changed.length));
    missing = left;
  }
  return { credits, items };
}

/** All other used credit has lowered summaries of the parent. */
function isSummarised(accountId: Uuid, missing: Decimal): BillingError {
  return new BillingError({
    code: ErrorCode.INVOICE_CBA_DELETED,
    message: `Credit of account ${accountId} cannot be deleted: ${formatDecimal(missing)} of it has lowered committed invoices of the parent`,
    facts: { accountId, amount: formatDecimal(missing) },
  });
}

/**
 * Each invoice before and after its items were changed. Where an invoice has a credit, all of its items decide its
 * amount.
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
