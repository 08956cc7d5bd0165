import { newAccount } from '../../../lib/accounts/index.ts';
import type {
  OperationFacts,
  OperationRequest,
  OperationRules,
} from '../../../lib/payments/planning/operation-facts.ts';
import { planOperation } from '../../../lib/payments/planning/operation-plan.ts';
import { externalPaymentGateway } from '../../../lib/payments/plugins/gateway-info.ts';
import type { PaymentGateway } from '../../../lib/ports/index.ts';
import type { Payment, PaymentMethod, PaymentTransaction } from '../../../lib/records/index.ts';
import {
  ACCOUNT_ID,
  at,
  NOW,
  nextId,
  PAYMENT_ID,
  transaction,
} from '../../support/payments/payment-records.ts';
import { BillingError, decimal, ErrorCode, expect } from '../../support/unit.ts';

const gateway = externalPaymentGateway();
const purchaseOnly: PaymentGateway = {
  name: 'small',
  purchase: gateway.purchase,
  getPaymentInfo: () => Promise.resolve([]),
};

const account = { ...newAccount({ currency: 'USD' }, ACCOUNT_ID, NOW), recordId: 1 };
const card: PaymentMethod = {
  recordId: 1,
  id: nextId(),
  externalKey: 'card',
  accountId: ACCOUNT_ID,
  accountRecordId: 1,
  pluginName: gateway.name,
  isActive: true,
  createdDate: NOW,
};
const payment: Payment = {
  recordId: 1,
  id: PAYMENT_ID,
  accountId: ACCOUNT_ID,
  accountRecordId: 1,
  paymentNumber: 1,
  externalKey: 'P',
  paymentMethodId: card.id,
  stateName: null,
  lastSuccessStateName: null,
  createdDate: NOW,
};

const rules: OperationRules = {
  now: NOW,
  gateways: new Map([gateway, purchaseOnly].map((each) => [each.name, each])),
  allowsOverRefund: false,
  stateMachines: new Map(),
};

function request(members: Partial<OperationRequest> = {}): OperationRequest {
  return {
    operation: 'PURCHASE',
    accountId: ACCOUNT_ID,
    paymentId: null,
    paymentExternalKey: null,
    transactionExternalKey: 'K',
    paymentMethodId: card.id,
    amount: decimal('10'),
    currency: 'USD',
    effectiveDate: null,
    properties: [],
    controlPlugins: null,
    ...members,
  };
}

function facts(members: Partial<OperationFacts> = {}): OperationFacts {
  return {
    account,
    payment,
    transactions: [],
    keyTransactions: [],
    rows: [],
    openInvoiceRefunds: [],
    method: card,
    ...members,
  };
}

/** Returns facts with these transactions of the payment, and those among them with the key. */
const withKey = (...own: readonly PaymentTransaction[]): Partial<OperationFacts> => ({
  transactions: own,
  keyTransactions: own.filter(({ externalKey }) => externalKey === 'K'),
});

/** Returns the plan, or the error code. */
function planned(wanted: Partial<OperationRequest>, known: Partial<OperationFacts>, more = {}): unknown {
  try {
    return planOperation(request(wanted), facts(known), { ...rules, ...more }).kind;
  } catch (error) {
    return error instanceof BillingError ? error.code : error;
  }
}

const {
  PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS: SUCCEEDED,
  PAYMENT_INVALID_PARAMETER: BAD_PARAMETER,
  PAYMENT_INVALID_OPERATION: NOT_ALLOWED,
  PAYMENT_NO_SUCH_PAYMENT_METHOD: NO_METHOD,
  PAYMENT_NO_SUCH_PAYMENT_PLUGIN: NO_PLUGIN,
  PAYMENT_PLUGIN_EXCEPTION: NOT_OFFERED,
  PAYMENT_NO_SUCH_SUCCESS_PAYMENT: NO_CHARGEBACK,
} = ErrorCode;

describe('payment key and amount validation (payments §4.2)', () => {
  const K = { externalKey: 'K' };
  const elsewhere = { paymentId: nextId() };
  const cases: Readonly<Record<string, readonly [PaymentTransaction, Partial<OperationRequest>, unknown]>> = {
    'a successful transaction of any type': [transaction({ ...K }), {}, SUCCEEDED],
    'a successful transaction on another payment': [transaction({ ...K, ...elsewhere }), {}, SUCCEEDED],
    'a pending transaction of the same type': [transaction({ ...K, status: 'PENDING' }), {}, 'COMPLETE'],
    'a pending transaction of the same type on another payment': [
      transaction({ ...K, ...elsewhere, status: 'PENDING' }),
      {},
      BAD_PARAMETER,
    ],
    'a pending transaction of another type': [
      transaction({ ...K, transactionType: 'AUTHORIZE', status: 'PENDING' }),
      {},
      BAD_PARAMETER,
    ],
    'a failed transaction of another type': [
      transaction({ ...K, transactionType: 'AUTHORIZE', status: 'PAYMENT_FAILURE' }),
      {},
      BAD_PARAMETER,
    ],
    'an unknown transaction': [transaction({ ...K, status: 'UNKNOWN' }), {}, NOT_ALLOWED],
    'a declined transaction': [transaction({ ...K, status: 'PAYMENT_FAILURE' }), {}, 'NEW'],
    'a transaction that was never submitted': [transaction({ ...K, status: 'PLUGIN_FAILURE' }), {}, 'NEW'],
    'no transaction': [transaction({ externalKey: 'other', status: 'PAYMENT_FAILURE' }), {}, 'NEW'],
  };
  for (const [what, [existing, wanted, expected]] of Object.entries(cases))
    it(`yields ${String(expected)} for a purchase with the key of ${what}`, () => {
      const isOwn = existing.paymentId === PAYMENT_ID;
      const known = isOwn ? withKey(existing) : { transactions: [], keyTransactions: [existing] };
      expect(planned(wanted, known)).to.equal(expected);
    });

  it('allows a purchase to complete a pending purchase only with the same payment method', () => {
    const known = withKey(transaction({ ...K, status: 'PENDING' }));
    expect(planned({ paymentMethodId: nextId() }, known)).to.equal(BAD_PARAMETER);
    expect(planned({ paymentMethodId: nextId() }, withKey(transaction({ ...K })))).to.equal(SUCCEEDED);
  });

  it('allows a chargeback to reuse a key only after its reversal', () => {
    const purchase = transaction();
    const charged = transaction({ ...K, transactionType: 'CHARGEBACK', amount: decimal('10') });
    const reversed = transaction({
      ...K,
      transactionType: 'CHARGEBACK',
      status: 'PAYMENT_FAILURE',
      amount: null,
    });
    const having = (lastSuccessStateName: string, ...more: readonly PaymentTransaction[]) => ({
      payment: { ...payment, lastSuccessStateName },
      ...withKey(purchase, ...more),
    });
    const wanted = { operation: 'CHARGEBACK' } as const;
    expect(planned(wanted, having('CHARGEBACK_SUCCESS', charged))).to.equal(SUCCEEDED);
    expect(planned(wanted, having('CHARGEBACK_FAILED', charged, reversed))).to.equal('NEW');
    const reversal = { operation: 'CHARGEBACK_REVERSAL' } as const;
    expect(planned(reversal, having('CHARGEBACK_SUCCESS', charged))).to.equal('NEW');
    expect(
      planned({ ...reversal, transactionExternalKey: 'no' }, having('CHARGEBACK_SUCCESS', charged)),
    ).to.equal(NO_CHARGEBACK);
  });
});

describe('validation of methods, currencies and amounts in payment operations (payments §4.1, §4.3)', () => {
  const paid = (lastSuccessStateName: string, ...own: readonly PaymentTransaction[]) => ({
    payment: { ...payment, lastSuccessStateName },
    transactions: own,
  });
  const purchase = transaction({ amount: decimal('30') });
  const authorized = transaction({ transactionType: 'AUTHORIZE', amount: decimal('30') });
  const refunded = (status: PaymentTransaction['status']) =>
    transaction({ transactionType: 'REFUND', amount: decimal('20'), status });
  const deleted = { ...card, isActive: false };
  const first = { payment: null };

  const cases: Readonly<
    Record<string, readonly [Partial<OperationRequest>, Partial<OperationFacts>, unknown]>
  > = {
    'a new payment': [{}, first, 'NEW'],
    'a payment with a running call': [
      {},
      { transactions: [transaction({ leaseUntil: at('2013-01-01T00:00:00Z') })] },
      'WAIT',
    ],
    'a repeated purchase with another method': [{ paymentMethodId: nextId() }, {}, BAD_PARAMETER],
    'a repeated purchase with its own method': [{ paymentMethodId: card.id }, {}, 'NEW'],
    'a repeated purchase that names no method': [{ paymentMethodId: null }, {}, 'NEW'],
    'a refund with any method': [
      { operation: 'REFUND', paymentMethodId: nextId() },
      paid('PURCHASE_SUCCESS', purchase),
      'NEW',
    ],
    'a missing method': [{ paymentMethodId: null }, { ...first, method: null }, BAD_PARAMETER],
    'an unknown method': [{}, { ...first, method: null }, NO_METHOD],
    'a method of another account': [{}, { ...first, method: { ...card, accountId: nextId() } }, NO_METHOD],
    'a deleted method': [{}, { ...first, method: deleted }, NO_METHOD],
    'a capture with a deleted method': [
      { operation: 'CAPTURE' },
      { ...paid('AUTH_SUCCESS', authorized), method: deleted },
      'NEW',
    ],
    'a missing gateway': [{}, { ...first, method: { ...card, pluginName: 'gone' } }, NO_PLUGIN],
    'a gateway that cannot authorize': [
      { operation: 'AUTHORIZE' },
      { ...first, method: { ...card, pluginName: 'small' } },
      NOT_OFFERED,
    ],
    'a chargeback with a missing gateway': [
      { operation: 'CHARGEBACK' },
      { ...paid('PURCHASE_SUCCESS', purchase), method: { ...card, pluginName: 'gone' } },
      'NEW',
    ],
    'a missing amount': [{ amount: null }, first, BAD_PARAMETER],
    'an amount of 0': [{ amount: decimal('0') }, first, BAD_PARAMETER],
    'a negative amount': [{ amount: decimal('-1') }, first, BAD_PARAMETER],
    'an authorization of 0': [{ operation: 'AUTHORIZE', amount: decimal('0') }, first, 'NEW'],
    'a missing currency': [
      { currency: null },
      { ...first, account: { ...account, currency: null } },
      BAD_PARAMETER,
    ],
    'a refund in another currency': [
      { operation: 'REFUND', currency: 'EUR' },
      paid('PURCHASE_SUCCESS', purchase),
      BAD_PARAMETER,
    ],
    'a chargeback in another currency': [
      { operation: 'CHARGEBACK', currency: 'EUR' },
      paid('PURCHASE_SUCCESS', purchase),
      'NEW',
    ],
    'a capture above the authorized amount': [
      { operation: 'CAPTURE', amount: decimal('31') },
      paid('AUTH_SUCCESS', authorized),
      'NEW',
    ],
    'a refund of the remaining amount': [
      { operation: 'REFUND' },
      paid('REFUND_SUCCESS', purchase, refunded('SUCCESS')),
      'NEW',
    ],
    'a refund above the remaining amount': [
      { operation: 'REFUND', amount: decimal('10.01') },
      paid('REFUND_SUCCESS', purchase, refunded('SUCCESS')),
      BAD_PARAMETER,
    ],
    'a refund beside a pending one': [
      { operation: 'REFUND', amount: decimal('10.01') },
      paid('PURCHASE_SUCCESS', purchase, refunded('PENDING')),
      BAD_PARAMETER,
    ],
    'a refund beside a failed one': [
      { operation: 'REFUND', amount: decimal('30') },
      paid('PURCHASE_SUCCESS', purchase, refunded('PAYMENT_FAILURE')),
      'NEW',
    ],
    'a chargeback above the purchase amount': [
      { operation: 'CHARGEBACK', amount: decimal('31') },
      paid('PURCHASE_SUCCESS', purchase),
      BAD_PARAMETER,
    ],
  };
  for (const [what, [wanted, known, expected]] of Object.entries(cases))
    it(`yields ${String(expected)} for ${what}`, () =>
      expect(planned({ transactionExternalKey: null, ...wanted }, known)).to.equal(expected));

  it('passes excessive refunds to the gateway when the tenant allows them', () => {
    const wanted = { operation: 'REFUND', amount: decimal('31'), transactionExternalKey: null } as const;
    expect(planned(wanted, paid('PURCHASE_SUCCESS', purchase), { allowsOverRefund: true })).to.equal('NEW');
  });
});
