import {
  accountBalancesAfter,
  type CountedItem,
  type CountedPayment,
  invoiceAmounts,
  isAdjustable,
  isTaxOfRepair,
  rowsOfItem,
  taxRemainders,
} from '../invoicing/index.ts';
import { collectedAmount, refundable } from '../payments/index.ts';
import type { ReadSession } from '../ports/storage/index.ts';
import {
  type Account,
  type AccountInvoicingState,
  type CoverageRow,
  type Invoice,
  type InvoiceAmounts,
  type InvoiceItem,
  InvoiceItemType,
  type InvoicePayment,
  InvoicePaymentStatus,
  InvoicePaymentType,
  InvoiceStatus,
  itemTypes,
  type PaymentTransaction,
  TransactionStatus,
  TransactionType,
} from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import { belowMinorUnit, type Decimal, formatDecimal, moneyText, sum, ZERO } from '../values/money/index.ts';
import { formatLocalDate } from '../values/time/index.ts';
import { billingMismatches } from './check-usage.ts';
import {
  CheckedInvariant,
  type Finding,
  type FindingOfAccount,
  finding,
  ofAccount,
  pagesBy,
} from './model.ts';

/** Number of invoices that are read at a time. */
const CHECKED_INVOICES_AT_ONCE = 1_000;

/** Checks all invoices of these accounts, and the stored balances of the accounts. */
export async function checkInvoices(
  session: ReadSession,
  accounts: readonly Account[],
): Promise<readonly FindingOfAccount[]> {
  const findings: FindingOfAccount[] = [];
  const balances = new Map<Uuid, CountedBalance>();
  const accountRecordIds = accounts.map(({ recordId }) => recordId);
  const limit = CHECKED_INVOICES_AT_ONCE;
  const pages = pagesBy(
    limit,
    ({ recordId }: Invoice) => recordId,
    (afterRecordId = 0) => session.checks.invoicesAfter({ accountRecordIds, afterRecordId, limit }),
  );
  for await (const invoices of pages) {
    for (const invoice of invoices) {
      const before = balances.get(invoice.accountId) ?? NO_BALANCE;
      balances.set(invoice.accountId, accountBalancesAfter(before, { before: null, after: invoice }));
    }
    findings.push(...(await checkBatch(session, invoices)));
  }
  const states = await session.invoices.loadStates(accounts.map(({ id }) => id));
  const stored = new Map(states.map((state) => [state.accountId, state]));
  for (const account of accounts) {
    const counted = balances.get(account.id) ?? NO_BALANCE;
    const wrong = [...wrongBalances(stored.get(account.id), counted), ...finerCredit(account, counted)];
    findings.push(...ofAccount(account.id, wrong));
  }
  return findings;
}

async function checkBatch(
  session: ReadSession,
  invoices: readonly Invoice[],
): Promise<readonly FindingOfAccount[]> {
  if (invoices.length === 0) return [];
  const ids = invoices.map(({ id }) => id);
  const items = await session.invoices.findItems(ids);
  const itemsOf = Map.groupBy(items, ({ invoiceId }) => invoiceId);
  const payments = await session.payments.findInvoicePaymentsByInvoices(ids);
  const paymentsOf = Map.groupBy(payments, ({ invoiceId }) => invoiceId);
  const paymentIds = [...new Set(payments.flatMap(({ paymentId }) => paymentId ?? []))];
  const transactions = paymentIds.length === 0 ? [] : await session.payments.findTransactions(paymentIds);
  const transactionsOf = Map.groupBy(transactions, ({ paymentId }) => paymentId);
  const itemIds = items.map(({ id }) => id);
  const rowsOf = Map.groupBy(await session.invoices.loadCoverageOfItems(itemIds), ({ itemId }) => itemId);
  const taken = Map.groupBy(await findReductions(session, itemIds), ({ linkedItemId }) => linkedItemId);
  const taxedIds = items.flatMap(({ itemType, linkedItemId }) =>
    itemType === 'TAX' ? (linkedItemId ?? []) : [],
  );
  const taxesLeft = taxedIds.length === 0 ? new Map() : await taxRemainders(session, [...new Set(taxedIds)]);
  const billed = Map.groupBy(await session.checks.billedItems(ids), ({ invoiceId }) => invoiceId);
  return invoices.flatMap((invoice) => {
    const own = itemsOf.get(invoice.id) ?? [];
    const paid = paymentsOf.get(invoice.id) ?? [];
    const billedIds = (billed.get(invoice.id) ?? []).map(({ itemId }) => itemId);
    return ofAccount(invoice.accountId, [
      ...wrongSums(invoice, own, paid),
      ...finerBalance(invoice, own),
      ...(invoice.isMigration ? [] : billingMismatches(own, billedIds)),
      ...severalOpenPayments(invoice.id, paid, (id) => transactionsOf.get(id) ?? []),
      ...own.flatMap((item) => {
        const [itemReductions, rows] = [taken.get(item.id) ?? [], rowsOf.get(item.id) ?? []];
        return wrongRemainders({ invoice, item, taken: itemReductions, rows, taxesLeft });
      }),
    ]);
  });
}

/** Finds repairs and adjustments of these items. Excludes VOID and migrated invoices. */
async function findReductions(
  session: ReadSession,
  itemIds: readonly Uuid[],
): Promise<readonly InvoiceItem[]> {
  const linked = (await session.invoices.findItemsLinkedTo(itemIds)).filter(
    ({ itemType }) => itemTypes[itemType].kind === 'ADJUSTMENT',
  );
  const invoiceIds = [...new Set(linked.map(({ invoiceId }) => invoiceId))];
  if (invoiceIds.length === 0) return [];
  const counted = (await session.invoices.findByIds(invoiceIds)).filter(
    ({ status, isMigration }) => status !== InvoiceStatus.VOID && !isMigration,
  );
  const countedIds = new Set(counted.map(({ id }) => id));
  return linked.filter(({ invoiceId }) => countedIds.has(invoiceId));
}

const sums: readonly (keyof InvoiceAmounts)[] = ['amount', 'creditAdj', 'refundAdj', 'rawBalance'];

/** Finds stored sums of an invoice that differ from the actual sums of its items and payments. */
function wrongSums(
  invoice: Pick<Invoice, 'id' | 'isMigration'> & InvoiceAmounts,
  items: readonly CountedItem[],
  payments: readonly CountedPayment[],
): readonly Finding[] {
  const counted = invoiceAmounts(items, payments);
  const expected = invoice.isMigration ? { ...counted, rawBalance: ZERO } : counted;
  return sums
    .filter((sum) => !invoice[sum].equals(expected[sum]))
    .map((sum) => ({
      invariant: CheckedInvariant.INVOICE_BALANCE,
      message: `The stored ${sum} of invoice ${invoice.id} is ${formatDecimal(invoice[sum])}, but its items and payments add up to ${formatDecimal(expected[sum])}`,
    }));
}

type Owed = Pick<Invoice, 'id' | 'status' | 'isMigration' | 'isWrittenOff' | 'rawBalance' | 'currency'>;
type Adjusted = Pick<InvoiceItem, 'id' | 'itemType' | 'repairable'>;

/**
 * Finds a balance that cannot be paid because it is finer than the minor unit. Older data may contain such balances.
 * The finding names the adjustment that corrects the balance.
 */
function finerBalance(invoice: Owed, items: readonly Adjusted[]): readonly Finding[] {
  const { id, currency, rawBalance } = invoice;
  if (invoice.status !== InvoiceStatus.COMMITTED || invoice.isMigration || invoice.isWrittenOff) return [];
  const rest = belowMinorUnit(rawBalance, currency);
  if (rest.lessThanOrEqualTo(0)) return [];
  const item = items.find((each) => isAdjustable(each) && each.repairable.greaterThanOrEqualTo(rest));
  const remedy =
    item === undefined ? 'Write the invoice off' : `Adjust its item ${item.id} by ${formatDecimal(rest)}`;
  const message = `Invoice ${id} owes ${moneyText(rawBalance, currency)}, which is finer than the minor unit of its currency. ${remedy}`;
  return [finding(CheckedInvariant.MINOR_UNIT, message)];
}

/**
 * Finds account credit that is finer than the minor unit of the currency. Once an invoice has used the credit, that
 * invoice is reported instead.
 */
function finerCredit(
  { currency }: Pick<Account, 'currency'>,
  { accountCBA }: Pick<CountedBalance, 'accountCBA'>,
): readonly Finding[] {
  if (currency === null || belowMinorUnit(accountCBA, currency).isZero()) return [];
  const message = `The account credit is ${moneyText(accountCBA, currency)}, which is finer than the minor unit of its currency. Check again after an invoice has used it, and adjust that invoice`;
  return [finding(CheckedInvariant.MINOR_UNIT, message)];
}

/** Balance and credit of an account, computed from its invoices. */
type CountedBalance = Pick<AccountInvoicingState, 'accountBalance' | 'accountCBA'>;

const NO_BALANCE: CountedBalance = { accountBalance: ZERO, accountCBA: ZERO };

/** Finds stored balances of an account that differ from the sums of its invoices. */
function wrongBalances(stored = NO_BALANCE, counted: CountedBalance): readonly Finding[] {
  const credit = counted.accountCBA;
  const pairs = [
    ['balance', stored.accountBalance, counted.accountBalance],
    ['credit', stored.accountCBA, credit],
  ] as const;
  const messages = pairs
    .filter(([, kept, sum]) => !kept.equals(sum))
    .map(
      ([name, kept, sum]) =>
        `The stored ${name} of the account is ${formatDecimal(kept)}, but its invoices add up to ${formatDecimal(sum)}`,
    );
  if (credit.lessThan(0))
    messages.push(`The account used more credit than was available; its credit is ${formatDecimal(credit)}`);
  return messages.map((message) => finding(CheckedInvariant.ACCOUNT_BALANCE, message));
}

interface ItemRemainders {
  readonly invoice: Pick<Invoice, 'status' | 'isMigration' | 'currency'>;
  readonly item: InvoiceItem;
  /** Repairs and adjustments of the item, from invoices that are not VOID. */
  readonly taken: readonly InvoiceItem[];
  /** All coverage rows of the item. */
  readonly rows: readonly CoverageRow[];
  /** The remaining amounts of the TAX items that refer to a taxed charge. */
  readonly taxesLeft: ReadonlyMap<Uuid, Decimal>;
}

/**
 * Finds charges whose stored remainder does not match their repairs and adjustments. A charge on a VOID invoice has no
 * repairs.
 */
function wrongRemainders(of: ItemRemainders): readonly Finding[] {
  const { invoice, item, taken, rows, taxesLeft } = of;
  if (!isAdjustable(item) || isTaxOfRepair(item)) return [];
  const isCounted = invoice.status !== InvoiceStatus.VOID && !invoice.isMigration;
  const repairs = taken.filter(({ itemType }) => itemType === InvoiceItemType.REPAIR_ADJ);
  const coversDays = isCounted && itemTypes[item.itemType].coversDays;
  const expected = linesOf(coversDays ? rowsOfItem(item, repairs, invoice.currency) : []);
  const stored = linesOf(rows);
  const faults = isCounted ? wrongRest(item, taken, taxesLeft.get(item.id)) : [];
  if (stored !== expected) faults.push(`stores [${stored}] as in force, but its repairs leave [${expected}]`);
  return faults.map((fault) => finding(CheckedInvariant.REPAIRS, `Item ${item.id} ${fault}`));
}

function wrongRest(
  { amount, repairable }: InvoiceItem,
  taken: readonly InvoiceItem[],
  taxLeft: Decimal | undefined,
): string[] {
  const left = taxLeft ?? amount.plus(sum(taken.map((each) => each.amount)));
  const faults: string[] = [];
  if (!repairable.equals(left))
    faults.push(
      `has a stored remainder of ${formatDecimal(repairable)}, but its repairs and adjustments leave ${formatDecimal(left)}`,
    );
  if (left.lessThan(0))
    faults.push(`has repairs and adjustments that exceed its amount by ${formatDecimal(left.negated())}`);
  return faults;
}

function linesOf(rows: readonly CoverageRow[]): string {
  return rows
    .map(({ kind, startDate, endDate, amount }) => {
      const days = `${formatLocalDate(startDate)}..${endDate === null ? '' : formatLocalDate(endDate)}`;
      // A plugin may have changed the catalog's amount on the item.
      if (kind === 'FIXED') return `${kind} ${days}`;
      // A charge that a plugin made free is also listed as FREE.
      return amount.isZero() ? `FREE ${days}` : `${kind} ${days} ${formatDecimal(amount)}`;
    })
    .sort()
    .join(', ');
}

/** Finds a payment that was refunded beyond its captured amount. `transactions` is in creation order. */
export function overRefunded(
  paymentId: Uuid,
  transactions: Parameters<typeof refundable>[0],
): readonly Finding[] {
  const left = refundable(transactions);
  if (!left.isNegative()) return [];
  const captured = collectedAmount(transactions);
  const refunded = captured.minus(left);
  const message = `Payment ${paymentId} has refunds of ${formatDecimal(refunded)} but captures of only ${formatDecimal(captured)}`;
  return [finding(CheckedInvariant.REFUNDS, message)];
}

/**
 * Finds an invoice with several payments of unknown outcome. The first such payment should have blocked the others
 * (payments §9.2 rule 8). PENDING payments only reserve their amount and may coexist.
 */
export function severalOpenPayments(
  invoiceId: Uuid,
  payments: readonly Pick<InvoicePayment, 'type' | 'status' | 'paymentId' | 'transactionExternalKey'>[],
  transactionsOf: (
    paymentId: Uuid,
  ) => readonly Pick<PaymentTransaction, 'transactionType' | 'status' | 'externalKey'>[],
): readonly Finding[] {
  const open = payments.filter(
    ({ type, status, paymentId, transactionExternalKey }) =>
      type === InvoicePaymentType.ATTEMPT &&
      status !== InvoicePaymentStatus.SUCCESS &&
      paymentId !== null &&
      transactionsOf(paymentId).some(
        (each) =>
          each.transactionType === TransactionType.PURCHASE &&
          each.externalKey === transactionExternalKey &&
          each.status === TransactionStatus.UNKNOWN,
      ),
  );
  const count = new Set(open.map(({ paymentId }) => paymentId)).size;
  if (count < 2) return [];
  const message = `Invoice ${invoiceId} has ${count} payments with an unknown outcome`;
  return [finding(CheckedInvariant.OPEN_PAYMENT, message)];
}
