import { formatDecimal, type MonthsRequest, type Uuid } from '../../lib/index.ts';
import { eachDatabase, engineBeforeEach, expect, expectCode } from '../support/index.ts';
import { afterDays } from '../support/overdue/stage-configs.ts';
import type { Account } from '../support/plain-views.ts';

const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;
const ACCEPT = { CONFIGURE_ACTION: 'ACTION_CLEAR' } as const;
const MINUTE_MS = 60_000;

eachDatabase.describe('reports and searches', (open) => {
  let account: Account;

  const engine = engineBeforeEach(open, {
    now: '2026-03-10T10:00:00Z',
    configuration: { 'org.service.payment.retry.days': '3,3' },
  });
  const { acme } = engine;

  beforeEach(async () => {
    account = await engine.payingAccount({
      currency: 'USD',
      name: 'Ada Lovelace',
      email: 'ada@example.com',
      externalKey: 'ada-key',
    });
  });

  /** Returns each month and currency as a line, after all counts are complete. */
  async function months(request?: MonthsRequest): Promise<readonly string[]> {
    for (;;) {
      const { isComplete, months: found } = await acme.reports.months(request);
      if (!isComplete) continue;
      return found.flatMap(({ month, currencies }) =>
        currencies.map((each) => {
          const failed = `failed ${each.failedCount}: ${formatDecimal(each.failedAmount)}`;
          const recovered = `recovered ${each.recoveredCount}: ${formatDecimal(each.recoveredAmount)}`;
          const invoiced = `invoiced ${each.invoiceCount}: ${formatDecimal(each.invoiced)}`;
          return `${month} ${each.currency} ${invoiced}, collected ${formatDecimal(each.collected)}, ${failed}, ${recovered}`;
        }),
      );
    }
  }

  const quarter = { from: '2026-03', to: '2026-05' };

  /** Makes the figures of all months stale. */
  function age(): void {
    engine.systemClock.push(24 * 60 * MINUTE_MS);
  }

  async function pay(accountId: Uuid, amount: string) {
    return acme.payments.purchase({ accountId, amount });
  }

  describe('by month', () => {
    it('sum invoices, payments, failures and recoveries by month and currency', async () => {
      engine.gateway.configure(DECLINE);
      await engine.settle(engine.charge(account.id, '40', '2.50'));
      engine.gateway.configure(ACCEPT);
      const other = await engine.payingAccount({ currency: 'EUR' });
      await engine.settle(engine.charge(other.id, '7'));
      await engine.runTo('2026-04-02T10:00:00Z');
      await engine.settle(engine.charge(account.id, '10'));
      expect(await months(quarter)).to.eql([
        '2026-03 EUR invoiced 1: 7, collected 7, failed 0: 0, recovered 0: 0',
        '2026-03 USD invoiced 1: 42.5, collected 0, failed 1: 42.5, recovered 0: 0',
        '2026-04 USD invoiced 1: 10, collected 52.5, failed 0: 0, recovered 1: 42.5',
      ]);
    });

    it('subtract refunds, payouts and chargebacks in their own month, and add reversals back', async () => {
      const { payment } = await pay(account.id, '100');
      await engine.runTo('2026-04-10T10:00:00Z');
      await acme.payments.refund({ paymentId: payment.id, amount: '30' });
      const { transaction } = await acme.payments.chargeback({ paymentId: payment.id, amount: '20' });
      await acme.payments.credit({ accountId: account.id, amount: '5' });
      await engine.runTo('2026-05-10T10:00:00Z');
      const { externalKey: transactionExternalKey } = transaction;
      await acme.payments.reverseChargeback({ paymentId: payment.id, transactionExternalKey });
      expect(await months(quarter)).to.eql([
        '2026-03 USD invoiced 0: 0, collected 100, failed 0: 0, recovered 0: 0',
        '2026-04 USD invoiced 0: 0, collected -55, failed 0: 0, recovered 0: 0',
        '2026-05 USD invoiced 0: 0, collected 20, failed 0: 0, recovered 0: 0',
      ]);
    });

    it('count captures but neither authorizations nor their voids', async () => {
      const { id: accountId } = account;
      const { payment: captured } = await acme.payments.authorize({ accountId, amount: '50' });
      await acme.payments.capture({ paymentId: captured.id, amount: '30' });
      const { payment: voided } = await acme.payments.authorize({ accountId, amount: '70' });
      await acme.payments.void({ paymentId: voided.id });
      expect(await months(quarter)).to.eql([
        '2026-03 USD invoiced 0: 0, collected 30, failed 0: 0, recovered 0: 0',
      ]);
    });

    it('count adjustments and voids in the month of their invoice', async () => {
      const adjusted = await engine.charge(account.id, '40');
      const voided = await engine.charge(account.id, '15');
      engine.gateway.configure(DECLINE);
      await engine.settle();
      expect(await months(quarter)).to.include.members([
        '2026-03 USD invoiced 2: 55, collected 0, failed 2: 55, recovered 0: 0',
      ]);
      engine.clock.set('2026-05-20T00:00:00Z');
      const [item] = adjusted.items;
      const invoiceItemId = item?.id as Uuid;
      await acme.invoices.adjustItem({
        accountId: account.id,
        invoiceId: adjusted.id,
        invoiceItemId,
        amount: '12',
      });
      await acme.invoices.void(voided.id);
      age();
      expect(await months({ from: '2026-03', to: '2026-03' })).to.eql([
        '2026-03 USD invoiced 1: 28, collected 0, failed 2: 55, recovered 0: 0',
      ]);
    });

    it('cache the figures of the current and the previous month for a minute, and the figures of earlier months for a day', async () => {
      const countedAt = async () =>
        (await acme.reports.months(quarter)).months.map((each) => each.countedAt?.getTime());
      await engine.runTo('2026-05-10T10:00:00Z');
      await months(quarter);
      const first = await countedAt();
      engine.systemClock.push(MINUTE_MS / 2);
      expect(await countedAt()).to.eql(first);
      engine.systemClock.push(MINUTE_MS);
      const [march, april, may] = await countedAt();
      expect(march).to.equal(first[0]);
      expect(april).to.be.above(Number(first[1]));
      expect(may).to.be.above(Number(first[2]));
      age();
      const [later] = await countedAt();
      expect(later).to.be.above(Number(first[0]));
    });

    it('cover the current month and the previous 11 months by default', async () => {
      const { months: found } = await acme.reports.months();
      expect(found.map(({ month }) => month)).to.have.length(12);
      expect([found[0]?.month, found.at(-1)?.month]).to.eql(['2025-04', '2026-03']);
      const { months: two } = await acme.reports.months({ from: '2026-02' });
      expect(two.map(({ month }) => month)).to.eql(['2026-02', '2026-03']);
    });

    for (const request of [
      { from: '2026-13' },
      { to: 'May' },
      { from: '2026-05', to: '2026-03' },
      { from: '2020-01' },
    ])
      it(`reject the range ${JSON.stringify(request)}`, async () => {
        await expectCode(acme.reports.months(request), 'INVALID_PARAMETER');
      });
  });

  describe('on subscriptions', () => {
    it('count the billed subscriptions and their quantities by plan', async () => {
      const { id: accountId } = account;
      const plans = async () => (await acme.reports.subscriptions()).plans;
      expect(await plans()).to.eql([]);
      const planName = 'solo-monthly';
      const { subscriptionId } = await engine.subscribe({ accountId, planName, quantity: 3 });
      await engine.subscribe({ accountId, planName });
      const { subscriptionId: ended } = await engine.subscribe({ accountId, planName });
      await engine.cancelNow(ended);
      engine.systemClock.push(10 * MINUTE_MS);
      expect(await plans()).to.eql([{ planName, subscriptions: 2, quantity: 4 }]);
      await acme.subscriptions.changeQuantity(subscriptionId, { quantity: 5 });
      await engine.runTo('2026-04-10T10:00:00Z');
      expect(await plans()).to.eql([{ planName, subscriptions: 2, quantity: 6 }]);
    });
  });

  describe('on overdue states', () => {
    it('count and list the accounts in each state until they are clear', async () => {
      await acme.overdue.upload({
        overdueStates: [afterDays('OD2', 20, {}), afterDays('OD1', 3, {})],
      });
      engine.gateway.configure(DECLINE);
      await engine.settle(engine.charge(account.id, '40'));
      const other = await acme.createAccount({ currency: 'USD', name: 'Bob' });
      await engine.runTo('2026-03-20T10:00:00Z');
      await engine.settle(engine.charge(other.id, '7'));
      await engine.runTo('2026-03-25T10:00:00Z');
      expect((await acme.reports.overdue()).states).to.eql([{ name: 'OD1', accounts: 2 }]);
      await engine.runTo('2026-04-02T10:00:00Z');
      expect((await acme.reports.overdue()).states).to.eql([
        { name: 'OD1', accounts: 1 },
        { name: 'OD2', accounts: 1 },
      ]);
      const page = { offset: 0, limit: 10 };
      const listed = async (state?: string) =>
        (await acme.overdue.accounts({ ...page, ...(state === undefined ? {} : { state }) })).rows.map(
          (each) => `${each.name} ${each.state}`,
        );
      expect(await listed()).to.eql(['Ada Lovelace OD2', 'Bob OD1']);
      expect(await listed('OD1')).to.eql(['Bob OD1']);
      expect(await listed('OD3')).to.eql([]);
      engine.gateway.configure(ACCEPT);
      await engine.settle(acme.invoicePayments.payAll({ accountId: account.id }));
      expect(await listed()).to.eql(['Bob OD1']);
      expect((await acme.reports.overdue()).states).to.eql([{ name: 'OD1', accounts: 1 }]);
    });
  });

  describe('on failed payments', () => {
    it('list the latest failures with the account, the invoice, the error and the outcome of retries', async () => {
      engine.gateway.configure(DECLINE);
      const { id: invoiceId } = await engine.charge(account.id, '40');
      await engine.settle();
      const [failed, ...others] = await acme.reports.failedPayments();
      expect(others).to.eql([]);
      expect(failed).to.deep.include({
        accountId: account.id,
        accountName: 'Ada Lovelace',
        accountKey: 'ada-key',
        invoiceId,
        currency: 'USD',
        status: 'PAYMENT_FAILURE',
        transactionType: 'PURCHASE',
        isRecovered: false,
      });
      expect(failed?.amount?.toString()).to.equal('40');
      engine.gateway.configure(ACCEPT);
      await engine.runTo('2026-03-13T10:00:00Z');
      await pay(account.id, '1');
      const [recovered] = await acme.reports.failedPayments();
      expect(recovered?.isRecovered).to.equal(true);
      await engine.runTo('2026-03-18T10:00:00Z');
      expect(await acme.reports.failedPayments()).to.eql([]);
      expect(await acme.reports.failedPayments({ from: '2026-03-01T00:00:00Z' })).to.have.length(1);
    });

    it('list a failure as recovered if a later payment pays the invoice', async () => {
      engine.gateway.configure(DECLINE);
      const { id: invoiceId } = await engine.charge(account.id, '40');
      await engine.settle();
      await pay(account.id, '1');
      engine.gateway.configure(ACCEPT);
      await pay(account.id, '2');
      const recovered = async () => (await acme.reports.failedPayments()).map((each) => each.isRecovered);
      expect(await recovered()).to.eql([false, false]);
      await engine.settle(acme.invoicePayments.payAll({ accountId: account.id }));
      const failures = await acme.reports.failedPayments();
      const ofInvoice = failures.filter((each) => each.invoiceId === invoiceId);
      expect(ofInvoice.map((each) => each.isRecovered)).to.eql([true]);
      expect(await recovered()).to.have.members([true, false]);
    });

    it('reject invalid limits and ranges', async () => {
      await expectCode(acme.reports.failedPayments({ limit: 0 }), 'INVALID_PARAMETER');
      await expectCode(acme.reports.failedPayments({ limit: 101 }), 'INVALID_PARAMETER');
      await expectCode(acme.reports.failedPayments({ from: '2025-01-01T00:00:00Z' }), 'INVALID_PARAMETER');
    });
  });

  describe('by text', () => {
    const found = async (text: string) =>
      (await acme.reports.find({ text })).map(({ kind, title }) => `${kind} ${title}`);

    it('find accounts by id, key or part of a text field, with exact matches first', async () => {
      await acme.createAccount({ currency: 'USD', name: 'Ada Lovelace and Sons', externalKey: 'sons' });
      const both = ['ACCOUNT Ada Lovelace', 'ACCOUNT Ada Lovelace and Sons'];
      expect(await found('ada lovelace')).to.eql(both);
      expect(await found(' LOVE ')).to.have.members(both);
      expect(await found('ada@example.com')).to.eql(['ACCOUNT Ada Lovelace']);
      expect(await found('ada-key')).to.eql(['ACCOUNT Ada Lovelace']);
      expect(await found(account.id.toUpperCase())).to.eql(['ACCOUNT Ada Lovelace']);
      expect(await found('Charles')).to.eql([]);
      expect(await found(' ')).to.eql([]);
      expect(await found('a')).to.eql([]);
      const [first] = await acme.reports.find({ text: 'ada', limit: 1 });
      expect(first).to.deep.include({ accountId: account.id, detail: 'ada-key · ada@example.com' });
    });

    it('find invoices, payments, subscriptions and bundles by id, number and key', async () => {
      const { id: accountId } = account;
      const invoice = await engine.charge(accountId, '40');
      const { payment, transaction } = await acme.payments.purchase({
        accountId,
        amount: '5',
        externalKey: 'pay-1',
        transactionExternalKey: 'tx-1',
      });
      const { subscriptionId, bundleId } = await engine.subscribe({
        accountId,
        planName: 'solo-monthly',
        externalKey: 'sub-1',
        bundleExternalKey: 'bundle-1',
      });
      const asInvoice = [`INVOICE ${invoice.invoiceNumber}`];
      expect(await found(String(invoice.invoiceNumber))).to.include.members(asInvoice);
      expect(await found(invoice.id)).to.eql(asInvoice);
      const asPayment = [`PAYMENT ${payment.paymentNumber}`];
      for (const text of [payment.id, transaction.id, 'pay-1', 'tx-1'])
        expect(await found(text), text).to.eql(asPayment);
      for (const text of [subscriptionId, 'sub-1'])
        expect(await found(text), text).to.eql(['SUBSCRIPTION sub-1']);
      for (const text of [bundleId, 'bundle-1']) expect(await found(text), text).to.eql(['BUNDLE bundle-1']);
      const [shown] = await acme.reports.find({ text: invoice.id });
      expect(shown).to.deep.include({
        accountId,
        accountName: 'Ada Lovelace',
        detail: '2026-03-10 · 40 USD · COMMITTED',
      });
    });

    it('reject invalid limits', async () => {
      await expectCode(acme.reports.find({ text: 'ada', limit: 21 }), 'INVALID_PARAMETER');
    });
  });
});
