import { type PaymentControl, SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase, eachDatabaseByTurns } from '../support/databases.ts';
import { engineBeforeEach, expect, payerBeforeEach } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import type { PaymentView } from '../support/plain-views.ts';

const NOWHERE = '11111111-1111-4111-8111-111111111111' as Uuid;
const LATER = '2012-05-09T10:00:00Z';

anyDatabase.describe('payment attempts (payments §3.3)', (open) => {
  const stopper: PaymentControl = { name: 'stopper', priorCall: async () => ({ isAborted: true }) };
  const listener: PaymentControl = { name: 'listener' };

  const engine = engineBeforeEach(open, {
    now: '2012-05-01T10:00:00Z',
    catalog: null,
    paymentControls: [stopper, listener],
  });
  const { acme } = engine;
  const account = payerBeforeEach(engine);

  type Status = 'ERROR' | 'CANCELED' | 'PENDING' | 'UNDEFINED';
  const answers = (status: Status, TIMES = 1_000) =>
    engine.gateway.configure({ CONFIGURE_ACTION: `ACTION_RETURN_PLUGIN_STATUS_${status}` as const, TIMES });
  const recovers = (transactionId: Uuid, status: 'ERROR' | 'PROCESSED') =>
    engine.gateway.configure({ CONFIGURE_ACTION: 'OVERRIDE_STATUS', transactionId, status });

  const invoiced = async (): Promise<Uuid> => (await engine.settle(engine.charge(account.id, '249.95'))).id;

  async function paymentOf(invoiceId: Uuid): Promise<PaymentView> {
    const [payment] = await acme.payments.invoicePaymentsOfInvoice(invoiceId, { withAttempts: true });
    if (!payment) throw new Error('the invoice has no payment');
    return payment;
  }

  const attemptsOf = async (invoiceId: Uuid) =>
    (await paymentOf(invoiceId)).attempts?.map(({ stateName }) => stateName);
  const transactionOf = async (invoiceId: Uuid) =>
    (await paymentOf(invoiceId)).transactions[0]?.id ?? NOWHERE;
  const fix = async (invoiceId: Uuid, status: 'SUCCESS' | 'PAYMENT_FAILURE') => {
    const { id: paymentId } = await paymentOf(invoiceId);
    const transactionId = await transactionOf(invoiceId);
    await acme.payments.fixTransaction({ paymentId, transactionId, status });
  };

  it('change from INIT to SUCCESS if the transaction is SUCCESS or PENDING', async () => {
    expect(await attemptsOf(await invoiced())).to.eql(['SUCCESS']);
    answers('PENDING');
    expect(await attemptsOf(await invoiced())).to.eql(['SUCCESS']);
  });

  it('change from INIT to RETRIED after a failure with a retry date', async () => {
    answers('ERROR');
    expect(await attemptsOf(await invoiced())).to.eql(['RETRIED', 'SCHEDULED']);
    answers('CANCELED');
    expect(await attemptsOf(await invoiced())).to.eql(['RETRIED', 'SCHEDULED']);
  });

  it('change from INIT to ABORTED after a failure without a retry date, an abort or an unknown outcome', async () => {
    answers('UNDEFINED');
    expect(await attemptsOf(await invoiced())).to.eql(['ABORTED']);
    answers('ERROR');
    const request = { accountId: account.id, amount: '10' };
    const declined = await acme.payments.purchase({ ...request, controlPlugins: ['listener'] });
    const read = await acme.payments.get(declined.payment.id, { withAttempts: true });
    expect(read.attempts?.map(({ stateName }) => stateName)).to.eql(['ABORTED']);
    const externalKey = 'aborted';
    const aborted = acme.payments.purchase({ ...request, externalKey, controlPlugins: ['stopper'] });
    expect(await aborted.catch(({ code }) => code)).to.equal(7106);
    const attempts = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findAttemptsByPaymentKeys([externalKey]),
    );
    expect(attempts.map(({ stateName }) => stateName)).to.eql(['ABORTED']);
  });

  describe('of instant payments (payments §8.3)', () => {
    const properties = [{ key: 'IPCD_RETRIES', value: 'true', isUpdatable: false }];
    const pay = async (more: object = {}) => {
      await acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
      const { id: invoiceId } = await engine.settle(engine.charge(account.id, '249.95'));
      await acme.invoicePayments.pay({ invoiceId, properties, ...more });
      await acme.tags.remove({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
      return invoiceId;
    };

    it('are retried like automatic payments, with their original properties, if the instant payment requests retries', async () => {
      answers('ERROR', 1);
      const invoiceId = await pay();
      expect(await attemptsOf(invoiceId)).to.eql(['RETRIED', 'SCHEDULED']);
      await engine.runTo(LATER);
      const { attempts } = await paymentOf(invoiceId);
      expect(attempts?.map(({ stateName }) => stateName)).to.eql(['RETRIED', 'SUCCESS']);
      expect(attempts?.map(({ isApiPayment }) => isApiPayment)).to.eql([true, false]);
      expect(attempts?.[1]?.pluginProperties).to.eql(properties);
    });

    it('are not retried if the instant payment does not request retries', async () => {
      answers('ERROR', 1);
      expect(await attemptsOf(await pay({ properties: [] }))).to.eql(['ABORTED']);
      answers('ERROR', 1);
      const no = [{ key: 'IPCD_RETRIES', value: 'false', isUpdatable: false }];
      expect(await attemptsOf(await pay({ properties: no }))).to.eql(['ABORTED']);
    });

    it('are retried if recovery finds a decline', async () => {
      answers('UNDEFINED', 1);
      const invoiceId = await pay();
      expect(await attemptsOf(invoiceId)).to.eql(['ABORTED']);
      recovers(await transactionOf(invoiceId), 'ERROR');
      await engine.runTo('2012-05-01T10:06:00Z');
      expect(await attemptsOf(invoiceId)).to.eql(['RETRIED', 'SCHEDULED']);
    });

    it('are not retried if an operator corrects them to a failure without requesting retries (payments §7.4 rule 4)', async () => {
      const invoiceId = await pay();
      await fix(invoiceId, 'PAYMENT_FAILURE');
      expect(await attemptsOf(invoiceId)).to.eql(['ABORTED']);
    });
  });

  it('are added for each retry without changing the state of the old attempt', async () => {
    answers('ERROR', 1);
    const invoiceId = await invoiced();
    const [first] = (await paymentOf(invoiceId)).attempts ?? [];
    await engine.runTo(LATER);
    const attempts = (await paymentOf(invoiceId)).attempts;
    expect(attempts?.map(({ stateName }) => stateName)).to.eql(['RETRIED', 'SUCCESS']);
    expect(attempts?.[0]?.id).to.equal(first?.id);
    expect(attempts?.[1]?.id).not.to.equal(first?.id);
  });

  it('are added when AUTO_PAY_OFF is removed, while the old attempt remains ABORTED', async () => {
    await acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    const invoiceId = await invoiced();
    await acme.tags.remove({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    await engine.settle();
    expect(await attemptsOf(invoiceId)).to.eql(['SUCCESS']);
    const audit = await acme.audit.ofAccount(account.id);
    const inserted = audit.filter(
      ({ tableName, changeType }) => tableName === 'PAYMENT_ATTEMPTS' && changeType === 'INSERT',
    );
    expect(inserted).to.have.length(2);
  });

  it('leave the RETRIED state if their transaction is corrected', async () => {
    answers('ERROR');
    const invoiceId = await invoiced();
    await fix(invoiceId, 'SUCCESS');
    expect(await attemptsOf(invoiceId)).to.eql(['SUCCESS']);
  });

  it('leave the ABORTED state if recovery finds the outcome', async () => {
    answers('UNDEFINED', 1);
    const declined = await invoiced();
    recovers(await transactionOf(declined), 'ERROR');
    answers('UNDEFINED', 1);
    const paid = await invoiced();
    recovers(await transactionOf(paid), 'PROCESSED');
    await engine.runTo('2012-05-01T10:05:00Z');
    expect(await attemptsOf(declined)).to.eql(['RETRIED', 'SCHEDULED']);
    expect(await attemptsOf(paid)).to.eql(['SUCCESS']);
  });

  it('leave the SUCCESS state if their transaction is corrected', async () => {
    const invoiceId = await invoiced();
    await fix(invoiceId, 'PAYMENT_FAILURE');
    expect(await attemptsOf(invoiceId)).to.eql(['ABORTED']);
  });

  it('prevent a new instant payment while their outcome is unknown (payments §14 example 12)', async () => {
    answers('UNDEFINED', 1);
    const invoiceId = await invoiced();
    expect(await acme.invoicePayments.pay({ invoiceId })).to.equal(null);
    expect(engine.ledger.all()).to.have.length(1);
    recovers(await transactionOf(invoiceId), 'ERROR');
    await engine.runTo('2012-05-01T10:05:00Z');
    expect(await attemptsOf(invoiceId)).to.eql(['RETRIED', 'SCHEDULED']);
    await engine.runTo('2012-05-09T10:05:00Z');
    expect(await attemptsOf(invoiceId)).to.eql(['RETRIED', 'SUCCESS']);
  });

  it('are not retried after a late decline if the API requested the payment (payments §14 example 12)', async () => {
    await acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    const invoiceId = await invoiced();
    answers('UNDEFINED', 1);
    expect((await acme.invoicePayments.pay({ invoiceId }))?.transaction.status).to.equal('UNKNOWN');
    recovers(await transactionOf(invoiceId), 'ERROR');
    await engine.runTo('2012-05-01T10:05:00Z');
    expect((await paymentOf(invoiceId)).stateName).to.equal('PURCHASE_FAILED');
    await engine.runTo('2012-06-30');
    expect(await attemptsOf(invoiceId)).to.eql(['ABORTED']);
  });
});

const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;
const property = (key: string, value: string) => ({ key, value, isUpdatable: false });
const RETRIED = [property('cvv', '123'), property('IPCD_RETRIES', 'true')];
const KEPT = 'IPCD_RETRIES';

eachDatabaseByTurns.describe('payment attempts with stored properties (payments §8.1 rule 3)', (open) => {
  let invoiceId: Uuid;

  const engine = engineBeforeEach(open, { now: '2024-01-01T10:00:00Z', catalog: null });
  const { acme } = engine;
  const account = payerBeforeEach(engine);
  beforeEach(async () => {
    invoiceId = (await new PaidInvoices(engine, account).add('20', { isHeldBack: true })).id;
    engine.gateway.configure(DECLINE);
    await acme.invoicePayments.pay({
      invoiceId,
      externalKey: 'P',
      transactionExternalKey: 'T',
      properties: RETRIED,
    });
    expect(await kept()).to.eql(['RETRIED cvv,IPCD_RETRIES']);
  });

  async function kept(): Promise<readonly string[]> {
    const { tenant, storage } = engine;
    const attempts = await storage.read(tenant, (session) =>
      session.payments.findAttemptsByPaymentKeys(['P']),
    );
    return attempts.map(({ stateName, pluginProperties }) =>
      [stateName, pluginProperties?.map(({ key }) => key).join()].join(' ').trim(),
    );
  }

  it('are exported with all their properties masked, regardless of the property names (platform §6.3 rule 3)', async () => {
    const text = (await Array.fromAsync(await acme.accounts.export(account.id))).join('');
    expect(text)
      .to.contain('"key":"cvv","value":"*****"')
      .and.contain('"key":"IPCD_RETRIES","value":"*****"');
    expect(text).not.to.contain('"123"');
  });

  async function release(): Promise<void> {
    await acme.tags.remove({ id: account.id, type: 'ACCOUNT' }, [SystemTag.AUTO_PAY_OFF]);
  }

  async function retry(): Promise<void> {
    await engine.runTo('2024-01-09T10:00:01Z');
  }

  it('lose their properties, except for the retry request, when their retry is canceled', async () => {
    await acme.payments.cancelScheduledRetry({ transactionExternalKey: 'T' });
    expect(await kept()).to.eql([`RETRIED ${KEPT}`]);
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`]);
  });

  it('pass their properties to the next retry after a failure, and lose them after a success', async () => {
    await release();
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, 'RETRIED cvv,IPCD_RETRIES']);
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    await engine.runTo('2024-01-17T10:00:02Z');
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, `RETRIED ${KEPT}`, `SUCCESS ${KEPT}`]);
    expect(Number((await acme.invoices.get(invoiceId)).balance)).to.equal(0);
  });

  it('lose their properties when their retry is held back', async () => {
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, 'ABORTED']);
  });

  it('lose their properties if nothing is left to pay when they are retried', async () => {
    engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_CLEAR' });
    await acme.invoicePayments.pay({ invoiceId, externalKey: 'Q' });
    await release();
    await retry();
    expect(await kept()).to.eql([`RETRIED ${KEPT}`, 'ABORTED']);
  });
});
