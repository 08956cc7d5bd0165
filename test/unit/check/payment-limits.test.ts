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

/** Asked for in dollars. */
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

describe('limits of payments, checked', () => {
  for (const [what, [transactions, isWrong]] of Object.entries({
    'a refund in parts of all that was captured': [
      [moved('AUTHORIZE', '10'), moved('CAPTURE', '10'), moved('REFUND', '4'), moved('REFUND', '6')],
      false,
    ],
    'a refund of more': [[moved('PURCHASE', '10'), moved('REFUND', '10.01')], true],
    'a refund of what was only authorised': [[moved('AUTHORIZE', '10'), moved('REFUND', '1')], true],
    'a refund that failed': [[moved('PURCHASE', '10'), moved('REFUND', '11', 'PAYMENT_FAILURE')], false],
    'a refund of a purchase that failed': [
      [moved('PURCHASE', '10', 'PAYMENT_FAILURE'), moved('REFUND', '1')],
      true,
    ],
    'a refund in dollars of what was processed in euros': [
      [processed('PURCHASE', '10', ['9', 'EUR']), moved('REFUND', '10')],
      false,
    ],
    'a refund in euros of more than the dollars that were taken': [
      [moved('PURCHASE', '10'), processed('REFUND', '11', ['9.9', 'EUR'])],
      true,
    ],
  } as const))
    it(`a check of payments ${isWrong ? 'tells of' : 'passes over'} ${what}`, () =>
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
    'one whose outcome is unknown': [[attempt('INIT')], purchase('UNKNOWN'), false],
    'two whose outcome is unknown': [[attempt('INIT'), attempt('INIT', other)], purchase('UNKNOWN'), true],
    'two that are pending': [[attempt('PENDING'), attempt('PENDING', other)], purchase('PENDING'), false],
    'two that have failed': [[attempt('INIT'), attempt('INIT', other)], purchase('PAYMENT_FAILURE'), false],
    'one whose outcome is unknown under its second key': [
      [attempt('INIT'), attempt('INIT', payment, 'second')],
      purchase('UNKNOWN'),
      false,
    ],
    'one whose outcome is unknown beside one that is paid': [
      [attempt('INIT'), attempt('SUCCESS', other)],
      purchase('UNKNOWN'),
      false,
    ],
    'two whose refunds have an unknown outcome, each tried before under another key': [
      [attempt('INIT', payment, 'first'), attempt('INIT', other, 'first')],
      refunded,
      false,
    ],
  } as const))
    it(`a check of payments ${isWrong ? 'tells of' : 'passes over'} ${what}, of one invoice`, () =>
      expect(severalOpenPayments(invoice, payments, () => transactions)).to.have.length(isWrong ? 1 : 0));
});
