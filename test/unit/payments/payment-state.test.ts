import { expect } from 'chai';
import { attemptStateAfter } from '../../../lib/payments/state/outcome-consequences.ts';
import type { PaymentOperation } from '../../../lib/payments/state/payment-state.ts';
import { mayStart, paymentStateAfter } from '../../../lib/payments/state/payment-state.ts';
import { NOW } from '../../support/payments/payment-records.ts';

const operations: readonly PaymentOperation[] = [
  'AUTHORIZE',
  'CAPTURE',
  'PURCHASE',
  'REFUND',
  'CREDIT',
  'VOID',
  'CHARGEBACK',
  'CHARGEBACK_REVERSAL',
];

describe('payment state (payments §3)', () => {
  const allowed: readonly (readonly [string | null, readonly PaymentOperation[]])[] = [
    [null, ['AUTHORIZE', 'PURCHASE', 'CREDIT']],
    ['AUTH_SUCCESS', ['CAPTURE', 'VOID']],
    ['CAPTURE_SUCCESS', ['CAPTURE', 'REFUND', 'CHARGEBACK']],
    ['PURCHASE_SUCCESS', ['REFUND', 'CHARGEBACK']],
    ['REFUND_SUCCESS', ['REFUND', 'CHARGEBACK']],
    ['CHARGEBACK_SUCCESS', ['CHARGEBACK', 'CHARGEBACK_REVERSAL']],
    ['CHARGEBACK_FAILED', ['REFUND', 'CHARGEBACK']],
    ['CREDIT_SUCCESS', []],
    ['VOID_SUCCESS', []],
  ];
  for (const [state, expected] of allowed)
    it(`allows ${expected.join(', ') || 'nothing'} after ${state ?? 'no success'}`, () =>
      expect(
        operations.filter((operation) => mayStart(operation, state, { transactions: [] })),
      ).to.have.members([...expected]));

  for (const status of ['PENDING', 'UNKNOWN'] as const) {
    it(`allows nothing while the first transaction is ${status}`, () => {
      const open = [{ transactionType: 'PURCHASE' as const, status }];
      expect(operations.filter((operation) => mayStart(operation, null, { transactions: open }))).to.eql([]);
    });

    it(`rejects a void while a capture is ${status}`, () => {
      const open = [{ transactionType: 'CAPTURE' as const, status }];
      expect(mayStart('VOID', 'AUTH_SUCCESS', { transactions: open })).to.equal(false);
      expect(mayStart('CAPTURE', 'AUTH_SUCCESS', { transactions: open })).to.equal(true);
    });

    it(`rejects a capture and another void while a void is ${status}`, () => {
      const open = [{ transactionType: 'VOID' as const, status }];
      expect(mayStart('CAPTURE', 'AUTH_SUCCESS', { transactions: open })).to.equal(false);
      expect(mayStart('VOID', 'AUTH_SUCCESS', { transactions: open })).to.equal(false);
    });
  }

  const after = [
    ['AUTHORIZE', 'SUCCESS', 'AUTH_SUCCESS', 'AUTH_SUCCESS'],
    ['PURCHASE', 'SUCCESS', 'PURCHASE_SUCCESS', 'PURCHASE_SUCCESS'],
    ['PURCHASE', 'PENDING', 'PURCHASE_PENDING', null],
    ['PURCHASE', 'PAYMENT_FAILURE', 'PURCHASE_FAILED', null],
    ['PURCHASE', 'PLUGIN_FAILURE', 'PURCHASE_ERRORED', null],
    ['PURCHASE', 'UNKNOWN', 'PURCHASE_ERRORED', null],
    ['CHARGEBACK', 'SUCCESS', 'CHARGEBACK_SUCCESS', 'CHARGEBACK_SUCCESS'],
    ['CHARGEBACK', 'PAYMENT_FAILURE', 'CHARGEBACK_FAILED', 'CHARGEBACK_FAILED'],
  ] as const;
  for (const [transactionType, status, stateName, lastSuccessStateName] of after)
    it(`becomes ${stateName} after ${transactionType} ${status}`, () =>
      expect(paymentStateAfter({ transactionType, status, amount: null }, null)).to.eql({
        stateName,
        lastSuccessStateName,
      }));

  it('keeps the last successful state when a later operation fails', () => {
    const state = paymentStateAfter(
      { transactionType: 'CAPTURE', status: 'PAYMENT_FAILURE', amount: null },
      'AUTH_SUCCESS',
    );
    expect(state).to.eql({ stateName: 'CAPTURE_FAILED', lastSuccessStateName: 'AUTH_SUCCESS' });
  });
});

describe('payment attempt state (payments §3.3)', () => {
  const rows = [
    ['SUCCESS', null, 'SUCCESS'],
    ['PENDING', null, 'SUCCESS'],
    ['PAYMENT_FAILURE', NOW, 'RETRIED'],
    ['PLUGIN_FAILURE', NOW, 'RETRIED'],
    ['PAYMENT_FAILURE', null, 'ABORTED'],
    ['UNKNOWN', NOW, 'ABORTED'],
    ['UNKNOWN', null, 'ABORTED'],
  ] as const;
  for (const [status, retryAt, state] of rows)
    it(`is ${state} after ${status} ${retryAt === null ? 'without' : 'with'} a retry date`, () =>
      expect(attemptStateAfter(status, retryAt)).to.equal(state));
});
