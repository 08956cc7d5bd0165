import { decimal } from '../../lib/index.ts';
import { directPayments, PaymentMachine, paymentConfig } from '../../lib/payments/index.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../lib/tenants/index.ts';
import type { ErrorName, TestEngine } from '../support/index.ts';
import { anyDatabase, expect, expectCode, migrated, openEngine, storageOf } from '../support/index.ts';
import { PaymentStage } from '../support/payments/payment-stage.ts';
import { runningCall, ScriptedControl } from '../support/payments/scripted-control.ts';
import type { Account, PaymentResult } from '../support/plain-views.ts';

const property = (key: string, value = 'true') => ({ key, value, isUpdatable: false });
const PENDING = [property('ACTION_RETURN_PLUGIN_STATUS_PENDING')];
const DECLINE = [property('ACTION_RETURN_PLUGIN_STATUS_ERROR')];
const RETRY = '2024-01-03T10:00:00Z';
/** Waits long enough for a busy entry to be retried. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 400));

anyDatabase.describe('payment operations with control plugins (payments §4.1, §8)', (open) => {
  let engine: TestEngine;
  let account: Account;
  let control: ScriptedControl;
  let cases = 0;

  beforeEach(async () => {
    control = new ScriptedControl('control');
    engine = await openEngine(open, {
      now: '2024-01-01T10:00:00Z',
      catalog: null,
      paymentControls: [control],
      configuration: {
        // A retry of the lock would wait in the test.
        'org.service.payment.globalLock.retries': '0',
        'org.service.payment.method.overwrite': 'true',
      },
    });
    account = await engine.payingAccount({ currency: 'USD' });
  });

  const controlPlugins = ['control'];
  const keyOf = () => `payment-${cases}`;
  const purchase = (more: object = {}) =>
    engine.acme.payments.purchase({
      accountId: account.id,
      amount: decimal('10'),
      externalKey: keyOf(),
      transactionExternalKey: `${keyOf()}-first`,
      controlPlugins,
      ...more,
    });
  const refund = ({ payment }: PaymentResult, more: object = {}) =>
    engine.acme.payments.refund({ paymentId: payment.id, amount: '5', controlPlugins, ...more });
  const attempts = async () => {
    const found = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findAttemptsByPaymentKeys([keyOf()]),
    );
    return found.map(({ stateName }) => stateName);
  };
  const transactions = async () =>
    (await engine.acme.payments.getByKey(keyOf())).transactions.map(({ status }) => status);

  it('are rejected before any plugin call or attempt if they are invalid', async () => {
    const paid = await purchase({ controlPlugins: [] });
    // One after the other, because simultaneous payments of an account wait for its lock.
    const refused: readonly (readonly [ErrorName, () => Promise<unknown>])[] = [
      ['PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS', () => purchase()],
      ['PAYMENT_INVALID_OPERATION', () => purchase({ transactionExternalKey: 'other' })],
      ['PAYMENT_INVALID_PARAMETER', () => refund(paid, { currency: 'EUR' })],
      ['PAYMENT_INVALID_PARAMETER', () => refund(paid, { amount: '11' })],
      [
        'PAYMENT_NO_SUCH_PAYMENT_METHOD',
        () => purchase({ externalKey: 'new', transactionExternalKey: null, paymentMethodId: account.id }),
      ],
    ];
    for (const [code, call] of refused) await expectCode(call(), code);
    expect(control.calls()).to.eql([]);
    expect(await attempts()).to.eql([]);
  });

  it('use a payment method from a control plugin if the request names no method', async () => {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const method = { accountId, pluginName: engine.gateway.name };
    const { pluginName, id } = await engine.acme.paymentMethods.add(method);
    await expectCode(purchase({ accountId }), 'PAYMENT_INVALID_PARAMETER');
    expect(control.calls()).to.eql(['priorCall', 'onFailureCall']);
    control.prior = { adjustedPaymentMethodId: id };
    const { payment } = await purchase({ accountId });
    expect(payment.paymentMethodId).to.equal(id);
    expect(control.invocations.at(-2)?.[1]).to.include({ paymentMethodId: null, paymentPluginName: null });
    expect(pluginName).to.equal(engine.gateway.name);
  });

  it('keep the method of a payment, even if a control plugin chooses another method (payments §2.3 rule 6)', async () => {
    const method = { accountId: account.id, pluginName: engine.gateway.name };
    const other = await engine.acme.paymentMethods.add(method);
    const paid = await purchase({ controlPlugins: [] });
    control.prior = { adjustedPaymentMethodId: other.id };
    await expectCode(refund(paid), 'PAYMENT_INTERNAL_ERROR');
    expect(await attempts()).to.eql(['ABORTED']);
  });

  it('complete a pending transaction under its key with its existing attempt (payments §8.1 rule 4)', async () => {
    await purchase({ properties: PENDING });
    const { transaction } = await purchase();
    expect(transaction.status).to.equal('SUCCESS');
    expect(control.calls()).to.eql(['priorCall', 'onSuccessCall', 'onSuccessCall']);
    expect(await attempts()).to.eql(['SUCCESS']);
    expect(await transactions()).to.eql(['SUCCESS']);
  });

  it('use their own attempt for a transaction that becomes pending during plugin calls (payments §8.1 rule 4)', async () => {
    control.meanwhile = async () => {
      control.meanwhile = async () => null;
      await purchase({ controlPlugins: [], properties: PENDING });
    };
    const { transaction } = await purchase();
    expect(transaction.status).to.equal('SUCCESS');
    expect(control.calls()).to.eql(['priorCall']);
    expect(await attempts()).to.eql(['ABORTED']);
    expect(await transactions()).to.eql(['SUCCESS']);
  });

  for (const status of ['SUCCESS', 'PAYMENT_FAILURE'] as const)
    it(`report to control plugins that a pending transaction has become ${status} (payments §6.2)`, async () => {
      const card = property('card', '4242');
      const { payment, transaction } = await purchase({ properties: [...PENDING, card] });
      control.invocations.splice(0);
      await engine.acme.payments.recordNotifiedOutcome({
        paymentId: payment.id,
        transactionId: transaction.id,
        status,
      });
      const isWell = status === 'SUCCESS';
      expect(control.calls()).to.eql([isWell ? 'onSuccessCall' : 'onFailureCall']);
      const [, context, properties] = control.invocations[0] ?? [];
      expect(context).to.include({ paymentId: payment.id, transactionId: transaction.id });
      expect(Number(context?.processedAmount)).to.equal(isWell ? 10 : 0);
      expect(properties?.map(({ key }) => key)).to.include('card');
      expect(await attempts()).to.eql([isWell ? 'SUCCESS' : 'ABORTED']);
      const [stored] = await engine.storage.read(engine.tenant, (session) =>
        session.payments.findAttemptsByPaymentKeys([keyOf()]),
      );
      expect(stored?.pluginProperties?.map(({ key }) => key)).to.include('card');
    });

  it('return the actual outcome even if a plugin returns an unreadable answer (payments §2.3)', async () => {
    const unreadable = {
      get adjustedProperties(): never {
        throw new Error('unreadable');
      },
    };
    control.success = unreadable;
    control.failure = unreadable;
    const { transaction } = await purchase();
    expect(transaction.status).to.equal('SUCCESS');
    expect(await attempts()).to.eql(['SUCCESS']);
    cases += 1;
    expect((await purchase({ properties: DECLINE })).transaction.status).to.equal('PAYMENT_FAILURE');
    expect(await attempts()).to.eql(['ABORTED']);
  });

  describe('retries requested by a plugin', () => {
    beforeEach(async () => {
      control.failure = { nextRetryDate: new Date(RETRY) };
      engine.gateway.configure({ CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR', TIMES: 1 });
      await purchase();
      expect(await attempts()).to.eql(['RETRIED']);
      control.failure = null;
    });

    it('postpone a retry while another call for the payment is running (payments §5.3 rule 2)', async () => {
      const end = await runningCall(engine, keyOf());
      const settled = engine.runTo(RETRY);
      await aWhile();
      expect(await attempts()).to.eql(['RETRIED']);
      await end();
      await settled;
      expect(await attempts()).to.eql(['RETRIED', 'SUCCESS']);
    });

    it('postpone a retry if another call starts while the plugins of the retry are being called (payments §5.3 rule 2)', async () => {
      let end: () => Promise<unknown> = async () => null;
      control.invocations.splice(0);
      control.failure = { nextRetryDate: new Date('2024-01-05T10:00:00Z') };
      control.meanwhile = async () => {
        control.meanwhile = async () => null;
        end = await runningCall(engine, keyOf());
      };
      const settled = engine.runTo(RETRY);
      do await aWhile();
      while ((await attempts()).length < 2);
      expect(control.calls()).to.eql(['priorCall']);
      expect(await attempts()).to.eql(['RETRIED', 'ABORTED']);
      await end();
      await settled;
      expect(control.calls()).to.eql(['priorCall', 'priorCall', 'onSuccessCall']);
      expect(await attempts()).to.eql(['RETRIED', 'ABORTED', 'SUCCESS']);
      expect((await transactions()).filter((status) => status === 'SUCCESS')).to.have.length(1);
    });

    it('store a separate attempt for each retry, even if the retry can no longer run (payments §3.3)', async () => {
      await purchase({ controlPlugins: [] });
      control.invocations.splice(0);
      await engine.runTo(RETRY);
      expect(control.calls()).to.eql([]);
      expect(await attempts()).to.eql(['RETRIED', 'ABORTED']);
    });

    it('are not retried again if a plugin aborts the retry (payments §2.3 rule 5)', async () => {
      control.prior = { isAborted: true };
      await engine.runTo('2024-02-01T00:00:00Z');
      expect(await attempts()).to.eql(['RETRIED', 'ABORTED']);
      expect(await transactions()).to.eql(['PAYMENT_FAILURE']);
    });
  });
});

anyDatabase.describe('operations that fail after prior calls (payments §2.3 rule 3)', (open) => {
  it('return the original error even if ending the attempt fails', async () => {
    const control = new ScriptedControl('control');
    const stage = await PaymentStage.open(storageOf(await open(migrated)), '2024-01-01T10:00:00Z');
    try {
      const { id: accountId } = await stage.account();
      let errors = 0;
      const configOf = () => Promise.resolve(paymentConfig(DEFAULT_TENANT_SETTINGS));
      const { ids, gateways, clock, timers: systemClock, logger } = stage;
      const storage = new Proxy(stage.storage, {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          const isFailing = name === 'write' && control.invocations.length > 0;
          if (!isFailing) return typeof member === 'function' ? member.bind(target) : member;
          errors += 1;
          return () => Promise.reject(new Error(`error ${errors}`));
        },
      });
      const paymentControls = new Map([[control.name, control]]);
      const ports = { storage, ids, gateways, clock, systemClock, logger, paymentControls };
      const payments = directPayments(new PaymentMachine(ports, configOf));
      const request = { accountId, amount: decimal('10'), controlPlugins: [control.name] };
      const refused = payments.purchase(stage.context(), request);
      expect(await refused.catch(({ message }) => message)).to.equal('error 1');
      expect(errors).to.equal(2);
      expect(logger.lines.map(({ message }) => message)).to.include(
        'attempts of payments were not ended; the sweep of attempts ends them',
      );
    } finally {
      await stage.stop();
    }
  });
});
