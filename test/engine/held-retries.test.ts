import { SystemTag, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, openEngine, type TestEngine } from '../support/index.ts';
import { PaidInvoices } from '../support/payments/paid-invoices.ts';
import { ScriptedControl } from '../support/payments/scripted-control.ts';
import type { Account } from '../support/plain-views.ts';

const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;
const ACCEPT = { CONFIGURE_ACTION: 'ACTION_CLEAR' } as const;

/** Overdue after five days. */
const OVERDUE = {
  overdueStates: [
    {
      name: 'LATE',
      isBlockChanges: true,
      condition: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: 5 } },
    },
  ],
} as const;

eachDatabaseByTurns.describe('retries held back by a tag (payments §9.3)', (open) => {
  let engine: TestEngine;
  let account: Account;
  let invoices: PaidInvoices;
  let control: ScriptedControl;

  beforeEach(async () => {
    control = new ScriptedControl('watch');
    const options = { now: '2012-05-31T00:03:42Z', catalog: null, paymentControls: [control] };
    engine = await openEngine(open, options);
    account = await engine.payingAccount({ currency: 'USD' });
    invoices = new PaidInvoices(engine, account);
    engine.gateway.configure(DECLINE);
  });
  afterEach(async () => {
    expect(await Array.fromAsync(engine.billing.checks.breaches(null))).to.eql([]);
  });

  const object = () => ({ id: account.id, type: 'ACCOUNT' }) as const;
  const hold = (tag: Uuid = SystemTag.AUTO_PAY_OFF) => engine.settle(engine.acme.tags.add(object(), [tag]));
  const release = (tag: Uuid = SystemTag.AUTO_PAY_OFF) =>
    engine.settle(engine.acme.tags.remove(object(), [tag]));
  const day = (date: string) => engine.runTo(`${date}T00:03:43Z`);
  const holds = async () =>
    (
      await engine.storage.read(engine.tenant, (session) =>
        session.payments.findHoldsByAccounts([account.id]),
      )
    ).length;
  /** Returns the transactions and attempts of each payment of the invoice. */
  const story = async (invoiceId: Uuid) => {
    const payments = await engine.acme.payments.invoicePaymentsOfInvoice(invoiceId, { withAttempts: true });
    return payments.map(({ transactions, attempts }) => [
      transactions.map(({ status, amount }) => `${status} ${Number(amount)}`).join(', '),
      (attempts ?? []).map(({ stateName }) => stateName).join(', '),
    ]);
  };
  const keysOf = async (invoiceId: Uuid) => {
    const payments = await engine.acme.payments.invoicePaymentsOfInvoice(invoiceId);
    return new Set(
      payments.flatMap(({ transactions }) => transactions.map(({ externalKey }) => externalKey)),
    );
  };

  /** Creates an invoice of 20 whose payment was declined on 05-31 and whose retry on 06-08 was held. */
  async function held(): Promise<Uuid> {
    const { id } = await invoices.add('20');
    await day('2012-06-01');
    await hold();
    await day('2012-06-09');
    expect([await story(id), await holds()]).to.eql([[['PAYMENT_FAILURE 20', 'RETRIED, ABORTED']], 1]);
    return id;
  }

  it('continue as the same payment if the tag is removed after their date', async () => {
    const id = await held();
    await day('2012-06-20');
    engine.gateway.configure(ACCEPT);
    await release();
    expect([await story(id), await holds()]).to.eql([
      [['PAYMENT_FAILURE 20, SUCCESS 20', 'RETRIED, ABORTED, SUCCESS']],
      0,
    ]);
    expect(await invoices.balanceOf(id)).to.equal(0);
    expect((await keysOf(id)).size).to.equal(1);
  });

  it('continue with the next delay of their schedule, without additional retries', async () => {
    const id = await held();
    await day('2012-06-20');
    await release();
    expect(await story(id)).to.eql([
      ['PAYMENT_FAILURE 20, PAYMENT_FAILURE 20', 'RETRIED, ABORTED, RETRIED, SCHEDULED'],
    ]);
    await day('2012-06-27');
    expect((await story(id))[0]?.[0]).to.equal('PAYMENT_FAILURE 20, PAYMENT_FAILURE 20');
    await day('2012-06-28');
    await day('2012-07-06');
    await day('2012-09-01');
    expect([await story(id), await holds()]).to.eql([
      [
        [
          'PAYMENT_FAILURE 20, PAYMENT_FAILURE 20, PAYMENT_FAILURE 20, PAYMENT_FAILURE 20',
          'RETRIED, ABORTED, RETRIED, RETRIED, ABORTED',
        ],
      ],
      0,
    ]);
  });

  it('can be held back again and still continue as the same payment', async () => {
    const id = await held();
    await release();
    await hold();
    await day('2012-06-17');
    expect(await holds()).to.equal(1);
    engine.gateway.configure(ACCEPT);
    await release();
    expect(await story(id)).to.eql([
      ['PAYMENT_FAILURE 20, PAYMENT_FAILURE 20, SUCCESS 20', 'RETRIED, ABORTED, RETRIED, ABORTED, SUCCESS'],
    ]);
  });

  it('run on their date if the tag is removed before that date', async () => {
    const { id } = await invoices.add('20');
    await day('2012-06-01');
    await hold();
    await day('2012-06-07');
    await release();
    engine.gateway.configure(ACCEPT);
    expect((await story(id))[0]?.[0]).to.equal('PAYMENT_FAILURE 20');
    await day('2012-06-08');
    expect(await story(id)).to.eql([['PAYMENT_FAILURE 20, SUCCESS 20', 'RETRIED, SUCCESS']]);
  });

  it('continue as a separate payment for each invoice, oldest first', async () => {
    const ids = [(await invoices.add('20')).id];
    await day('2012-06-01');
    ids.push((await invoices.add('30')).id, (await invoices.add('40')).id);
    await hold();
    await day('2012-06-12');
    expect(await holds()).to.equal(3);
    engine.gateway.configure(ACCEPT);
    const before = engine.ledger.all().length;
    await release();
    for (const [index, id] of ids.entries()) {
      const amount = 20 + 10 * index;
      expect(await story(id)).to.eql([
        [`PAYMENT_FAILURE ${amount}, SUCCESS ${amount}`, 'RETRIED, ABORTED, SUCCESS'],
      ]);
    }
    expect(
      engine.ledger
        .all()
        .slice(before)
        .map(({ amount }) => Number(amount)),
    ).to.eql([20, 30, 40]);
    expect(await holds()).to.equal(0);
  });

  it('remain held back while another tag holds payments back', async () => {
    const id = await held();
    await hold(SystemTag.MANUAL_PAY);
    await release();
    expect([(await story(id)).length, await holds()]).to.eql([1, 1]);
    engine.gateway.configure(ACCEPT);
    await release(SystemTag.MANUAL_PAY);
    expect(await story(id)).to.eql([['PAYMENT_FAILURE 20, SUCCESS 20', 'RETRIED, ABORTED, SUCCESS']]);
  });

  it('end without a payment if their invoice was paid while they were held', async () => {
    const id = await held();
    await engine.acme.invoicePayments.pay({ invoiceId: id, isExternal: true });
    await release();
    expect([await story(id), await holds()]).to.eql([
      [
        ['PAYMENT_FAILURE 20', 'RETRIED, ABORTED'],
        ['SUCCESS 20', 'SUCCESS'],
      ],
      0,
    ]);
  });

  it('pay only the remaining amount if part of the invoice was paid while they were held', async () => {
    const id = await held();
    await engine.acme.invoicePayments.pay({ invoiceId: id, amount: '5', isExternal: true });
    engine.gateway.configure(ACCEPT);
    await release();
    expect((await story(id))[0]?.[0]).to.equal('PAYMENT_FAILURE 20, SUCCESS 15');
    expect(await invoices.balanceOf(id)).to.equal(0);
  });

  it('leave the rest to a new payment if a call has already repeated their payment', async () => {
    const id = await held();
    const [payment] = await engine.acme.payments.invoicePaymentsOfInvoice(id);
    engine.gateway.configure(ACCEPT);
    const request = { invoiceId: id, amount: '5', externalKey: payment?.externalKey ?? '' };
    await engine.acme.invoicePayments.pay(request);
    await release();
    expect((await story(id)).map(([transactions]) => transactions)).to.eql([
      'PAYMENT_FAILURE 20, SUCCESS 5',
      'SUCCESS 15',
    ]);
    expect(await holds()).to.equal(0);
  });

  it('start again as a new payment with the default method if their own method was deleted', async () => {
    const id = await held();
    const { paymentMethodId: old } = await engine.acme.accounts.get(account.id);
    const method = { accountId: account.id, pluginName: engine.gateway.name, isDefault: true };
    await engine.acme.paymentMethods.add(method);
    await engine.acme.paymentMethods.delete({ paymentMethodId: old ?? '' });
    engine.gateway.configure(ACCEPT);
    await release();
    expect(await story(id)).to.eql([
      ['PAYMENT_FAILURE 20', 'RETRIED, ABORTED'],
      ['SUCCESS 20', 'SUCCESS'],
    ]);
  });

  it('end if a caller cancels them', async () => {
    const id = await held();
    const [transactionExternalKey] = await keysOf(id);
    await engine.acme.payments.cancelScheduledRetry({ transactionExternalKey: transactionExternalKey ?? '' });
    expect(await holds()).to.equal(0);
    await release();
    await day('2012-09-01');
    expect((await story(id)).map(([transactions]) => transactions)).to.eql(['PAYMENT_FAILURE 20']);
  });

  it('continue with the properties and control plugins of their payment', async () => {
    const id = (await invoices.add('20', { isHeldBack: true })).id;
    await engine.acme.invoicePayments.pay({ invoiceId: id, isExternal: true });
    const { id: other } = await invoices.add('30');
    await release();
    const properties = [
      { key: 'IPCD_RETRIES', value: 'true', isUpdatable: false },
      { key: 'channel', value: 'web', isUpdatable: false },
    ];
    engine.gateway.configure(DECLINE);
    expect((await story(other)).map(([transactions]) => transactions)).to.eql(['PAYMENT_FAILURE 30']);
    await engine.acme.payments.cancelScheduledRetry({
      transactionExternalKey: [...(await keysOf(other))][0] ?? '',
    });
    await engine.acme.invoicePayments.pay({ invoiceId: other, properties, controlPlugins: ['watch'] });
    await hold();
    await day('2012-06-09');
    control.invocations.splice(0);
    engine.gateway.configure(ACCEPT);
    await release();
    expect(control.calls()).to.eql(['priorCall', 'onSuccessCall']);
    expect(control.invocations[0]?.[2].map(({ key }) => key)).to.eql(['IPCD_RETRIES', 'channel']);
    expect((await story(other)).map(([transactions]) => transactions)).to.eql([
      'PAYMENT_FAILURE 30',
      'PAYMENT_FAILURE 30, SUCCESS 30',
    ]);
  });

  it('leave the account overdue while they are held, and clear the overdue state when they succeed', async () => {
    await engine.acme.overdue.upload(OVERDUE);
    const state = async () => (await engine.acme.overdue.ofAccount(account.id)).name;
    const id = await held();
    expect(await state()).to.equal('LATE');
    await release();
    expect([(await story(id)).length, await state()]).to.eql([1, 'LATE']);
    engine.gateway.configure(ACCEPT);
    await day('2012-06-17');
    expect(await invoices.balanceOf(id)).to.equal(0);
    expect(await state()).not.to.equal('LATE');
  });
});
