import type { ReadSession } from '../../ports/storage/index.ts';
import {
  type AccountBalance,
  type Invoice,
  InvoiceItemType,
  InvoicePaymentType,
  isUnresolved,
  TransactionType,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import {
  type CountedAccount,
  type CreditedInvoice,
  creditableInvoices,
  isPayable,
  type LoadedCreditInput,
  repairedDebts,
  spendsCredit,
  UNNUMBERED,
  unpaidInvoices,
} from '../credit/apply-credit.ts';
import { accountBalanceOf, isUnpaid } from '../invoices/invoice-amounts.ts';
import {
  creditableOf,
  creditStandIn,
  isPaidWhole,
  isSettled,
  settledDecrease,
} from '../invoices/parent-summary.ts';

/**
 * Returns the credit inputs by account id. Executes a constant number of statements, and none if no account has credit
 * to spend, nothing is repaired and no parent pays.
 */
export async function loadCreditInputs(
  session: ReadSession,
  accounts: readonly CountedAccount[],
): Promise<ReadonlyMap<Uuid, LoadedCreditInput>> {
  const candidates = accounts.flatMap((account) => account.candidates);
  const repairedIds = candidates.flatMap(({ repairs = [] }) => repairs.map(({ itemId }) => itemId));
  const debtOf =
    repairedIds.length === 0
      ? new Map<Uuid, Invoice>()
      : await loadRepairedDebts(session, [...new Set(repairedIds)]);
  const standIns = new Map(await loadStandIns(session, accounts));
  const inputs = accounts.map(({ state, candidates: own }) => ({
    accountId: state.accountId,
    credit: state.accountCBA,
    candidates: own,
    repaired: repairedDebts(own, debtOf),
    standIns,
  }));
  const spending = inputs.filter(spendsCredit);
  const owners = spending.map(({ accountId }) => accountId);
  const creditable = owners.length === 0 ? [] : await loadCreditableInvoices(session, owners);
  const known = new Set([...candidates, ...creditable].map(({ id }) => id));
  // A debt that cannot receive account credit receives only the credit from its own repairs.
  const closed = new Set([...debtOf.values()].filter(({ id }) => !known.has(id)));
  for (const { id } of closed) standIns.set(id, ZERO);
  const touched = new Set(candidates.map(({ id }) => id));
  const others = [...creditable.filter(({ id }) => !touched.has(id)), ...closed];
  const unpaidOf = Map.groupBy(others, ({ accountId }) => accountId);
  const complete = inputs.map((input) => ({ ...input, unpaid: unpaidOf.get(input.accountId) ?? [] }));
  const offered = complete
    .filter(spendsCredit)
    .flatMap(({ candidates: own, unpaid }) => [...own.filter(isUnpaid), ...unpaid]);
  // A new invoice does not have a number or a payment yet.
  const stored = offered.filter(({ invoiceNumber }) => invoiceNumber !== UNNUMBERED).map(({ id }) => id);
  const withheld = await invoicesBeingPaid(session, stored);
  return new Map(complete.map((input) => [input.accountId, { ...input, withheld }]));
}

/** Loads the balances that are used instead of the invoice balances for candidates in a parent's summary (rule 5). */
export async function loadStandIns(
  session: ReadSession,
  accounts: readonly CandidatesOfAccount[],
): Promise<ReadonlyMap<Uuid, Decimal>> {
  const candidates = accounts.flatMap(({ state: { accountId }, candidates: own }) =>
    own.map((invoice) => ({ accountId, invoice })),
  );
  const contributing = candidates.filter(({ invoice }) => invoice.contributedAmount != null);
  const invoices = contributing.map(({ invoice }) => invoice);
  const summaries = await loadParentInvoices(session, invoices);
  const linked = contributing.flatMap(({ accountId, invoice }): readonly LinkedInvoice[] => {
    const summary = invoice.parentInvoiceId == null ? undefined : summaries.get(invoice.parentInvoiceId);
    return summary === undefined ? [] : [{ accountId, invoice, summary }];
  });
  const creditable = await loadCreditable(session, linked);
  const standIns = new Map<Uuid, Decimal>();
  for (const each of linked) {
    const key = shareKey(each.summary.id, each.accountId);
    const left = creditable.get(key) ?? null;
    const standIn = creditStandIn(each.invoice, each.summary, left);
    if (standIn === null) continue;
    standIns.set(each.invoice.id, standIn);
    // The invoices of one child share one credit limit.
    const decrease = settledDecrease(each.invoice, each.summary);
    if (left !== null) creditable.set(key, left.lessThan(decrease) ? ZERO : left.minus(decrease));
  }
  return standIns;
}

interface CandidatesOfAccount extends Pick<CountedAccount, 'candidates'> {
  readonly state: Pick<CountedAccount['state'], 'accountId'>;
}

interface LinkedInvoice {
  readonly accountId: Uuid;
  readonly invoice: CreditedInvoice;
  readonly summary: Invoice;
}

/**
 * Returns the part of each child's decreases that may become credit, by `shareKey`. An absent entry means the whole
 * amount. Executes no query if there are no decreases, and few queries if the parent's item is unchanged, because the
 * parent has then paid the whole item.
 */
async function loadCreditable(session: ReadSession, linked: readonly LinkedInvoice[]) {
  const decreased = linked.filter(({ invoice, summary }) => settledDecrease(invoice, summary).greaterThan(0));
  const shares = await session.invoices.findItems([...new Set(decreased.map(({ summary }) => summary.id))]);
  const itemOf = new Map(
    shares
      .filter(({ itemType }) => itemType === InvoiceItemType.PARENT_SUMMARY)
      .map((item) => [shareKey(item.invoiceId, item.childAccountId), item]),
  );
  const limited = decreased.filter(({ accountId, summary }) => {
    const item = itemOf.get(shareKey(summary.id, accountId));
    return item === undefined || !item.repairable.equals(item.amount);
  });
  if (limited.length === 0) return new Map();
  const invoices = await session.invoices.findLinked(
    [...new Set(limited.map(({ summary }) => summary.id))],
    [...new Set(limited.map(({ accountId }) => accountId))],
  );
  const contributing = invoices.filter(({ contributedAmount }) => contributedAmount?.greaterThan(0));
  const items = Map.groupBy(
    await session.invoices.findItems(contributing.map(({ id }) => id)),
    ({ invoiceId }) => invoiceId,
  );
  const own = Map.groupBy(
    contributing.map((invoice) => ({ invoice, items: items.get(invoice.id) ?? [] })),
    ({ invoice }) => shareKey(invoice.parentInvoiceId, invoice.accountId),
  );
  return new Map(
    limited.map(({ accountId, summary }) => {
      const key = shareKey(summary.id, accountId);
      return [key, creditableOf(itemOf.get(key), own.get(key) ?? [])];
    }),
  );
}

function shareKey(summaryId: Uuid | null, childAccountId: Uuid | null): string {
  return `${summaryId} ${childAccountId}`;
}

/** Loads the unpaid invoices of these accounts, oldest first. Executes one statement, or two if parents pay. */
export async function loadUnpaidInvoices(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  const open = await session.invoices.findOpen(accountIds);
  return unpaidInvoices(open, await loadParentInvoices(session, open));
}

/** Returns the given invoices that are unpaid, in the same order. */
export async function onlyUnpaid(
  session: ReadSession,
  invoices: readonly Invoice[],
): Promise<readonly Invoice[]> {
  const summaries = await loadParentInvoices(session, invoices);
  return invoices.filter((invoice) => isPayable(invoice, summaries));
}

/**
 * Loads the invoices to which these accounts' credit can be applied, oldest first. Executes one statement, or two if
 * parents pay.
 */
export async function loadCreditableInvoices(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  const open = await session.invoices.findOpen(accountIds);
  return creditableInvoices(open, await loadParentInvoices(session, open));
}

/**
 * Loads the parents' invoices to which the given invoices are linked, by id. Executes one statement, or none for
 * unlinked invoices.
 */
export async function loadParentInvoices(
  session: ReadSession,
  invoices: readonly Partial<Pick<Invoice, 'parentInvoiceId'>>[],
): Promise<ReadonlyMap<Uuid, Invoice>> {
  const ids = new Set(invoices.flatMap(({ parentInvoiceId }) => parentInvoiceId ?? []));
  if (ids.size === 0) return new Map();
  return new Map((await session.invoices.findByIds([...ids])).map((invoice) => [invoice.id, invoice]));
}

/**
 * Returns the invoices with a payment in flight. Such invoices get no credit, because otherwise both the credit and the
 * payment would pay them (§10 rule 2). A leased transaction is UNKNOWN until its result is recorded.
 */
export async function invoicesBeingPaid(
  session: ReadSession,
  invoiceIds: readonly Uuid[],
): Promise<ReadonlySet<Uuid>> {
  if (invoiceIds.length === 0) return new Set();
  const rows = (await session.payments.findInvoicePaymentsByInvoices(invoiceIds)).filter(
    ({ type }) => type === InvoicePaymentType.ATTEMPT,
  );
  const paymentIds = [...new Set(rows.flatMap(({ paymentId }) => paymentId ?? []))];
  if (paymentIds.length === 0) return new Set();
  const open = (await session.payments.findTransactions(paymentIds)).filter(
    (each) => each.transactionType === TransactionType.PURCHASE && isUnresolved(each),
  );
  const unresolved = new Set(open.map(({ paymentId }) => paymentId));
  const paid = rows.filter(({ paymentId }) => paymentId !== null && unresolved.has(paymentId));
  return new Set(paid.map(({ invoiceId }) => invoiceId));
}

/**
 * Returns the invoice of each given item if a parent must pay that invoice and has not paid it yet (§10 rule 8).
 * Executes at most one statement.
 */
export async function loadRepairedDebts(
  session: ReadSession,
  itemIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, Invoice>> {
  const items = await session.invoices.findDelegated(itemIds);
  if (items.length === 0) return new Map();
  const invoices = await session.invoices.findByIds([...new Set(items.map(({ invoiceId }) => invoiceId))]);
  const summaries = await loadParentInvoices(session, invoices);
  const settled = [...summaries.values()].filter(isSettled);
  const shares = (await session.invoices.findItems(settled.map(({ id }) => id))).filter(
    ({ itemType }) => itemType === InvoiceItemType.PARENT_SUMMARY,
  );
  const shareOf = new Map(shares.map((item) => [shareKey(item.invoiceId, item.childAccountId), item]));
  const isDebt = ({ accountId, parentInvoiceId }: Invoice): boolean => {
    const summary = parentInvoiceId === null ? undefined : summaries.get(parentInvoiceId);
    if (summary === undefined) return true;
    return !isPaidWhole(summary, shareOf.get(shareKey(summary.id, accountId)));
  };
  const debts = new Map(invoices.filter(isDebt).map((invoice) => [invoice.id, invoice]));
  const entries = items.map(({ itemId, invoiceId }) => [itemId, debts.get(invoiceId)] as const);
  return new Map(entries.flatMap(([itemId, debt]) => (debt === undefined ? [] : [[itemId, debt]])));
}

/**
 * Loads the balances and credits of these accounts in one statement. Amounts that parents pay are included. Accounts
 * without invoices are omitted.
 */
export async function loadBalances(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly AccountBalance[]> {
  return (await session.invoices.loadBalances(accountIds)).map(accountBalanceOf);
}
