import type { GatewayResult, PaymentControl, PaymentGateway } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect } from '../support/index.ts';
import type { Account } from '../support/plain-views.ts';

/** Text that databases cannot store: a NUL character and half of a surrogate pair. */
const UNSTORABLE = 'no\u0000 funds \ud83d';
const STORED = 'no\ufffd funds \ufffd';

const results: GatewayResult[] = [];
const answering = (members: Partial<GatewayResult>): PaymentGateway['purchase'] => {
  return async ({ paymentId, transactionId }, { now }) => {
    const result: GatewayResult = {
      kbPaymentId: paymentId,
      kbTransactionPaymentId: transactionId,
      transactionType: 'PURCHASE',
      createdDate: now,
      effectiveDate: now,
      properties: [{ key: UNSTORABLE, value: UNSTORABLE, isUpdatable: false }],
      firstPaymentReferenceId: UNSTORABLE,
      secondPaymentReferenceId: UNSTORABLE,
      ...members,
    };
    results.push(result);
    return result;
  };
};
const getPaymentInfo: PaymentGateway['getPaymentInfo'] = async ({ paymentId }) =>
  results.filter(({ kbPaymentId }) => kbPaymentId === paymentId);
const declines: PaymentGateway = {
  name: 'declines',
  getPaymentInfo,
  purchase: answering({ status: 'ERROR', gatewayError: UNSTORABLE, gatewayErrorCode: UNSTORABLE }),
};
const throws: PaymentGateway = {
  name: 'throws',
  getPaymentInfo,
  purchase: () => Promise.reject(new Error(UNSTORABLE)),
};
/** Rejects with a value that cannot be converted to text. */
const throwsNothing: PaymentGateway = {
  name: 'throws-nothing',
  getPaymentInfo,
  purchase: () => Promise.reject(Object.create(null)),
};
const control: PaymentControl = {
  name: 'control',
  priorCall: () =>
    Promise.resolve({ adjustedProperties: [{ key: 'note', value: UNSTORABLE, isUpdatable: false }] }),
};
const silent: PaymentControl = { name: 'silent' };

eachDatabase.describe('unstorable strings from plugins (payments §2.2)', (open) => {
  let account: Account;
  const engine = engineBefore(open, {
    now: '2012-05-01T10:00:00Z',
    catalog: null,
    gateways: [declines, throws, throwsNothing],
    paymentControls: [control, silent],
  });
  const { acme } = engine;
  before(async () => {
    account = await engine.payingAccount({ currency: 'USD' });
  });

  const methodOf = ({ name: pluginName }: PaymentGateway) =>
    acme.addPaymentMethod({ accountId: account.id, pluginName });
  async function charged(gateway: PaymentGateway) {
    const { id: paymentMethodId } = await methodOf(gateway);
    return acme.payments.purchase({ accountId: account.id, paymentMethodId, amount: '10' });
  }

  it('are stored with a decline after the invalid characters are replaced', async () => {
    const { payment } = await charged(declines);
    const read = await acme.payments.get(payment.id, { withPluginInfo: true });
    expect(read.transactions[0]).to.deep.include({
      status: 'PAYMENT_FAILURE',
      gatewayErrorCode: STORED,
      gatewayErrorMsg: STORED,
      pluginInfo: {
        firstPaymentReferenceId: STORED,
        secondPaymentReferenceId: STORED,
        properties: [{ key: STORED, value: STORED, isUpdatable: false }],
      },
    });
  });

  for (const [gateway, text] of [
    [throws, STORED],
    [throwsNothing, 'an error without a message'],
  ] as const)
    it(`lead to an unknown outcome if gateway "${gateway.name}" throws them`, async () => {
      const error = await charged(gateway).catch((reason: Error) => reason);
      expect(error).to.be.instanceOf(Error);
      expect(String(error)).to.include(text);
      const [payment] = (await acme.payments.ofAccount(account.id)).slice(-1);
      expect(payment?.stateName).to.equal('PURCHASE_ERRORED');
      expect(payment?.transactions[0]).to.include({ status: 'UNKNOWN' });
      expect(payment?.transactions[0]?.gatewayErrorMsg).to.include(text);
    });

  it('are stored with an attempt if they are in properties of control plugins or the caller', async () => {
    const properties = [{ key: 'given', value: UNSTORABLE, isUpdatable: false }];
    for (const controlPlugins of [['control'], ['silent']]) {
      const input = { accountId: account.id, amount: '10', properties, controlPlugins };
      const { payment, transaction } = await acme.payments.purchase(input);
      expect(transaction.status).to.equal('SUCCESS');
      const { attempts } = await acme.payments.get(payment.id, { withAttempts: true });
      expect(attempts?.[0]?.pluginProperties?.map(({ value }) => value)).to.eql([STORED]);
    }
  });
});
