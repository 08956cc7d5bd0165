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
  isOwed,
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
 * By account id, what the account's credit is applied to. A constant number of statements for any number of accounts, and
 * none where no account has credit to spend, nothing is repaired and no parent pays.
 */
export async function loadCreditInputs(
  session: ReadSession,
  accounts: readonly CountedAccount[],
): Promise<ReadonlyMap<Uuid, LoadedCreditInput>> {
  const candidates = accounts.flatMap((account) => account.candidates);
  const debtOf = await loadDebtsRepairedBy(session, candidates);
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
  // A debt that cannot get credit gets only its repairs.
  const closed = new Set([...debtOf.values()].filter(({ id }) => !known.has(id)));
  for (const { id } of closed) standIns.set(id, ZERO);
  const touched = new Set(candidates.map(({ id }) => id));
  const unpaid = Map.groupBy(
    [...creditable.filter(({ id }) => !touched.has(id)), ...closed],
    ({ accountId }) => accountId,
  );
  const offered = spending.flatMap((each) => [
    ...each.candidates.filter(isUnpaid),
    ...(unpaid.get(each.accountId) ?? []),
  ]);
  const withheld = await invoicesWithheld(session, offered);
  return new Map(
    inputs.map((input) => [
      input.accountId,
      { ...input, unpaid: unpaid.get(input.accountId) ?? [], withheld },
    ]),
  );
}

/** The unpaid parental debts that these invoices repair, by item (rule 8). */
async function loadDebtsRepairedBy(session: ReadSession, candidates: readonly CreditedInvoice[]) {
  const itemIds = candidates.flatMap(({ repairs = [] }) => repairs.map(({ itemId }) => itemId));
  return itemIds.length === 0 ? new Map() : loadRepairedDebts(session, [...new Set(itemIds)]);
}

/** Stand-ins for candidates that are linked to a summary of the parent; stored invoices to choose from have none (rule 5). */
export async function loadStandIns(
  session: ReadSession,
  accounts: readonly CandidatesOfAccount[],
): Promise<ReadonlyMap<Uuid, Decimal>> {
  const candidates = accounts.flatMap(({ state: { accountId }, candidates: own }) =>
    own.map((invoice) => ({ accountId, invoice })),
  );
  const contributing = candidates.filter(({ invoice }) => invoice.contributedAmount != null);
  const summaries = await loadParentInvoices(
    session,
    contributing.map(({ invoice }) => invoice),
  );
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
    // Invoices of one child share one limit of credit.
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
 * How much of each child's decreases may become credit, by `shareKey`; absent = all. Reads nothing where there is no
 * decrease, and little where the parent's item is unchanged: then the parent has paid all that it stands for.
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

/** The candidates that are being paid; a new invoice has no number yet and no payment either. */
async function invoicesWithheld(session: ReadSession, offered: readonly CreditedInvoice[]) {
  const stored = offered.filter(({ invoiceNumber }) => invoiceNumber !== UNNUMBERED);
  return invoicesBeingPaid(
    session,
    stored.map(({ id }) => id),
  );
}

/** The unpaid invoices of these accounts, by age; one statement, and one more where parents pay. */
export async function loadUnpaidInvoices(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  const open = await session.invoices.findOpen(accountIds);
  return unpaidInvoices(open, await loadParentInvoices(session, open));
}

/** Those of these invoices that are unpaid, in the order given. */
export async function onlyUnpaid(
  session: ReadSession,
  invoices: readonly Invoice[],
): Promise<readonly Invoice[]> {
  const summaries = await loadParentInvoices(session, invoices);
  return invoices.filter((invoice) => isOwed(invoice, summaries));
}

/** The invoices that the credit of these accounts is offered to, by age; statements as for the unpaid ones. */
export async function loadCreditableInvoices(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly Invoice[]> {
  const open = await session.invoices.findOpen(accountIds);
  return creditableInvoices(open, await loadParentInvoices(session, open));
}

/** The parents' invoices that these are linked to, by id; one statement, none where nothing is linked. */
export async function loadParentInvoices(
  session: ReadSession,
  invoices: readonly Partial<Pick<Invoice, 'parentInvoiceId'>>[],
): Promise<ReadonlyMap<Uuid, Invoice>> {
  const ids = new Set(invoices.flatMap(({ parentInvoiceId }) => parentInvoiceId ?? []));
  if (ids.size === 0) return new Map();
  return new Map((await session.invoices.findByIds([...ids])).map((invoice) => [invoice.id, invoice]));
}

/**
 * Those of these invoices that have a payment in flight: credit and card would both pay them (§10 rule 2). A leased
 * transaction is UNKNOWN until its answer is recorded.
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
  return new Set(
    rows.flatMap(({ paymentId, invoiceId }) =>
      paymentId !== null && unresolved.has(paymentId) ? invoiceId : [],
    ),
  );
}

/**
 * By item, its invoice, for those of these items that a parent is to pay and has not paid (§10 rule 8). One statement
 * where no parent pays any of them, else a constant number.
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
  const shareOf = new Map(shares.map((item) => [keyOf(item.invoiceId, item.childAccountId), item]));
  const isDebt = ({ accountId, parentInvoiceId }: Invoice): boolean => {
    const summary = parentInvoiceId === null ? undefined : summaries.get(parentInvoiceId);
    if (summary === undefined) return true;
    return !isPaidWhole(summary, shareOf.get(keyOf(summary.id, accountId)));
  };
  const debts = new Map(invoices.filter(isDebt).map((invoice) => [invoice.id, invoice]));
  return new Map(
    items.flatMap(({ itemId, invoiceId }) => {
      const debt = debts.get(invoiceId);
      return debt === undefined ? [] : [[itemId, debt] as const];
    }),
  );
}

function keyOf(summaryId: Uuid, childAccountId: Uuid | null): string {
  return `${summaryId} ${childAccountId}`;
}

/**
 * Balances and credit of these accounts, with what their parents pay, in one statement; accounts without invoices are
 * left out.
 */
export async function loadBalances(
  session: ReadSession,
  accountIds: readonly Uuid[],
): Promise<readonly AccountBalance[]> {
  return (await session.invoices.loadBalances(accountIds)).map(accountBalanceOf);
}
