import type { Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, itemLines, type TestEngine } from '../support/index.ts';
import { Debtor, EIGHT_RETRIES, openStory } from '../support/overdue/debtor.ts';
import { CONFIG_A, CONFIG_C, overdueXml } from '../support/overdue/overdue-documents.ts';

const AUTO_INVOICING_OFF = 'AUTO_INVOICING_OFF';

anyDatabase.describe('overdue debts', (open) => {
  let engine: TestEngine;

  async function begin(config: string, hasCard = true): Promise<Debtor> {
    engine = await openStory(open, config, { retryDays: EIGHT_RETRIES });
    return Debtor.sign(engine, { hasCard });
  }

  async function paymentOf(debtor: Debtor, bill: number): Promise<Uuid> {
    const { id } = await debtor.bill(bill);
    const payments = await engine.acme.payments.invoicePaymentsOfInvoice(id);
    const paid = payments.find(({ totals }) => totals.purchasedAmount.greaterThan(0));
    if (paid === undefined) throw new Error('it is not paid');
    return paid.id;
  }

  /** Creates two invoices that were paid in time, as of 07-05. */
  async function twoPaid(): Promise<Debtor> {
    const debtor = await begin(CONFIG_A);
    await debtor.chronicle.days('2012-05-02', '2012-07-04');
    expect([await debtor.state(), await debtor.owed(), await debtor.check()]).to.eql(['clear', [], null]);
    await engine.runTo('2012-07-05T10:00:00Z');
    return debtor;
  }

  it('include an invoice whose payment is refunded without adjustment (overdue §12 example 6)', async () => {
    const debtor = await twoPaid();
    const paymentId = await paymentOf(debtor, 0);
    await engine.settle(engine.acme.invoicePayments.refund({ paymentId, amount: '249.95' }));
    expect(await debtor.owed()).to.eql(['249.95']);
    expect(await debtor.states()).to.eql(['OD1 from 07-05T10:00:00']);
    expect(await debtor.check()).to.equal('07-10T00:03:42');
  });

  it('include an invoice whose payment is charged back, until the chargeback is reversed (overdue §12 example 6)', async () => {
    const debtor = await twoPaid();
    const key = { paymentId: await paymentOf(debtor, 0), transactionExternalKey: 'dispute' };
    await engine.settle(engine.acme.invoicePayments.chargeback({ ...key, amount: '249.95' }));
    expect(await debtor.owed()).to.eql(['249.95']);
    expect(await debtor.states()).to.eql(['OD1 from 07-05T10:00:00']);
    await engine.runTo('2012-07-06T10:00:00Z');
    await engine.settle(engine.acme.invoicePayments.reverseChargeback(key));
    expect(await debtor.owed()).to.eql([]);
    expect(await debtor.states()).to.eql(['OD1 from 07-05T10:00:00', 'clear from 07-06T10:00:00']);
    expect(await debtor.check()).to.equal(null);
  });

  /** Creates two unpaid invoices and OD1, as of 07-05. */
  async function twoUnpaid(): Promise<Debtor> {
    const debtor = await begin(CONFIG_A);
    Debtor.decline(engine);
    await debtor.chronicle.days('2012-05-02', '2012-07-04');
    await engine.runTo('2012-07-05T10:00:00Z');
    expect([await debtor.state(), await debtor.owed(), await debtor.check()]).to.eql([
      'OD1',
      ['249.95', '249.95'],
      '07-10T00:03:42',
    ]);
    return debtor;
  }

  async function expectClearOf0705(debtor: Debtor): Promise<void> {
    expect(await debtor.owed()).to.eql(['249.95']);
    expect(await debtor.states()).to.eql(['OD1 from 06-30T00:03:42', 'clear from 07-05T10:00:00']);
    // The check on 07-10 is before 07-30 and stays (overdue §6 rule 2); it only schedules the next one.
    expect(await debtor.check()).to.equal('07-10T00:03:42');
    await engine.runTo('2012-07-10T00:03:42Z');
    expect([await debtor.state(), await debtor.check()]).to.eql(['clear', '07-30T00:03:42']);
    await engine.runTo('2012-07-30T00:03:42Z');
    expect((await debtor.states()).at(-1)).to.equal('OD1 from 07-30T00:03:42');
  }

  it('no longer include the first invoice after it is paid by transfer, so that the account becomes clear (overdue §12 example 7)', async () => {
    const debtor = await twoUnpaid();
    await debtor.pay(0);
    await expectClearOf0705(debtor);
  });

  it('no longer include the first invoice after it is adjusted in full, so that the account becomes clear (overdue §12 example 7)', async () => {
    const debtor = await twoUnpaid();
    const { id: invoiceId, accountId, items } = await debtor.bill(0);
    const invoiceItemId = items[0]?.id ?? '';
    await engine.settle(engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId }));
    await expectClearOf0705(debtor);
  });

  it('determine the overdue state by the number of unpaid invoices (overdue §12 example 8)', async () => {
    const debtor = await begin(
      overdueXml({
        states: [
          { name: 'OD3', count: 5, disables: true },
          { name: 'OD2', count: 3, blocksChanges: true },
          { name: 'OD1', count: 2, blocksChanges: true },
        ],
      }),
      false,
    );
    const stages: (string | null)[] = [];
    for (const day of ['05-31', '06-30', '07-31', '08-31', '09-30']) {
      await engine.runTo(`2012-${day}T00:03:42Z`);
      stages.push(await debtor.state());
      expect(await debtor.check(), 'overdue §6: no date brings it about').to.equal(null);
      expect(await debtor.tags()).to.eql(day === '09-30' ? [AUTO_INVOICING_OFF] : []);
    }
    expect(stages).to.eql(['clear', 'OD1', 'OD2', 'OD2', 'OD3']);
    await engine.runTo('2012-10-05T10:00:00Z');
    await debtor.pay(0);
    expect([await debtor.state(), await debtor.tags()]).to.eql(['OD2', []]);
    const repair = (await debtor.invoices()).at(-1);
    if (repair === undefined) throw new Error('no invoice');
    expect(itemLines(repair)).to.eql([
      'REPAIR_ADJ 2012-09-30..2012-10-05 -40.31',
      'CBA_ADJ 2012-10-05..2012-10-05 40.31',
    ]);
    expect(await debtor.owed()).to.eql(['209.64', '249.95', '249.95', '249.95']);
    await engine.runTo('2012-10-06T10:00:00Z');
    await debtor.pay(1);
    expect(await debtor.state()).to.equal('OD2');
    await debtor.pay(2);
    expect([await debtor.state(), (await debtor.owed()).length]).to.eql(['OD1', 2]);
    await debtor.pay(3);
    expect([await debtor.state(), (await debtor.owed()).length]).to.eql(['clear', 1]);
    expect(await debtor.states()).to.eql([
      'OD1 from 06-30T00:03:42',
      'OD2 from 07-31T00:03:42',
      'OD3 from 09-30T00:03:42',
      'OD2 from 10-05T10:00:00',
      'OD1 from 10-06T10:00:00',
      'clear from 10-06T10:00:00',
    ]);
  });

  it('determine the overdue state by the total unpaid amount (overdue §12 example 9)', async () => {
    const debtor = await begin(
      overdueXml({
        states: [
          { name: 'OD3', total: 1200 },
          { name: 'OD2', total: 600 },
          { name: 'OD1', total: 260 },
        ],
      }),
      false,
    );
    const stages: string[] = [];
    for (const day of ['05-31', '06-30', '07-31', '08-31', '09-30']) {
      await engine.runTo(`2012-${day}T00:03:42Z`);
      const { accountBalance } = (await engine.acme.accounts.balances([debtor.accountId])).get(
        debtor.accountId,
      ) ?? { accountBalance: null };
      stages.push(`${accountBalance?.toFixed(2)} ${await debtor.state()}`);
    }
    expect(stages).to.eql(['249.95 clear', '499.90 OD1', '749.85 OD2', '999.80 OD2', '1249.75 OD3']);
  });

  it('date from the oldest invoice that is still unpaid (overdue §12 example 12)', async () => {
    const debtor = await begin(CONFIG_C, false);
    await engine.runTo('2012-05-31T00:03:42Z');
    await engine.runTo('2012-05-31T10:00:00Z');
    await debtor.charge('500');
    expect(await debtor.owed()).to.eql(['249.95', '500']);
    expect(await debtor.check()).to.equal('06-05T00:03:42');
    await engine.runTo('2012-06-02T10:00:00Z');
    await debtor.charge('700');
    await debtor.pay(0);
    await debtor.pay(1);
    expect(await debtor.owed()).to.eql(['700']);
    await engine.runTo('2012-06-03T10:00:00Z');
    await debtor.charge('200');
    expect(await debtor.owed()).to.eql(['700', '200']);
    expect((await debtor.bill(2)).invoiceDate).to.equal('2012-06-02');
    await debtor.chronicle.news();
    expect(await debtor.chronicle.days('2012-06-04', '2012-06-13')).to.eql([
      '06-05 check 06-07T00:03:42',
      '06-07 WARNING from 06-07T00:03:42 blocks changes',
      '06-07 state WARNING',
      '06-07 pro-monthly SERVICE_STATE_CHANGE 06-07T00:03:42 by WARNING',
      '06-07 check 06-09T00:03:42',
      '06-07 published BLOCKING_STATE OVERDUE_CHANGE',
      '06-09 BLOCKED from 06-09T00:03:42 blocks changes, service, billing',
      '06-09 state BLOCKED',
      '06-09 tags AUTO_INVOICING_OFF',
      '06-09 pro-monthly BLOCKED',
      '06-09 pro-monthly PAUSE_ENTITLEMENT 06-09T00:03:42 by BLOCKED',
      '06-09 pro-monthly PAUSE_BILLING 06-09T00:03:42 by BLOCKED',
      '06-09 check 06-13T00:03:42',
      '06-09 published BLOCKING_STATE OVERDUE_CHANGE TAG_CREATION',
      '06-13 invoice 4 of 06-02: CBA_ADJ 06-13..06-13 -174.97',
      '06-13 invoice 4 owes 525.03',
      '06-13 invoice 6 of 06-13: REPAIR_ADJ 06-09..06-30 -174.97',
      '06-13 invoice 6 of 06-13: CBA_ADJ 06-13..06-13 174.97',
      '06-13 invoice 6 owes 0',
      '06-13 CANCELLATION from 06-13T00:03:42 blocks nothing',
      '06-13 state CANCELLATION',
      '06-13 no tags',
      '06-13 pro-monthly CANCELLED, service ends 06-13, billing ends 06-13',
      '06-13 pro-monthly RESUME_ENTITLEMENT 06-13T00:03:42 by CANCELLATION',
      '06-13 pro-monthly RESUME_BILLING 06-13T00:03:42 by CANCELLATION',
      '06-13 account owes 725.03, has 0',
      '06-13 no check',
      '06-13 published BLOCKING_STATE ENTITLEMENT_CANCEL INVOICE_ADJUSTMENT INVOICE_CREATION OVERDUE_CHANGE SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL TAG_DELETION',
    ]);
  });

  it('put the account directly into the state that is due when a late check runs (overdue §12 example 13)', async () => {
    const debtor = await begin(CONFIG_C);
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    expect(await debtor.check()).to.equal('06-05T00:03:42');
    await engine.runTo('2012-06-08T10:00:00Z');
    expect(await debtor.states()).to.eql(['BLOCKED from 06-07T00:03:42']);
    expect(await debtor.owed()).to.eql(['249.95']);
    expect(await debtor.tags()).to.eql([AUTO_INVOICING_OFF]);
    expect(await debtor.check()).to.equal('06-11T00:03:42');
  });
});
