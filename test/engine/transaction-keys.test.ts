import { type BillingError, ErrorCode, type Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBefore, expect, expectCode, payerBeforeEach } from '../support/index.ts';
import type { PaymentResult } from '../support/plain-views.ts';

eachDatabase('keys of transactions (payments §1.7 rule 2)', (open) => {
  const engine = engineBefore(open, { now: '2012-05-01T10:00:00Z', catalog: null });
  const account = payerBeforeEach(engine);

  const does = (action: string) => [{ key: action, value: 'true', isUpdatable: false }];
  const PENDING = does('ACTION_RETURN_PLUGIN_STATUS_PENDING');
  const DECLINE = does('ACTION_RETURN_PLUGIN_STATUS_ERROR');

  it('of two accounts that use one transaction key at the same moment one is refused before its gateway is called', async () => {
    const other = await engine.payingAccount({ currency: 'USD' });
    const { PAYMENT_DIFFERENT_ACCOUNT_ID: ofPayment, PAYMENT_TRANSACTION_DIFFERENT_ACCOUNT_ID: ofKey } =
      ErrorCode;
    for (const [index, refusal] of [ofPayment, ofPayment, ofPayment, ofKey, ofKey, ofKey].entries()) {
      const transactionExternalKey = `shared ${index}`;
      const race = [account, other].map(({ id: accountId }) =>
        engine.acme.payments.purchase({
          accountId,
          amount: '10',
          transactionExternalKey,
          ...(refusal === ofKey && { externalKey: `payment ${index} of ${accountId}` }),
          properties: PENDING,
        }),
      );
      const ended = await Promise.allSettled(race);
      const codes = ended.map((each) =>
        each.status === 'fulfilled' ? each.value.transaction.status : (each.reason as BillingError).code,
      );
      expect(codes).to.have.members(['PENDING', refusal]);
    }
  });

  it('payments §7.4: no correction makes a second transaction of a key one that has succeeded or is open', async () => {
    for (const [transactionExternalKey, properties] of [
      ['corrected beside a success', []],
      ['corrected beside what is pending', PENDING],
    ] as const) {
      const asked = { accountId: account.id, amount: '10', transactionExternalKey };
      const declined = await engine.acme.payments.purchase({ ...asked, properties: DECLINE });
      const paymentId = declined.payment.id;
      await engine.acme.payments.purchase({ ...asked, paymentId, properties });
      const fixed = { paymentId, transactionId: declined.transaction.id };
      for (const status of ['SUCCESS', 'PENDING', 'UNKNOWN'] as const) {
        const work = engine.acme.payments.fixTransaction({ ...fixed, status });
        await expectCode(work, 'PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS');
      }
      const statuses = async (id: Uuid) =>
        (await engine.acme.payments.get(id)).transactions.map(({ status }) => status);
      expect((await statuses(paymentId))[0]).to.equal('PAYMENT_FAILURE');
      const corrected: PaymentResult = await engine.acme.payments.fixTransaction({
        ...fixed,
        status: 'PLUGIN_FAILURE',
      });
      expect(corrected.payment.transactions[0]?.status).to.equal('PLUGIN_FAILURE');
    }
  });
});
