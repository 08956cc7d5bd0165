import { newAccount } from '../../../lib/accounts/rules/new-account.ts';
import { type PaymentRequest, planReservation } from '../../../lib/payments/planning/plan-reservation.ts';
import type { ReservationFacts } from '../../../lib/payments/planning/reservation.ts';
import { externalPaymentGateway } from '../../../lib/payments/plugins/gateway-info.ts';
import type { Payment } from '../../../lib/records/payments/payment.ts';
import {
  ACCOUNT_ID,
  attempt,
  attemptRow,
  INVOICE_ID,
  invoice,
  method,
  NOW,
  nextId,
  PAYMENT_ID,
  transaction,
} from '../../support/payments/payment-records.ts';
import { addMilliseconds, decimal, expect, ZERO } from '../../support/unit.ts';

const gateway = externalPaymentGateway();
const card = method({ pluginName: gateway.name });
const account = {
  ...newAccount({ currency: 'USD' }, ACCOUNT_ID, NOW),
  recordId: 1,
  paymentMethodId: card.id,
};
const tools = {
  ids: { next: nextId },
  gateways: new Map([[gateway.name, gateway]]),
  now: NOW,
  leaseUntil: addMilliseconds(NOW, 60_000),
  allowEmptyInvoice: false,
  stateMachines: new Map(),
};
const fresh: ReservationFacts = {
  account,
  invoice: invoice(),
  rows: [],
  payments: [],
  transactions: [],
  attempts: [],
  methods: new Map([[card.id, card]]),
  isHeldBack: false,
  hold: null,
  keyed: { payments: [], transactions: [] },
};
const firstTime: PaymentRequest = { accountRecordId: 1, invoiceId: INVOICE_ID, retry: null };

/** A payment that was declined once and will be retried. */
function declined(members: Partial<ReservationFacts> = {}) {
  const failed = transaction({ externalKey: 'K', status: 'PAYMENT_FAILURE' });
  const origin = attempt({ stateName: 'RETRIED', transactionId: failed.id, amount: decimal('200') });
  const payment: Payment = {
    recordId: 1,
    id: PAYMENT_ID,
    accountId: ACCOUNT_ID,
    accountRecordId: 1,
    paymentNumber: 1,
    externalKey: PAYMENT_ID,
    paymentMethodId: card.id,
    stateName: 'PURCHASE_FAILED',
    lastSuccessStateName: null,
    createdDate: NOW,
  };
  const facts: ReservationFacts = {
    ...fresh,
    rows: [attemptRow()],
    payments: [payment],
    transactions: [failed],
    attempts: [origin],
    ...members,
  };
  const retry = { attemptId: origin.id, paymentId: PAYMENT_ID, invoiceId: INVOICE_ID };
  return { facts, origin, request: { ...firstTime, retry } };
}

describe('payment reservation (payments §5.1, §8.3, §9.1)', () => {
  it('reserves the balance with the default method, as an UNKNOWN transaction with a lease, an INIT attempt and an INIT row', () => {
    const plan = planReservation(firstTime, fresh, tools);
    if (plan.kind !== 'CHARGE') throw new Error(plan.kind);
    const { charge } = plan;
    expect(charge.transaction).to.deep.include({
      status: 'UNKNOWN',
      leaseUntil: tools.leaseUntil,
      currency: 'USD',
    });
    expect(charge.transaction.amount.toFixed()).to.equal('249.95');
    expect(charge.attempt).to.deep.include({
      stateName: 'INIT',
      transactionId: charge.transaction.id,
      transactionExternalKey: charge.transaction.id,
      paymentExternalKey: charge.paymentId,
      pluginNames: ['__INVOICE_PAYMENT_CONTROL_PLUGIN__'],
      isApiPayment: false,
    });
    expect(charge.newRow).to.deep.include({ type: 'ATTEMPT', status: 'INIT', paymentId: charge.paymentId });
    expect(charge.newPayment).to.deep.include({ externalKey: charge.paymentId, paymentMethodId: card.id });
  });

  it('does nothing if an automatic payment of the invoice was already attempted', () => {
    const plan = planReservation(
      firstTime,
      { ...fresh, attempts: [attempt({ stateName: 'ABORTED' })] },
      tools,
    );
    expect(plan).to.eql({ kind: 'STOP', ended: [], events: [] });
  });

  it('reserves the balance left after an API payment', () => {
    const facts = {
      ...fresh,
      attempts: [attempt({ isApiPayment: true })],
      invoice: invoice({ rawBalance: decimal('9') }),
    };
    const plan = planReservation(firstTime, facts, tools);
    expect(plan.kind === 'CHARGE' && plan.charge.transaction.amount.toFixed()).to.equal('9');
  });

  for (const [name, methods] of [
    ['is deleted', new Map([[card.id, { ...card, isActive: false }]])],
    ['belongs to a gateway that is not registered', new Map([[card.id, { ...card, pluginName: 'gone' }]])],
  ] as const)
    it(`reports a failed payment when the default method ${name}`, () => {
      const plan = planReservation(firstTime, { ...fresh, methods }, tools);
      if (plan.kind !== 'STOP') throw new Error(plan.kind);
      expect(plan.ended.map(({ stateName }) => stateName)).to.eql(['ABORTED']);
      expect(plan.events.map(({ type }) => type)).to.eql(['INVOICE_PAYMENT_FAILED']);
    });

  it('reserves no payment if the tenant’s state machine does not start with a purchase (payments §3.1)', () => {
    const none = { ...tools, stateMachines: new Map([[card.pluginName, () => false]]) };
    const keys = { paymentKey: null, transactionKey: null };
    const api = { methodId: null, amount: null, ...keys, properties: [], controlPlugins: null };
    const kinds = (request: PaymentRequest, facts: ReservationFacts) => {
      const plan = planReservation(request, facts, none);
      return plan.kind === 'STOP' && [plan.ended.length, ...plan.events.map(({ type }) => type)];
    };
    expect(kinds(firstTime, fresh)).to.eql([1, 'INVOICE_PAYMENT_FAILED']);
    const { facts, request } = declined();
    expect(kinds(request, facts)).to.eql([1]);
    const passedOver = { ...fresh, api: { ...api, waits: false } };
    expect(kinds({ ...firstTime, api: passedOver.api }, passedOver)).to.eql([0]);
    const waiting = { ...fresh, api: { ...api, waits: true } };
    expect(() => kinds({ ...firstTime, api: waiting.api }, waiting)).to.throw('PURCHASE is not allowed');
  });

  it('retries an attempt on the same payment with the same amount, key and row', () => {
    const { facts, request } = declined();
    const plan = planReservation(request, facts, tools);
    if (plan.kind !== 'CHARGE') throw new Error(plan.kind);
    expect(plan.charge).to.deep.include({ paymentId: PAYMENT_ID, newPayment: null, newRow: null });
    expect(plan.charge.transaction.externalKey).to.equal('K');
    expect(plan.charge.transaction.amount.toFixed()).to.equal('200');
    expect(plan.charge.changedRow?.id).to.equal(facts.rows[0]?.id);
  });

  it('limits a retry to the balance', () => {
    const { facts, request } = declined({ invoice: invoice({ rawBalance: decimal('5') }) });
    const plan = planReservation(request, facts, tools);
    expect(plan.kind === 'CHARGE' && plan.charge.transaction.amount.toFixed()).to.equal('5');
  });

  it('ends a retry as ABORTED, without an event, when the balance is zero', () => {
    const { facts, request } = declined({ invoice: invoice({ rawBalance: ZERO }) });
    const plan = planReservation(request, facts, tools);
    if (plan.kind !== 'STOP') throw new Error(plan.kind);
    expect(plan.ended.map(({ stateName }) => stateName)).to.eql(['ABORTED']);
    expect(plan.events).to.eql([]);
  });

  it('does nothing for a completed retry or an attempt with a newer decision', () => {
    const { facts, origin, request } = declined();
    const nothing = { kind: 'STOP', ended: [], events: [] };
    const rerun = { ...facts, attempts: [origin, attempt({ stateName: 'ABORTED' })] };
    expect(planReservation(request, rerun, tools)).to.eql(nothing);
    const settled = { ...facts, attempts: [{ ...origin, stateName: 'SUCCESS' as const }] };
    expect(planReservation(request, settled, tools)).to.eql(nothing);
  });

  it('runs a retry again if the process ended during its plugin calls', () => {
    const { facts, origin, request } = declined();
    const begun = attempt({ stateName: 'INIT', transactionId: null });
    expect(planReservation(request, { ...facts, attempts: [origin, begun] }, tools).kind).to.equal('CHARGE');
  });

  it('never charges a successful payment again', () => {
    const { facts, request } = declined();
    const [payment] = facts.payments;
    if (!payment) throw new Error('no payment');
    const paid = { ...facts, payments: [{ ...payment, lastSuccessStateName: 'PURCHASE_SUCCESS' }] };
    expect(planReservation(request, paid, tools).kind).to.equal('STOP');
  });

  it('starts a new payment with the current default method when the original method is deleted', () => {
    const old = method({ isActive: false });
    const { facts, request } = declined({
      methods: new Map([
        [card.id, card],
        [old.id, old],
      ]),
    });
    const [payment] = facts.payments;
    if (!payment) throw new Error('no payment');
    const plan = planReservation(
      request,
      { ...facts, payments: [{ ...payment, paymentMethodId: old.id }] },
      tools,
    );
    if (plan.kind !== 'CHARGE') throw new Error(plan.kind);
    expect(plan.ended.map(({ stateName, paymentExternalKey }) => [stateName, paymentExternalKey])).to.eql([
      ['ABORTED', PAYMENT_ID],
    ]);
    expect(plan.charge.paymentId).to.not.equal(PAYMENT_ID);
    expect(plan.charge.newRow).to.not.equal(null);
  });

  const held = { ...fresh, isHeldBack: true };

  it('holds the balance and ends the attempt under AUTO_PAY_OFF (payments §14 example 13)', () => {
    const plan = planReservation(firstTime, held, tools);
    if (plan.kind !== 'STOP') throw new Error(plan.kind);
    const [attempted] = plan.ended;
    expect(attempted?.stateName).to.equal('ABORTED');
    expect(plan.newHold).to.deep.include({ invoiceId: INVOICE_ID, attemptId: attempted?.id, isActive: true });
    expect(plan.newHold?.amount.toFixed()).to.equal('249.95');
    expect(plan.events).to.eql([]);
  });

  it('holds a retry for the amount of its attempt', () => {
    const { facts, request } = declined({ isHeldBack: true });
    const plan = planReservation(request, facts, tools);
    if (plan.kind !== 'STOP') throw new Error(plan.kind);
    expect(plan.newHold?.amount.toFixed()).to.equal('200');
    expect(plan.ended.map(({ paymentExternalKey }) => paymentExternalKey)).to.eql([PAYMENT_ID]);
  });

  describe('of a released hold', () => {
    const hold = {
      recordId: 1,
      id: nextId(),
      accountId: ACCOUNT_ID,
      accountRecordId: 1,
      invoiceId: INVOICE_ID,
      attemptId: nextId(),
      amount: decimal('100'),
      currency: 'USD' as const,
      isActive: true,
      createdDate: NOW,
    };
    const request = { ...firstTime, holdId: hold.id };
    const released = { ...fresh, hold };

    for (const [what, balance, paid] of [
      ['the held amount', '249.95', '100'],
      ['the balance if it is smaller', '40', '40'],
    ] as const)
      it(`reserves one payment of ${what}`, () => {
        const facts = { ...released, invoice: invoice({ rawBalance: decimal(balance) }) };
        const plan = planReservation(request, facts, tools);
        if (plan.kind !== 'CHARGE') throw new Error(plan.kind);
        expect(plan.charge.transaction.amount.toFixed()).to.equal(paid);
        expect(plan.endedHold).to.equal(hold);
        expect(planReservation(request, { ...facts, hold: null }, tools)).to.eql({
          kind: 'STOP',
          ended: [],
          events: [],
        });
      });

    it('ends without a payment if the invoice is paid', () => {
      const plan = planReservation(request, { ...released, invoice: invoice({ rawBalance: ZERO }) }, tools);
      expect(plan).to.eql({ kind: 'STOP', ended: [], events: [], endedHold: hold });
    });

    it('reports a failure if there is no payment method, and keeps the hold if the account is held again', () => {
      const methods = new Map();
      const plan = planReservation(request, { ...released, methods }, tools);
      expect(plan.kind === 'STOP' && plan.events).to.have.length(1);
      expect(plan.kind === 'STOP' && plan.endedHold).to.equal(hold);
      const again = planReservation(request, { ...released, isHeldBack: true }, tools);
      expect(again).to.eql({ kind: 'STOP', ended: [], events: [] });
    });
  });

  it('waits while another payment call for the invoice is running', () => {
    const running = transaction({ status: 'UNKNOWN', leaseUntil: tools.leaseUntil });
    expect(planReservation(firstTime, { ...fresh, transactions: [running] }, tools).kind).to.equal('WAIT');
  });
});
