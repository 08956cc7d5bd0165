import { overRefunded, severalOpenPayments } from '../../../lib/check/check-invoices.ts';
import type { InvoicePayment } from '../../../lib/records/payments/invoice-payment.ts';
import type { PaymentTransaction } from '../../../lib/records/payments/payment.ts';
import { decimal, expect, type Uuid } from '../../support/unit.ts';

type Moved = Parameters<typeof overRefunded>[1][number];

const payment = '00000000-0000-7000-8000-000000000001' as Uuid;
const other = '00000000-0000-7000-8000-000000000003' as Uuid;
const invoice = '00000000-0000-7000-8000-000000000002' as Uuid;

function moved(
  transactionType: Moved['transactionType'],
  amount: string,
  status: Moved['status'] = 'SUCCESS',
): Moved {
  return { ...processed(transactionType, amount, [amount, 'USD']), status };
}

/** Returns a successful transaction requested in dollars. */
function processed(
  transactionType: Moved['transactionType'],
  amount: string,
  [processedAmount, processedCurrency]: readonly [string, 'USD' | 'EUR'],
): Moved {
  return {
    externalKey: 'key',
    transactionType,
    status: 'SUCCESS',
    amount: decimal(amount),
    currency: 'USD',
    processedAmount: decimal(processedAmount),
    processedCurrency,
  };
}

describe('payment limit check', () => {
  for (const [what, [transactions, isWrong]] of Object.entries({
    'a full refund of the captured amount in parts': [
      [moved('AUTHORIZE', '10'), moved('CAPTURE', '10'), moved('REFUND', '4'), moved('REFUND', '6')],
      false,
    ],
    'a refund above the purchase amount': [[moved('PURCHASE', '10'), moved('REFUND', '10.01')], true],
    'a refund of an authorization that was not captured': [
      [moved('AUTHORIZE', '10'), moved('REFUND', '1')],
      true,
    ],
    'a failed refund': [[moved('PURCHASE', '10'), moved('REFUND', '11', 'PAYMENT_FAILURE')], false],
    'a refund of a failed purchase': [
      [moved('PURCHASE', '10', 'PAYMENT_FAILURE'), moved('REFUND', '1')],
      true,
    ],
    'a refund in dollars of a purchase processed in euros': [
      [processed('PURCHASE', '10', ['9', 'EUR']), moved('REFUND', '10')],
      false,
    ],
    'a refund in euros above the purchase amount in dollars': [
      [moved('PURCHASE', '10'), processed('REFUND', '11', ['9.9', 'EUR'])],
      true,
    ],
  } as const))
    it(`${isWrong ? 'reports' : 'accepts'} ${what}`, () =>
      expect(overRefunded(payment, transactions)).to.have.length(isWrong ? 1 : 0));

  const attempt = (status: InvoicePayment['status'], paymentId = payment, transactionExternalKey = 'key') =>
    ({ type: 'ATTEMPT', status, paymentId, transactionExternalKey }) as const;
  const purchase = (status: PaymentTransaction['status']) =>
    [{ transactionType: 'PURCHASE', status, externalKey: 'key' }] as const;
  const refunded = [
    ...purchase('SUCCESS'),
    { transactionType: 'REFUND', status: 'UNKNOWN', externalKey: 'refund' },
  ] as const;
  for (const [what, [payments, transactions, isWrong]] of Object.entries({
    'one payment with an unknown outcome': [[attempt('INIT')], purchase('UNKNOWN'), false],
    'two payments with unknown outcomes': [
      [attempt('INIT'), attempt('INIT', other)],
      purchase('UNKNOWN'),
      true,
    ],
    'two pending payments': [[attempt('PENDING'), attempt('PENDING', other)], purchase('PENDING'), false],
    'two failed payments': [[attempt('INIT'), attempt('INIT', other)], purchase('PAYMENT_FAILURE'), false],
    'one payment with an unknown outcome under its second key': [
      [attempt('INIT'), attempt('INIT', payment, 'second')],
      purchase('UNKNOWN'),
      false,
    ],
    'one payment with an unknown outcome next to a successful one': [
      [attempt('INIT'), attempt('SUCCESS', other)],
      purchase('UNKNOWN'),
      false,
    ],
    'two payments with refunds of unknown outcome after attempts under other keys': [
      [attempt('INIT', payment, 'first'), attempt('INIT', other, 'first')],
      refunded,
      false,
    ],
  } as const))
    it(`${isWrong ? 'reports' : 'accepts'} ${what} on one invoice`, () =>
      expect(severalOpenPayments(invoice, payments, () => transactions)).to.have.length(isWrong ? 1 : 0));
});
