import { type Api, api, money } from '../../core/index.ts';
import type { Tone } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

export type Invoice = Awaited<ReturnType<Api['invoices']['get']>>;
export type InvoiceItem = Invoice['items'][number];
export type Payment = Awaited<ReturnType<Api['payments']['invoicePayment']>>;
export type Transaction = Payment['transactions'][number];
export type PaymentMethod = Awaited<ReturnType<Api['paymentMethods']['get']>>;
export type Account = Awaited<ReturnType<Api['accounts']['get']>>;
export type Decimal = Invoice['balance'];

/** An invoice with what its page and its actions need. */
export interface InvoiceFacts {
  readonly invoice: Invoice;
  readonly account: Account;
  readonly payments: readonly Payment[];
  readonly methods: readonly PaymentMethod[];
}

/** Loads an invoice by its id or its number. */
export async function loadInvoice(idOrNumber: string): Promise<InvoiceFacts> {
  const { invoices, accounts, payments, paymentMethods } = api();
  const options = { withChildrenItems: true };
  const invoice = /^\d+$/.test(idOrNumber)
    ? await invoices.getByNumber(Number(idOrNumber), options)
    : await invoices.get(idOrNumber, options);
  const [account, paid, methods] = await Promise.all([
    accounts.get(invoice.accountId),
    payments.invoicePaymentsOfInvoice(invoice.id, { withAttempts: true }),
    paymentMethods.ofAccount(invoice.accountId),
  ]);
  return { invoice, account, payments: paid, methods };
}

/** A payment with what its page and its actions need. */
export interface PaymentFacts {
  readonly payment: Payment;
  readonly account: Account;
  readonly method: PaymentMethod;
  readonly invoice: Invoice | null;
}

export async function loadPayment(id: string): Promise<PaymentFacts> {
  const { payments, accounts, paymentMethods, invoices } = api();
  const payment = await payments.invoicePayment(id, { withAttempts: true, withPluginInfo: true });
  const { accountId, paymentMethodId, targetInvoiceId } = payment;
  const [account, method, invoice] = await Promise.all([
    accounts.get(accountId),
    paymentMethods.get(paymentMethodId, { includeDeleted: true }),
    targetInvoiceId === null ? null : invoices.get(targetInvoiceId),
  ]);
  return { payment, account, method, invoice };
}

/** Returns the number that customers see. */
export function numberOf(invoice: Pick<Invoice, 'formattedNumber' | 'invoiceNumber'>): string {
  return invoice.formattedNumber ?? String(invoice.invoiceNumber);
}

/** Returns the state of an invoice in a word, and its tone. */
export function stateOf(invoice: Invoice): readonly [label: string, tone: Tone] {
  const { states } = texts.invoices;
  if (invoice.status === 'DRAFT') return [states.draft, 'quiet'];
  if (invoice.status === 'VOID') return [states.void, 'quiet'];
  if (invoice.isMigration) return [states.imported, 'quiet'];
  if (invoice.isWrittenOff) return [states.writtenOff, 'warning'];
  if (invoice.balance.isZero() || invoice.balance.isNegative()) return [states.paid, 'good'];
  return invoice.balance.lessThan(invoice.amount) ? [states.partlyPaid, 'warning'] : [states.unpaid, 'bad'];
}

/** Returns true if the customer owes something on the invoice. */
export function isOwed(invoice: Invoice): boolean {
  return invoice.status === 'COMMITTED' && invoice.balance.greaterThan(0);
}

/** Returns the sum of amounts. `like` is any amount; the sum of no amounts is zero. */
export function sum(amounts: readonly Decimal[], like: Decimal): Decimal {
  return amounts.reduce((total, amount) => total.plus(amount), like.times(0));
}

/** Returns the payments of an invoice less its refunds. */
export function paymentsOf({ items, rawBalance }: Invoice): Decimal {
  return sum(
    items.map(({ amount }) => amount),
    rawBalance,
  ).minus(rawBalance);
}

const ADJUSTABLE: readonly string[] = [
  'EXTERNAL_CHARGE',
  'FIXED',
  'RECURRING',
  'TAX',
  'USAGE',
  'PARENT_SUMMARY',
];

/** Returns the lines whose amount can still be reduced. */
export function adjustableItems(invoice: Invoice): readonly InvoiceItem[] {
  return invoice.items.filter(
    ({ itemType, repairable }) => ADJUSTABLE.includes(itemType) && repairable.greaterThan(0),
  );
}

/** Returns what a line is for, in the words of the catalog if it has some. */
export function itemName(item: InvoiceItem): string {
  const plan = item.prettyPlanName ?? item.planName;
  const usage = item.prettyUsageName ?? item.usageName;
  const isOfPlan = item.itemType === 'RECURRING' || item.itemType === 'FIXED';
  if (plan !== null && item.itemType === 'USAGE') return `${plan}: ${usage ?? ''}`;
  if (plan !== null && isOfPlan) return plan;
  return item.description ?? texts.invoices.itemTypes[item.itemType];
}

/** Returns what of a payment can still be refunded. */
export function refundable({ totals }: Pick<Payment, 'totals'>): Decimal {
  return totals.purchasedAmount.plus(totals.capturedAmount).minus(totals.refundedAmount);
}

const OUTCOMES = {
  SUCCESS: 'SUCCESS',
  PENDING: 'PENDING',
  FAILED: 'PAYMENT_FAILURE',
  ERRORED: 'UNKNOWN',
} as const;

/** Returns the state of a payment in words, such as `Refund succeeded`, and its tone. */
export function paymentState({
  stateName,
  totals,
}: Pick<Payment, 'stateName' | 'totals'>): readonly [label: string, tone: Tone] {
  const { types, statuses, notStarted, chargedBack, reversedChargeback } = texts.payments;
  if (stateName === null) return [notStarted, 'quiet'];
  // A refund may be smaller than the payment.
  if (stateName === 'REFUND_SUCCESS')
    return [texts.payments.refunded(money(totals.refundedAmount, totals.currency)), 'good'];
  if (stateName === 'CHARGEBACK_FAILED') return [reversedChargeback, 'good'];
  if (stateName === 'CHARGEBACK_SUCCESS') return [chargedBack, 'bad'];
  const [operation = '', outcome = ''] = stateName.split('_');
  const type = (operation === 'AUTH' ? 'AUTHORIZE' : operation) as Transaction['transactionType'];
  const status = OUTCOMES[outcome as keyof typeof OUTCOMES];
  return [`${types[type]} ${statuses[status]}`, transactionTone({ status })];
}

export function transactionTone({ status }: Pick<Transaction, 'status'>): Tone {
  if (status === 'SUCCESS') return 'good';
  return status === 'PENDING' || status === 'UNKNOWN' ? 'warning' : 'bad';
}

/** Returns a payment method with its gateway. A key that is only an id is shortened. */
export function methodName(method: Pick<PaymentMethod, 'pluginName' | 'externalKey' | 'id'>): string {
  if (method.pluginName === '__EXTERNAL_PAYMENT__') return texts.payments.external;
  const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(method.externalKey);
  return `${method.pluginName} ${isId ? method.id.slice(-6) : method.externalKey}`;
}
