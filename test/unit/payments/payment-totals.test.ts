import { paymentTotals } from '../../../lib/payments/state/payment-state.ts';
import type { PaymentTransaction } from '../../../lib/records/payments/payment.ts';
import { transaction } from '../../support/payments/payment-records.ts';
import { type Currency, decimal, expect } from '../../support/unit.ts';

type Made = Partial<PaymentTransaction>;

function done(
  type: PaymentTransaction['transactionType'],
  amount: string,
  members: Made = {},
): PaymentTransaction {
  return transaction({ transactionType: type, amount: decimal(amount), ...members });
}

const failed = (type: PaymentTransaction['transactionType'], amount: string) =>
  done(type, amount, { status: 'PAYMENT_FAILURE', processedAmount: decimal(0) });
const inCurrency = (amount: string, processedCurrency: Currency): Made => ({
  processedAmount: decimal(amount),
  processedCurrency,
});
const reversal = (externalKey: string) =>
  transaction({
    transactionType: 'CHARGEBACK',
    status: 'PAYMENT_FAILURE',
    externalKey,
    amount: null,
    currency: null,
    processedAmount: decimal(0),
    processedCurrency: null,
  });

function totals(...transactions: readonly PaymentTransaction[]) {
  const found = paymentTotals(transactions);
  return {
    auth: found.authAmount.toFixed(),
    captured: found.capturedAmount.toFixed(),
    purchased: found.purchasedAmount.toFixed(),
    refunded: found.refundedAmount.toFixed(),
    credited: found.creditedAmount.toFixed(),
    currency: found.currency,
  };
}
const none = { auth: '0', captured: '0', purchased: '0', refunded: '0', credited: '0', currency: 'USD' };

describe('payment totals (payments §4.4)', () => {
  it('include captures and refunds up to the authorized amount (payments §14 example 1)', () => {
    const story = [
      done('AUTHORIZE', '100'),
      done('CAPTURE', '30'),
      done('CAPTURE', '25'),
      done('REFUND', '20'),
    ];
    expect(totals(...story)).to.eql({ ...none, auth: '100', captured: '55', refunded: '20' });
    expect(totals(...story, done('REFUND', '35')).refunded).to.equal('55');
  });

  it('contain no authorized amount after a void (payments §14 example 2)', () => {
    const voided = done('VOID', '0', {
      amount: null,
      currency: null,
      processedAmount: null,
      processedCurrency: null,
    });
    expect(totals(done('AUTHORIZE', '50'), voided)).to.eql(none);
  });

  it('count only the successful repetition of a declined payment (payments §14 example 3)', () => {
    expect(totals(failed('PURCHASE', '10'))).to.eql(none);
    expect(totals(failed('PURCHASE', '10'), done('PURCHASE', '10'))).to.eql({ ...none, purchased: '10' });
  });

  it('count a pending transaction only after it is completed (payments §14 example 4)', () => {
    expect(totals(done('AUTHORIZE', '10', { status: 'PENDING' }))).to.eql(none);
    expect(totals(done('AUTHORIZE', '10', inCurrency('7', 'USD')))).to.eql({ ...none, auth: '7' });
  });

  it('are 0 while every attempt fails (payments §14 example 5)', () => {
    const declined = failed('PURCHASE', '249.95');
    expect(totals(declined, declined, declined, declined)).to.eql(none);
  });

  it('decrease with a chargeback and increase again with its reversal (payments §14 example 8)', () => {
    const purchase = done('PURCHASE', '249.95', inCurrency('10', 'USD'));
    const chargeback = done('CHARGEBACK', '10', { externalKey: 'C' });
    expect(totals(purchase).purchased).to.equal('10');
    expect(totals(purchase, chargeback).purchased).to.equal('0');
    expect(totals(purchase, chargeback, reversal('C')).purchased).to.equal('10');
    expect(totals(purchase, chargeback, reversal('C'), chargeback).purchased).to.equal('0');
  });

  it('contain the requested amount if the gateway processes another currency (payments §14 example 11)', () => {
    const purchase = done('PURCHASE', '249.95', inCurrency('225.44', 'EUR'));
    const chargeback = done('CHARGEBACK', '225.44', {
      externalKey: 'C',
      currency: 'EUR',
      processedCurrency: 'EUR',
    });
    expect(totals(purchase).purchased).to.equal('249.95');
    expect(totals(purchase, chargeback).purchased).to.equal('0');
    expect(totals(purchase, chargeback, reversal('C')).purchased).to.equal('249.95');
  });

  it('count a credit as money sent (payments §14 example 16 "External refund")', () =>
    expect(totals(done('CREDIT', '249.95'))).to.eql({ ...none, credited: '249.95' }));

  it('subtract partial chargebacks with different keys and never fall below zero', () => {
    const purchase = done('PURCHASE', '100');
    const part = (key: string) => done('CHARGEBACK', '60', { externalKey: key });
    expect(totals(purchase, part('A')).purchased).to.equal('40');
    expect(totals(purchase, part('A'), part('B')).purchased).to.equal('0');
  });

  it('exclude the latest captures after a void', () => {
    const voided = done('VOID', '0', { amount: null });
    expect(totals(done('AUTHORIZE', '50'), done('CAPTURE', '20'), voided)).to.eql({ ...none, auth: '50' });
  });

  it('are rounded half up to the minor unit, and have no currency without a transaction', () => {
    expect(totals(done('PURCHASE', '10.005')).purchased).to.equal('10.01');
    expect(totals()).to.eql({ ...none, currency: null });
  });
});
