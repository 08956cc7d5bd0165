import type { InvoicePaymentCheckInput } from '../../../lib/payments/planning/invoice-payment-check.ts';
import { checkInvoicePayment } from '../../../lib/payments/planning/invoice-payment-check.ts';
import { lostSuccesses } from '../../../lib/payments/planning/reservation.ts';
import {
  eventOfResult,
  invoicePaymentResult,
  settleInvoice,
} from '../../../lib/payments/state/invoice-effect.ts';
import {
  attemptRow,
  invoice,
  method,
  NOW,
  nextId,
  transaction,
} from '../../support/payments/payment-records.ts';
import { addMilliseconds, BillingError, decimal, expect, ZERO } from '../../support/unit.ts';

const card = method();

function check(members: Partial<InvoicePaymentCheckInput> = {}) {
  const decision = checkInvoicePayment({
    account: { parentAccountId: null, isPaymentDelegatedToParent: false },
    invoice: invoice(),
    method: card,
    requestedAmount: null,
    isApiPayment: false,
    refusesExcess: false,
    isHeldBack: false,
    rows: [],
    transactions: [],
    allowEmptyInvoice: false,
    now: NOW,
    ...members,
  });
  if ('amount' in decision) return `${decision.kind} ${decision.amount.toFixed()}`;
  return decision.kind === 'ABORT' ? decision.reason : 'WAIT';
}

const running = transaction({ status: 'UNKNOWN', leaseUntil: addMilliseconds(NOW, 1_000) });
const unknown = transaction({ status: 'UNKNOWN', leaseUntil: NOW });
const pending = transaction({ status: 'PENDING', amount: decimal('100') });

describe('invoice payment check (payments §9.2)', () => {
  it('allows a payment of the balance', () => expect(check()).to.equal('PAY 249.95'));

  it('allows a payment of the retry amount, limited to the balance', () => {
    expect(check({ requestedAmount: decimal('100') })).to.equal('PAY 100');
    expect(check({ requestedAmount: decimal('300') })).to.equal('PAY 249.95');
  });

  it('rejects a payment of zero or less on an unpaid invoice, even when empty invoices are allowed', () => {
    for (const requestedAmount of [ZERO, decimal('-1')])
      for (const allowEmptyInvoice of [false, true])
        expect(check({ requestedAmount, allowEmptyInvoice })).to.equal('NOTHING_ASKED');
  });

  it('rejects an API payment that exceeds the balance of its single invoice', () => {
    const ofAll = { requestedAmount: decimal('300'), isApiPayment: true };
    expect(check(ofAll)).to.equal('PAY 249.95');
    expect(() => check({ ...ofAll, refusesExcess: true }))
      .to.throw(BillingError, /300 .*249\.95/)
      .with.property('code', 7199);
  });

  // Each row breaks one more rule than the row below it; the first broken rule decides.
  const inOrder: readonly (readonly [string, Partial<InvoicePaymentCheckInput>])[] = [
    ['NOT_COMMITTED', { invoice: invoice({ status: 'DRAFT', rawBalance: ZERO }) }],
    ['DELEGATED_TO_PARENT', { account: { parentAccountId: nextId(), isPaymentDelegatedToParent: true } }],
    ['NOTHING_DUE', { invoice: invoice({ rawBalance: ZERO }) }],
    ['NO_PAYMENT_METHOD', { method: null }],
    ['WAIT', { transactions: [running, unknown, pending] }],
    ['UNRESOLVED_TRANSACTION', { transactions: [unknown, pending] }],
    ['RESERVED_BY_PENDING', { transactions: [transaction({ status: 'PENDING' })] }],
  ];
  for (const [index, [expected]] of inOrder.entries())
    it(`reports ${expected} before the conditions checked later`, () => {
      const broken = inOrder.slice(index).toReversed();
      expect(check(Object.assign({}, ...broken.map(([, members]) => members)))).to.equal(expected);
    });

  it('holds an automatic payment if a tag of the account requires a hold, before looking for a payment method', () => {
    expect(check({ isHeldBack: true, method: null, transactions: [running] })).to.equal('HOLD 249.95');
    expect(check({ isHeldBack: true, requestedAmount: decimal('10') })).to.equal('HOLD 10');
    expect(check({ isHeldBack: true, isApiPayment: true })).to.equal('PAY 249.95');
    expect(check({ isHeldBack: true, invoice: invoice({ rawBalance: ZERO }) })).to.equal('NOTHING_DUE');
  });

  it('subtracts pending amounts from the balance', () => {
    expect(check({ transactions: [pending] })).to.equal('PAY 149.95');
    expect(check({ transactions: [pending], requestedAmount: decimal('50') })).to.equal('PAY 50');
  });

  it('rejects payment of written-off and migration invoices', () => {
    expect(check({ invoice: invoice({ isWrittenOff: true }) })).to.equal('NOTHING_DUE');
    expect(check({ invoice: invoice({ isMigration: true }) })).to.equal('NOTHING_DUE');
  });

  it('allows a payment of 0 on an empty invoice if empty invoices are allowed', () => {
    expect(check({ invoice: invoice({ rawBalance: ZERO }), allowEmptyInvoice: true })).to.equal('PAY 0');
    expect(check({ invoice: invoice({ rawBalance: decimal('-5') }), allowEmptyInvoice: true })).to.equal(
      'PAY 0',
    );
  });

  it('finds payment rows whose success is not recorded yet', () => {
    const succeeded = transaction({ externalKey: 'K' });
    const [lost] = lostSuccesses([attemptRow()], [succeeded]);
    expect(lost?.transaction).to.equal(succeeded);
    expect(lostSuccesses([attemptRow({ status: 'SUCCESS' })], [succeeded])).to.eql([]);
    expect(lostSuccesses([attemptRow()], [transaction({ externalKey: 'K', status: 'UNKNOWN' })])).to.eql([]);
  });
});

describe('invoice payment result (payments §9.4)', () => {
  const rows = [
    ['SUCCESS', 'SUCCESS', '249.95', 'INVOICE_PAYMENT_SUCCESS'],
    ['PENDING', 'PENDING', '249.95', 'INVOICE_PAYMENT_FAILED'],
    ['PAYMENT_FAILURE', 'INIT', '0', 'INVOICE_PAYMENT_FAILED'],
    ['PLUGIN_FAILURE', 'INIT', '0', 'INVOICE_PAYMENT_FAILED'],
    ['UNKNOWN', 'INIT', '0', 'INVOICE_PAYMENT_FAILED'],
  ] as const;
  for (const [status, rowStatus, amount, event] of rows)
    it(`sets the row to ${rowStatus} ${amount} after ${status} and emits ${event}`, () => {
      const result = invoicePaymentResult(transaction({ status }), 'USD');
      expect({ ...result, amount: result.amount.toFixed(), event: eventOfResult(result) }).to.eql({
        status: rowStatus,
        amount,
        processedCurrency: 'USD',
        event,
      });
    });

  it('uses the processed amount if that amount is in the currency of the invoice', () => {
    const result = invoicePaymentResult(transaction({ processedAmount: decimal('10') }), 'USD');
    expect(result.amount.toFixed()).to.equal('10');
  });

  it('counts the requested amount as paid if the gateway processed another currency (payments §14 example 11 "Other processed currency")', () => {
    const result = invoicePaymentResult(
      transaction({ processedAmount: decimal('225.44'), processedCurrency: 'EUR' }),
      'USD',
    );
    expect(result.amount.toFixed()).to.equal('249.95');
    expect(result.processedCurrency).to.equal('EUR');
  });
});

describe('invoice settlement (invoicing §1.4, payments §9.4)', () => {
  const settle = (paid: string, members: Parameters<typeof invoice>[0] = {}) => {
    const before = attemptRow({ status: 'INIT', amount: ZERO });
    const after = { ...before, status: 'SUCCESS', amount: decimal(paid) } as const;
    return settleInvoice(invoice(members), { before, after }).rawBalance.toFixed();
  };

  it('subtracts payments from the balance, down to zero and below', () =>
    expect([settle('249.95'), settle('10'), settle('300')]).to.eql(['0', '239.95', '-50.05']));

  it('leaves a migration invoice at balance 0', () =>
    expect(settle('10', { isMigration: true, rawBalance: ZERO })).to.equal('0'));
});
