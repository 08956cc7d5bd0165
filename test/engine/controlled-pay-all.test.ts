import { type BillingError, decimal, ErrorCode, SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { ScriptedControl } from '../support/payments/scripted-control.ts';
import type { Account } from '../support/plain-views.ts';

anyDatabase.describe('control plugins of a tenant (payments §2.3 rule 9)', (open) => {
  let engine: TestEngine;
  let account: Account;
  let control: ScriptedControl;

  beforeEach(async () => {
    control = new ScriptedControl('control');
    engine = await openEngine(open, {
      now: '2012-05-01T10:00:00Z',
      catalog: null,
      paymentControls: [control],
      configuration: { 'org.service.payment.invoice.plugin': 'control' },
    });
    account = await engine.payingAccount({ currency: 'USD' });
    await holdBack();
  });

  const holdBack = () => engine.acme.tags.add({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
  const release = async () => {
    await engine.acme.tags.remove({ type: 'ACCOUNT', id: account.id }, [SystemTag.AUTO_PAY_OFF]);
    await engine.settle();
  };
  const invoiced = async (...amounts: readonly string[]): Promise<readonly Uuid[]> => {
    const ids: Uuid[] = [];
    for (const amount of amounts) {
      const items = [{ amount: amount }];
      const charge = { accountId: account.id, items, autoCommit: true };
      const [item] = await engine.acme.invoices.addCharges(charge);
      await engine.settle();
      if (item) ids.push(item.invoiceId);
    }
    control.invocations.splice(0);
    return ids;
  };
  const balances = async (ids: readonly Uuid[]) =>
    Promise.all(ids.map(async (id) => Number((await engine.acme.invoices.get(id)).balance)));
  const invocations = () =>
    control.invocations.flatMap(([call, { amount, paymentApiType }]) =>
      paymentApiType === 'PAYMENT_TRANSACTION' ? [`${call} ${Number(amount)}`] : [],
    );
  const states = async () => {
    const ids = control.invocations.flatMap(([, { attemptId }]) => attemptId ?? []);
    const found = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findAttemptsByIds([...new Set(ids)]),
    );
    return found.map(({ stateName }) => stateName).toSorted();
  };
  const payAll = (more: object = {}) =>
    engine.acme.invoicePayments.payAll({ accountId: account.id, ...more });

  it('are called before and after the payment of each invoice in a pay-all call (payments §9.6 rule 2)', async () => {
    const ids = await invoiced('50', '30');
    await payAll();
    expect(invocations().toSorted()).to.eql([
      'onSuccessCall 30',
      'onSuccessCall 50',
      'priorCall 30',
      'priorCall 50',
    ]);
    expect(control.invocations[0]?.[1].isApiPayment).to.equal(true);
    expect(await balances(ids)).to.eql([0, 0]);
    expect(await states()).to.eql(['SUCCESS', 'SUCCESS']);
  });

  it('are not called if the pay-all call names other plugins (payments §9.6 rule 2)', async () => {
    const ids = await invoiced('50');
    await payAll({ controlPlugins: ['nobody'] });
    expect(invocations()).to.eql([]);
    expect(await balances(ids)).to.eql([0]);
  });

  it('can abort the payment of one invoice without stopping the others (payments §9.6 rule 2)', async () => {
    const ids = await invoiced('50', '30');
    control.priorOf = ({ amount }) => ({ isAborted: Number(amount) === 50 });
    expect((await payAll({ isExternal: true, amount: '80' }))?.invoiceIds).to.eql(ids);
    expect(invocations().filter((call) => call.startsWith('on'))).to.eql(['onSuccessCall 30']);
    expect(await states()).to.eql(['ABORTED', 'SUCCESS']);
    const payments = await engine.acme.payments.ofAccount(account.id);
    expect(payments.map(({ totals }) => Number(totals.purchasedAmount))).to.eql([30]);
  });

  it('can adjust the amount that pay-all pays for an invoice, up to the balance (payments §9.6 rule 2)', async () => {
    const ids = await invoiced('50', '30');
    control.priorOf = ({ amount }) => ({ adjustedAmount: decimal(Number(amount) === 50 ? '20' : '99') });
    await payAll();
    expect(await balances(ids)).to.eql([30, 0]);
    expect(await states()).to.eql(['SUCCESS', 'SUCCESS']);
  });

  it('cause no payment if the invoice is paid while they are being called (payments §9.6 rule 2)', async () => {
    const ids = await invoiced('50');
    const [invoiceId = account.id] = ids;
    control.meanwhile = async () => {
      control.meanwhile = async () => null;
      await engine.acme.invoicePayments.pay({ invoiceId, controlPlugins: [] });
    };
    expect(await payAll()).to.equal(null);
    expect(invocations()).to.eql(['priorCall 50']);
    expect(await states()).to.eql(['ABORTED']);
    expect(engine.ledger.all()).to.have.length(1);
  });

  const payUnpaid = {
    'adding a method': async () =>
      engine.acme.addPaymentMethod({
        accountId: account.id,
        pluginName: engine.gateway.name,
        isDefault: true,
        payAllUnpaidInvoices: true,
      }),
    'making a method the default': async () =>
      engine.acme.paymentMethods.setDefault({
        accountId: account.id,
        paymentMethodId: (await engine.acme.getAccount(account.id)).paymentMethodId ?? account.id,
        payAllUnpaidInvoices: true,
      }),
  };
  for (const [what, act] of Object.entries(payUnpaid))
    it(`are called for each unpaid invoice that is paid by ${what} (payments §10.1 rule 7)`, async () => {
      const ids = await invoiced('50', '30');
      control.priorOf = ({ amount }) => ({ isAborted: Number(amount) === 50 });
      await act();
      expect(invocations().toSorted()).to.eql(['onSuccessCall 30', 'priorCall 30', 'priorCall 50']);
      expect(await balances(ids)).to.eql([50, 0]);
      expect(await states()).to.eql(['ABORTED', 'SUCCESS']);
    });

  it('do not prevent a method from being added if they fail in the payments that follow (payments §10.1 rule 7)', async () => {
    const ids = await invoiced('50');
    control.priorOf = ({ paymentApiType }) => {
      if (paymentApiType === 'PAYMENT_METHOD') return null;
      throw new Error('broken');
    };
    const { id } = (await payUnpaid['adding a method']()) as { id: Uuid };
    expect((await engine.acme.getAccount(account.id)).paymentMethodId).to.equal(id);
    expect(await balances(ids)).to.eql([50]);
    expect(await states()).to.eql(['ABORTED']);
  });

  it('are informed if an instant payment is rejected after their prior calls (rule 3)', async () => {
    const [invoiceId = account.id] = await invoiced('50');
    control.prior = { adjustedAmount: decimal('51') };
    const refused = engine.acme.invoicePayments.pay({ invoiceId });
    expect(await refused.catch(({ code }: BillingError) => code)).to.equal(
      ErrorCode.PAYMENT_PLUGIN_EXCEPTION,
    );
    expect(invocations()).to.eql(['priorCall 50', 'onFailureCall 51']);
    expect(await states()).to.eql(['ABORTED']);
  });

  it('end a hold if they abort its release, and are not called for that hold again (payments §9.3)', async () => {
    const ids = await invoiced('50');
    control.prior = { isAborted: true };
    await release();
    expect(invocations()).to.eql(['priorCall 50']);
    expect(await states()).to.eql(['ABORTED']);
    const holds = await engine.storage.read(engine.tenant, (session) =>
      session.payments.findHoldsByInvoices(ids),
    );
    expect(holds).to.eql([]);
    await holdBack();
    await release();
    await engine.runTo('2012-07-01T00:00:00Z');
    expect(invocations()).to.eql(['priorCall 50']);
    expect(await balances(ids)).to.eql([50]);
  });

  it('can adjust the amount that is paid when a hold is released (payments §9.3)', async () => {
    const ids = await invoiced('50');
    control.prior = { adjustedAmount: decimal('20') };
    await release();
    expect(invocations()).to.eql(['priorCall 50', 'onSuccessCall 20']);
    expect(await balances(ids)).to.eql([30]);
  });
});
