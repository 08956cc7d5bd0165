import { expect } from 'chai';
import { overRefunded, severalOpenPayments } from '../../../lib/check/payment-limits.ts';
import type { InvoicePayment } from '../../../lib/records/invoice-payment.ts';
import type { PaymentTransaction } from '../../../lib/records/payment.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import { instant } from '../../../lib/values/time/index.ts';

type Moved = Pick<PaymentTransaction, 'transactionType' | 'status' | 'processedAmount'>;

const payment = '00000000-0000-7000-8000-000000000001' as Uuid;
const other = '00000000-0000-7000-8000-000000000003' as Uuid;
const invoice = '00000000-0000-7000-8000-000000000002' as Uuid;

function moved(
  transactionType: Moved['transactionType'],
  amount: string,
  status: Moved['status'] = 'SUCCESS',
) {
  return { transactionType, status, processedAmount: decimal(amount) };
}

describe('limits of payments, checked', () => {
  for (const [what, transactions, isWrong] of [
    [
      'a refund in parts of all that was captured',
      [moved('CAPTURE', '10'), moved('REFUND', '4'), moved('REFUND', '6')],
      false,
    ],
    ['a refund of more', [moved('PURCHASE', '10'), moved('REFUND', '10.01')], true],
    ['a refund of what was only authorised', [moved('AUTHORIZE', '10'), moved('REFUND', '1')], true],
    ['a refund that failed', [moved('PURCHASE', '10'), moved('REFUND', '11', 'PAYMENT_FAILURE')], false],
    [
      'a refund of a purchase that failed',
      [moved('PURCHASE', '10', 'PAYMENT_FAILURE'), moved('REFUND', '1')],
      true,
    ],
  ] as const) {
    it(`a check of payments ${isWrong ? 'tells of' : 'passes over'} ${what}`, () => {
      expect(overRefunded(payment, transactions)).to.have.length(isWrong ? 1 : 0);
    });
  }

  const attempt = (status: InvoicePayment['status'], paymentId = payment) =>
    ({ type: 'ATTEMPT', status, paymentId }) as const;
  const open = { status: 'UNKNOWN', leaseUntil: null } as const;
  const leased = { status: 'PAYMENT_FAILURE', leaseUntil: instant(1) } as const;
  const failed = { status: 'PAYMENT_FAILURE', leaseUntil: null } as const;
  for (const [what, payments, transaction, isWrong] of [
    ['one that is open', [attempt('INIT')], open, false],
    ['two that are open', [attempt('INIT'), attempt('INIT', other)], open, true],
    ['two that are under way', [attempt('INIT'), attempt('INIT', other)], leased, true],
    ['two that are pending', [attempt('PENDING'), attempt('PENDING', other)], failed, true],
    ['two that have failed', [attempt('INIT'), attempt('INIT', other)], failed, false],
    ['one that is open under its second key', [attempt('INIT'), attempt('INIT')], open, false],
    ['one that is open beside one that is paid', [attempt('INIT'), attempt('SUCCESS', other)], open, false],
  ] as const) {
    it(`a check of payments ${isWrong ? 'tells of' : 'passes over'} ${what}, of one invoice`, () => {
      expect(severalOpenPayments(invoice, payments, () => [transaction])).to.have.length(isWrong ? 1 : 0);
    });
  }
});
