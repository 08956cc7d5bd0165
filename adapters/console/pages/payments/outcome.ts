import { instant, money, type ResultOf } from '../../core/index.ts';
import { textOf, type Values } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import type { Payment, Transaction } from '../invoices/data.ts';

const t = texts.payments;

/**
 * Checks the outcome that the gateway reported.
 * @throws Error with the sentence of the gateway if the transaction failed, or if nothing was paid.
 */
export function checkOutcome(result: ResultOf<'invoicePayments', 'pay'>): void {
  if (result === null) throw new Error(t.nothingPaid);
  const { status, gatewayErrorMsg, gatewayErrorCode } = result.transaction;
  if (status === 'SUCCESS' || status === 'PENDING') return;
  throw new Error(t.declined(gatewayErrorMsg ?? gatewayErrorCode ?? t.statuses[status]));
}

/** Returns the amount of a form; null if it is not a number above 0. */
export function amountIn(values: Values): string | null {
  const amount = textOf(values, 'amount') ?? '';
  return /^\d+([.]\d+)?$/.test(amount) && Number(amount) > 0 ? amount : null;
}

/** Returns the outcome of the latest transaction of a payment in a sentence. */
function outcomeOf(transaction: Transaction, timeZone: string): string {
  const { status, transactionType, amount, currency, gatewayErrorMsg, gatewayErrorCode } = transaction;
  const what = t.what(t.types[transactionType], money(amount, currency));
  const date = instant(transaction.effectiveDate, timeZone);
  const answer = gatewayErrorMsg ?? gatewayErrorCode ?? t.noReason;
  switch (status) {
    case 'SUCCESS':
      return transactionType === 'CHARGEBACK' ? t.bankTook(what, date) : t.succeeded(what, date);
    case 'PENDING':
      return t.isPending(what, date);
    case 'UNKNOWN':
      return t.isUnknown(what, date);
    case 'PAYMENT_FAILURE':
      return t.hasFailed(what, date, answer);
    default:
      return t.notSent(what, date, answer);
  }
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
