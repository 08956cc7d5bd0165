import {
  type Account,
  type AccountBalance,
  type AccountInvoicingState,
  type BalancedInvoice,
  type Invoice,
  type InvoiceAmounts,
  type InvoiceItem,
  type InvoicePayment,
  itemTypes,
  type StoredBalance,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type Decimal, sum, ZERO } from '../../values/money/index.ts';

export type CountedItem = Pick<InvoiceItem, 'itemType' | 'amount'>;
export type CountedPayment = Pick<InvoicePayment, 'type' | 'status' | 'amount'>;

type OwnInvoice = BalancedInvoice & Partial<Pick<Invoice, 'contributedAmount'>>;

export const NO_AMOUNTS: InvoiceAmounts = Object.freeze({
  amount: ZERO,
  creditAdj: ZERO,
  refundAdj: ZERO,
  rawBalance: ZERO,
});

/** Returns the amounts of an invoice, computed from all its items and payments (§1.4 rules 1–5). */
export function invoiceAmounts(
  items: readonly CountedItem[],
  payments: readonly CountedPayment[] = [],
): InvoiceAmounts {
  let amounts = addItems(NO_AMOUNTS, items, isPureCredit(items));
  for (const payment of payments) amounts = amountsAfterPayment(amounts, payment);
  return amounts;
}

/** Returns the amounts after items are added to an invoice. The invoice must not consist only of a credit. */
export function amountsAfterItems(amounts: InvoiceAmounts, items: readonly CountedItem[]): InvoiceAmounts {
  return addItems(amounts, items, false);
}

/**
 * Returns the amounts after one more payment or refund. Refunds and chargebacks have negative amounts. Pass each
 * payment only once, when it becomes a SUCCESS.
 */
export function amountsAfterPayment(amounts: InvoiceAmounts, payment: CountedPayment): InvoiceAmounts {
  if (payment.status !== 'SUCCESS') return amounts;
  const rawBalance = amounts.rawBalance.minus(payment.amount);
  if (payment.type === 'ATTEMPT') return { ...amounts, rawBalance };
  return { ...amounts, rawBalance, refundAdj: amounts.refundAdj.plus(payment.amount) };
}

/**
 * Returns the amount owed for the invoice (rule 6). `parentBalance` is the balance of the linked parent invoice, or
 * null if there is no link.
 */
export function balanceOf(invoice: BalancedInvoice, parentBalance: Decimal | null = null): Decimal {
  const { status, isMigration, isWrittenOff, rawBalance } = invoice;
  const isSettledByParent = parentBalance?.isZero() === true;
  return status !== 'COMMITTED' || isMigration || isWrittenOff || isSettledByParent ? ZERO : rawBalance;
}

/** Returns true if the invoice has an unpaid balance and is not linked to a parent's invoice (rule 9). */
export function isUnpaid(invoice: BalancedInvoice): boolean {
  return balanceOf(invoice).greaterThan(0);
}

/**
 * Returns the part of the invoice's credit items that is account credit (rule 7). Written-off invoices are included.
 */
export function accountCreditOf(invoice: Pick<Invoice, 'status' | 'isMigration' | 'creditAdj'>): Decimal {
  return invoice.status === 'COMMITTED' && !invoice.isMigration ? invoice.creditAdj : ZERO;
}

export type AccountedInvoice = OwnInvoice & Pick<Invoice, 'creditAdj'>;

/**
 * Returns the part of the balance that is stored with the account. If a parent pays the invoice, its balance depends on
 * the parent's invoice, which has a different lock. Such a balance is added when balances are read.
 */
function ownBalanceOf(invoice: OwnInvoice): Decimal {
  return invoice.contributedAmount == null ? balanceOf(invoice) : ZERO;
}

/**
 * Returns the account balances after one invoice has changed, without reading other invoices (rules 7 and 8). A null
 * `before` means a new invoice. The balance is Σ invoice balances − credit and may be negative.
 */
export function accountBalancesAfter<S extends Pick<AccountInvoicingState, 'accountBalance' | 'accountCBA'>>(
  state: S,
  { before, after }: { readonly before: AccountedInvoice | null; readonly after: AccountedInvoice },
): S {
  const credit = accountCreditOf(after).minus(before === null ? ZERO : accountCreditOf(before));
  const balance = ownBalanceOf(after).minus(before === null ? ZERO : ownBalanceOf(before));
  return {
    ...state,
    accountCBA: state.accountCBA.plus(credit),
    accountBalance: state.accountBalance.plus(balance).minus(credit),
  };
}

function addItems(
  { amount, creditAdj, refundAdj, rawBalance }: InvoiceAmounts,
  items: readonly CountedItem[],
  isCreditOnly: boolean,
): InvoiceAmounts {
  const credit = sum(items.filter(isAccountCredit).map((item) => item.amount));
  const others = sum(items.filter((item) => !isAccountCredit(item)).map((item) => item.amount));
  return {
    amount: isCreditOnly ? amount : amount.plus(others),
    creditAdj: creditAdj.plus(credit),
    refundAdj,
    rawBalance: rawBalance.plus(others).plus(credit),
  };
}

function isAccountCredit({ itemType }: CountedItem): boolean {
  return itemTypes[itemType].sum === 'creditAdj';
}

/** Returns true for an invoice that only turns a credit into account credit: CREDIT_ADJ −x and CBA_ADJ +x. */
function isPureCredit(items: readonly CountedItem[]): boolean {
  const [a, b] = items;
  if (items.length !== 2 || a === undefined || b === undefined) return false;
  const [first, second] = [a.itemType, b.itemType].sort();
  return first === 'CBA_ADJ' && second === 'CREDIT_ADJ' && a.amount.plus(b.amount).isZero();
}

export function initialState(account: Pick<Account, 'id' | 'recordId'>): AccountInvoicingState {
  return {
    accountId: account.id,
    accountRecordId: account.recordId,
    maxTargetDate: null,
    accountCBA: ZERO,
    accountBalance: ZERO,
    version: 0,
  };
}

export function storedAmounts(
  invoice: Pick<Invoice, 'id' | keyof InvoiceAmounts>,
): InvoiceAmounts & { readonly invoiceId: Uuid } {
  const { id, amount, creditAdj, refundAdj, rawBalance } = invoice;
  return { invoiceId: id, amount, creditAdj, refundAdj, rawBalance };
}

/**
 * Returns the balance of an account (§1.4 rules 6 and 8). It is the stored balance plus the balances of invoices that
 * a parent pays, as long as these invoices are in no summary or in an unpaid summary. Summaries change under the
 * parent's lock, so this part is not stored with the account.
 */
export function accountBalanceOf({ delegated, ...kept }: StoredBalance): AccountBalance {
  const accountBalance = delegated.reduce(
    (sum, { invoice, summary }) => sum.plus(balanceOf(invoice, summary && balanceOf(summary))),
    kept.accountBalance,
  );
  return { ...kept, accountBalance };
}
