import {
  type AccountedInvoice,
  accountBalancesAfter,
  type CountedItem,
  type CountedPayment,
  invoiceAmounts,
  isAdjustable,
  rowsOfItem,
} from '../invoicing/index.ts';
import { refundable, takenOf } from '../payments/index.ts';
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
import { belowMinorUnit, formatDecimal, moneyText, sum, ZERO } from '../values/money/index.ts';
import { formatLocalDate } from '../values/time/index.ts';
import { wronglyBilled } from './check-usage.ts';
import { CheckedInvariant, type Finding, type FindingOfAccount, finding } from './model.ts';

/** Invoices that a check of the stored data reads at once. */
const CHECKED_INVOICES_AT_ONCE = 1_000;

/** Checks all invoices of these accounts, a part at a time, and what is stored about the accounts for them. */
export async function checkInvoices(
  session: ReadSession,
  accounts: readonly Account[],
): Promise<readonly FindingOfAccount[]> {
  const findings: FindingOfAccount[] = [];
  const balances = new Map<Uuid, CountedBalance>();
  const accountRecordIds = accounts.map(({ recordId }) => recordId);
  let afterRecordId = 0;
  for (;;) {
    const invoices = await session.checks.invoicesAfter({
      accountRecordIds,
      afterRecordId,
      limit: CHECKED_INVOICES_AT_ONCE,
    });
    for (const invoice of invoices) {
      const known = balances.get(invoice.accountId) ?? NO_BALANCE;
      balances.set(invoice.accountId, balanceWith(known, invoice));
    }
    findings.push(...(await checkBatch(session, invoices)));
    if (invoices.length < CHECKED_INVOICES_AT_ONCE) break;
    afterRecordId = invoices.at(-1)?.recordId ?? afterRecordId;
  }
  const states = await session.invoices.loadStates(accounts.map(({ id }) => id));
  const kept = new Map(states.map((state) => [state.accountId, state]));
  for (const account of accounts) {
    const counted = balances.get(account.id) ?? NO_BALANCE;
    const wrong = [...wrongBalances(kept.get(account.id), counted), ...finerCredit(account, counted)];
    findings.push(...wrong.map((finding) => ({ ...finding, accountId: account.id })));
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
  const taken = Map.groupBy(await takenFrom(session, itemIds), ({ linkedItemId }) => linkedItemId);
  const billed = Map.groupBy(await session.checks.billedItems(ids), ({ invoiceId }) => invoiceId);
  return invoices.flatMap((invoice) => {
    const own = itemsOf.get(invoice.id) ?? [];
    const paid = paymentsOf.get(invoice.id) ?? [];
    const found = [
      ...wrongSums(invoice, own, paid),
      ...finerBalance(invoice, own),
      ...(invoice.isMigration
        ? []
        : wronglyBilled(
            own,
            (billed.get(invoice.id) ?? []).map(({ itemId }) => itemId),
          )),
      ...severalOpenPayments(invoice.id, paid, (id) => transactionsOf.get(id) ?? []),
      ...own.flatMap((item) =>
        wrongRemainders({
          invoice,
          item,
          taken: taken.get(item.id) ?? [],
          rows: rowsOf.get(item.id) ?? [],
        }),
      ),
    ];
    return found.map((finding) => ({ ...finding, accountId: invoice.accountId }));
  });
}

/** Repairs and adjustments of these items on invoices that count: neither VOID nor made by another system. */
async function takenFrom(session: ReadSession, itemIds: readonly Uuid[]): Promise<readonly InvoiceItem[]> {
  const linked = (await session.invoices.findItemsLinkedTo(itemIds)).filter(
    ({ itemType }) => itemTypes[itemType].kind === 'ADJUSTMENT',
  );
  const invoiceIds = [...new Set(linked.map(({ invoiceId }) => invoiceId))];
  if (invoiceIds.length === 0) return [];
  const invoices = await session.invoices.findByIds(invoiceIds);
  const invisible = new Set(
    invoices
      .filter(({ status, isMigration }) => status === InvoiceStatus.VOID || isMigration)
      .map(({ id }) => id),
  );
  return linked.filter(({ invoiceId }) => !invisible.has(invoiceId));
}

const sums: readonly (keyof InvoiceAmounts)[] = ['amount', 'creditAdj', 'refundAdj', 'rawBalance'];

/** The stored sums of an invoice that differ from those of its items and payments. */
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
      message: `${sum} of invoice ${invoice.id} is ${formatDecimal(invoice[sum])}, its items and payments make ${formatDecimal(expected[sum])}`,
    }));
}

type Owed = Pick<Invoice, 'id' | 'status' | 'isMigration' | 'isWrittenOff' | 'rawBalance' | 'currency'>;
type Adjusted = Pick<InvoiceItem, 'id' | 'itemType' | 'repairable'>;

/** Finds a balance of older data that no payment in minor units can settle, with the adjustment that ends it. */
function finerBalance(invoice: Owed, items: readonly Adjusted[]): readonly Finding[] {
  const { id, currency, rawBalance } = invoice;
  if (invoice.status !== InvoiceStatus.COMMITTED || invoice.isMigration || invoice.isWrittenOff) return [];
  const rest = belowMinorUnit(rawBalance, currency);
  if (rest.lessThanOrEqualTo(0)) return [];
  const item = items.find((each) => isAdjustable(each) && each.repairable.greaterThanOrEqualTo(rest));
  const remedy =
    item === undefined ? 'Write the invoice off' : `Adjust its item ${item.id} by ${formatDecimal(rest)}`;
  return [
    finding(
      CheckedInvariant.MINOR_UNIT,
      `invoice ${id} owes ${moneyText(rawBalance, currency)}, finer than its currency. ${remedy}`,
    ),
  ];
}

/** Finds account credit that is finer than the currency; the next invoice uses it, and is found for what that leaves. */
function finerCredit(
  { currency }: Pick<Account, 'currency'>,
  { accountCBA }: Pick<CountedBalance, 'accountCBA'>,
): readonly Finding[] {
  if (currency === null || belowMinorUnit(accountCBA, currency).isZero()) return [];
  const credit = moneyText(accountCBA, currency);
  return [
    finding(
      CheckedInvariant.MINOR_UNIT,
      `account credit is ${credit}, finer than its currency. Check again once an invoice has used it, and adjust that`,
    ),
  ];
}

/** Balance and credit of an account, counted invoice by invoice. */
type CountedBalance = Pick<AccountInvoicingState, 'accountBalance' | 'accountCBA'>;

const NO_BALANCE: CountedBalance = { accountBalance: ZERO, accountCBA: ZERO };

/** The balance with one more invoice; an invoice that the parent pays does not count. */
function balanceWith(balance: CountedBalance, invoice: AccountedInvoice): CountedBalance {
  return accountBalancesAfter(balance, { before: null, after: invoice });
}

/** The stored balances of an account that differ from those of its invoices. */
function wrongBalances(kept: CountedBalance | undefined, counted: CountedBalance): readonly Finding[] {
  const { accountBalance, accountCBA } = kept ?? NO_BALANCE;
  const pairs = [
    ['balance', accountBalance, counted.accountBalance],
    ['credit', accountCBA, counted.accountCBA],
  ] as const;
  const findings: Finding[] = pairs
    .filter(([, stored, sum]) => !stored.equals(sum))
    .map(([name, stored, sum]) =>
      finding(
        CheckedInvariant.ACCOUNT_BALANCE,
        `${name} is kept as ${formatDecimal(stored)}, its invoices make ${formatDecimal(sum)}`,
      ),
    );
  if (counted.accountCBA.isNegative() && !counted.accountCBA.isZero())
    findings.push(
      finding(
        CheckedInvariant.ACCOUNT_BALANCE,
        `more credit was used than there was: ${formatDecimal(counted.accountCBA)}`,
      ),
    );
  return findings;
}

interface ItemRemainders {
  readonly invoice: Pick<Invoice, 'status' | 'isMigration' | 'currency'>;
  readonly item: InvoiceItem;
  /** Repairs and adjustments of the item on invoices that are not VOID. */
  readonly taken: readonly InvoiceItem[];
  /** All coverage rows of the item. */
  readonly rows: readonly CoverageRow[];
}

/** The remainder of a charge that differs from its repairs and adjustments; nothing remains on a VOID invoice. */
function wrongRemainders(of: ItemRemainders): readonly Finding[] {
  const { invoice, item } = of;
  if (!isAdjustable(item)) return [];
  const covered = wrongRows(of);
  return invoice.status === InvoiceStatus.VOID || invoice.isMigration
    ? covered
    : [...wrongRest(of), ...covered];
}

function wrongRest({ item, taken }: ItemRemainders): readonly Finding[] {
  const left = item.amount.plus(sum(taken.map(({ amount }) => amount)));
  const wrong = item.repairable.equals(left)
    ? []
    : [findingOf(item.id, `has ${formatDecimal(left)} left, kept as ${formatDecimal(item.repairable)}`)];
  return left.isNegative() && !left.isZero()
    ? [...wrong, findingOf(item.id, `is repaired and adjusted by more than it is: ${formatDecimal(left)}`)]
    : wrong;
}

function wrongRows(of: ItemRemainders): readonly Finding[] {
  const [stored, expected] = [linesOf(of.rows), linesOf(expectedRows(of))];
  if (stored === expected) return [];
  return [findingOf(of.item.id, `is in force as [${stored}], its repairs leave [${expected}]`)];
}

function expectedRows({ invoice, item, taken }: ItemRemainders): readonly CoverageRow[] {
  const { coversDays } = itemTypes[item.itemType];
  if (!coversDays || invoice.isMigration || invoice.status === InvoiceStatus.VOID) return [];
  const repairs = taken.filter(({ itemType }) => itemType === InvoiceItemType.REPAIR_ADJ);
  return rowsOfItem(item, repairs, invoice.currency);
}

function linesOf(rows: readonly CoverageRow[]): string {
  return rows
    .map(({ kind, startDate, endDate, amount }) => {
      const days = `${formatLocalDate(startDate)}..${endDate === null ? '' : formatLocalDate(endDate)}`;
      // What the catalog asks for, which a plugin may have changed on the item.
      if (kind === 'FIXED') return `${kind} ${days}`;
      // A plugin may have made a charge free, which stays one.
      return amount.isZero() ? `FREE ${days}` : `${kind} ${days} ${formatDecimal(amount)}`;
    })
    .sort()
    .join(', ');
}

function findingOf(itemId: Uuid, what: string): Finding {
  return finding(CheckedInvariant.REPAIRS, `item ${itemId} ${what}`);
}

type Moved = Parameters<typeof refundable>[0][number];

/** Finds a payment of which more was given back than came in, both in the payment's currency; `transactions` in creation order. */
export function overRefunded(paymentId: Uuid, transactions: readonly Moved[]): readonly Finding[] {
  const left = refundable(transactions);
  if (!left.isNegative()) return [];
  const captured = takenOf(transactions);
  const refunded = captured.minus(left);
  const message = `of payment ${paymentId} ${formatDecimal(refunded)} was refunded, ${formatDecimal(captured)} captured`;
  return [{ invariant: CheckedInvariant.REFUNDS, message }];
}

/**
 * Finds an invoice that several payments may have been charged for at once: the outcome of one stops the next (payments
 * §9.2 rule 8). Those that are PENDING only reserve what they are to settle, and stand beside each other.
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
  const message = `invoice ${invoiceId} has ${count} payments whose outcome is unknown`;
  return [{ invariant: CheckedInvariant.OPEN_PAYMENT, message }];
}
