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
  it('match example 1 "Auth, captures, refund"', () => {
    const story = [
      done('AUTHORIZE', '100'),
      done('CAPTURE', '30'),
      done('CAPTURE', '25'),
      done('REFUND', '20'),
    ];
    expect(totals(...story)).to.eql({ ...none, auth: '100', captured: '55', refunded: '20' });
    expect(totals(...story, done('REFUND', '35')).refunded).to.equal('55');
  });

  it('match example 2 "Void"', () => {
    const voided = done('VOID', '0', {
      amount: null,
      currency: null,
      processedAmount: null,
      processedCurrency: null,
    });
    expect(totals(done('AUTHORIZE', '50'), voided)).to.eql(none);
  });

  it('match example 3 "Declined, then repeated"', () => {
    expect(totals(failed('PURCHASE', '10'))).to.eql(none);
    expect(totals(failed('PURCHASE', '10'), done('PURCHASE', '10'))).to.eql({ ...none, purchased: '10' });
  });

  it('match example 4 "Pending"', () => {
    expect(totals(done('AUTHORIZE', '10', { status: 'PENDING' }))).to.eql(none);
    expect(totals(done('AUTHORIZE', '10', inCurrency('7', 'USD')))).to.eql({ ...none, auth: '7' });
  });

  it('match example 5 "Failed auto payment, default retries"', () => {
    const declined = failed('PURCHASE', '249.95');
    expect(totals(declined, declined, declined, declined)).to.eql(none);
  });

  it('match example 8 "Partial by the gateway, chargeback, reversal"', () => {
    const purchase = done('PURCHASE', '249.95', inCurrency('10', 'USD'));
    const chargeback = done('CHARGEBACK', '10', { externalKey: 'C' });
    expect(totals(purchase).purchased).to.equal('10');
    expect(totals(purchase, chargeback).purchased).to.equal('0');
    expect(totals(purchase, chargeback, reversal('C')).purchased).to.equal('10');
    expect(totals(purchase, chargeback, reversal('C'), chargeback).purchased).to.equal('0');
  });

  it('match example 11 "Other processed currency"', () => {
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

  it('reflect that a void cancels the latest captures first', () => {
    const voided = done('VOID', '0', { amount: null });
    expect(totals(done('AUTHORIZE', '50'), done('CAPTURE', '20'), voided)).to.eql({ ...none, auth: '50' });
  });

  it('are rounded half up to the minor unit, and have no currency without a transaction', () => {
    expect(totals(done('PURCHASE', '10.005')).purchased).to.equal('10.01');
    expect(totals()).to.eql({ ...none, currency: null });
  });
});
