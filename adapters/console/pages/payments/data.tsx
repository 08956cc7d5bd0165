import type { Payment, PaymentMethod, ResultOf, Transaction } from '../../core/data.ts';
import { instant, label, money } from '../../core/format.ts';
import type { Column } from '../../parts/table.tsx';
import { Badge, IdLink } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';

const t = texts.payments;

export type ListedPayment = Omit<Payment, 'targetInvoiceId'>;

/** Returns the columns of a list of payments. Dates are in the given time zone, by default in that of the browser. */
export function paymentColumns(timeZone?: string) {
  return [
    [
      'number',
      ({ id, paymentNumber }) => <IdLink page="/payments" id={id} label={String(paymentNumber)} />,
      'sorted',
    ],
    ['date', ({ createdDate }) => instant(createdDate, timeZone)],
    ['state', PaymentState],
    ['amount', amountOf, 'number'],
    ['messageOfTheGateway', gatewayMessage],
  ] as const satisfies readonly Column<ListedPayment>[];
}

/** Returns the amount with which the payment began. */
export function amountOf({ transactions, totals }: ListedPayment): string {
  const [first] = transactions;
  return first === undefined ? '–' : money(first.amount, first.currency ?? totals.currency);
}

/** Returns the sentence of the gateway about the latest failure; empty if the latest transaction has none. */
function gatewayMessage({ transactions }: ListedPayment): string {
  const last = transactions.at(-1);
  return last?.gatewayErrorMsg ?? last?.gatewayErrorCode ?? '';
}

/** Returns the amount of a payment that can still be refunded. */
export function refundable({ totals }: ListedPayment) {
  return totals.purchasedAmount.plus(totals.capturedAmount).minus(totals.refundedAmount);
}

/** The state of a payment. A chargeback that succeeded is bad news. */
export function PaymentState({ stateName }: ListedPayment) {
  const [operation, outcome = ''] = (stateName ?? '').split('_');
  const tone = statusTone(outcome);
  const isReversed = operation === 'CHARGEBACK';
  const tones = isReversed ? ({ good: 'bad', bad: 'good', warning: 'warning' } as const) : null;
  return <Badge tone={tones?.[tone] ?? tone}>{label(stateName ?? 'notStarted')}</Badge>;
}

/** Returns the tone of the state of a transaction, or of the outcome in the state of a payment. */
export function statusTone(status: string) {
  if (status === 'SUCCESS') return 'good';
  return ['PENDING', 'UNKNOWN', 'ERRORED'].includes(status) ? 'warning' : 'bad';
}

/** Returns a payment method with its gateway. A key that is only an id is shortened. */
export function methodName(method: PaymentMethod): string {
  if (method.pluginName === '__EXTERNAL_PAYMENT__') return t.external;
  const isId = /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(method.externalKey);
  return `${method.pluginName} ${isId ? method.id.slice(-6) : method.externalKey}`;
}

/**
 * Checks the outcome that the gateway reported.
 * @throws Error with the sentence of the gateway if the transaction failed, or if nothing was paid.
 */
export function checkOutcome(result: ResultOf<'invoicePayments', 'pay'>): void {
  if (result === null) throw new Error(t.nothingPaid);
  const { status, gatewayErrorMsg, gatewayErrorCode } = result.transaction;
  if (status === 'SUCCESS' || status === 'PENDING') return;
  throw new Error(t.declined(gatewayErrorMsg ?? gatewayErrorCode ?? label(status)));
}

export function scheduledRetries({ attempts }: Pick<Payment, 'attempts'>) {
  return (attempts ?? []).filter(({ stateName }) => stateName === 'SCHEDULED');
}

/** Returns the latest outcome of a payment, and when it is tried again, in sentences. */
export function outcomeSentences(payment: Payment, timeZone: string): readonly string[] {
  const last = payment.transactions.at(-1);
  if (last === undefined) return [t.nothingYet];
  const retries = scheduledRetries(payment).map(({ effectiveDate, amount, currency }) =>
    t.retry(instant(effectiveDate, timeZone), money(amount, currency)),
  );
  const isFailed = !['SUCCESS', 'PENDING', 'UNKNOWN'].includes(last.status);
  return [outcomeOf(last, timeZone), ...(retries.length === 0 && isFailed ? [t.noRetry] : retries)];
}

/** Returns the outcome of a transaction in a sentence. */
function outcomeOf(transaction: Transaction, timeZone: string): string {
  const { status, transactionType, amount, currency, gatewayErrorMsg, gatewayErrorCode } = transaction;
  const what = t.what(label(transactionType), money(amount, currency));
  const date = instant(transaction.effectiveDate, timeZone);
  return t.outcomes[status](what, date, gatewayErrorMsg ?? gatewayErrorCode ?? t.noReason);
}
