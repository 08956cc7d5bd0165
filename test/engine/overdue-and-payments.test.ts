import { SystemTag } from '../../lib/index.ts';
import { anyDatabase, expect, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { CONFIG_C, configB, overdueXml } from '../support/overdue/overdue-documents.ts';
import { overdueEntries } from '../support/overdue/overdue-rows.ts';

const PAID_THEN = 'ACTION_RETURN_PLUGIN_STATUS_PENDING';

anyDatabase.describe('overdue rules', (open) => {
  let engine: TestEngine;

  const begin = async (config: string, input: Parameters<typeof Debtor.sign>[1] = {}) => {
    engine = await openStory(open, config);
    return Debtor.sign(engine, input);
  };

  describe('for unpaid invoices (overdue §5.4)', () => {
    it('treat an invoice with a PENDING payment as unpaid until the payment becomes a SUCCESS', async () => {
      const debtor = await begin(configB());
      engine.gateway.configure({ CONFIGURE_ACTION: PAID_THEN, METHODS: 'purchasePayment', TIMES: 1 });
      await debtor.chronicle.days('2012-05-02', '2012-06-05');
      expect([await debtor.state(), await debtor.owed()]).to.eql(['OD1', ['249.95']]);
      const { id } = await debtor.bill(0);
      const [payment] = await engine.acme.payments.invoicePaymentsOfInvoice(id);
      expect(payment?.transactions.map(({ status }) => status)).to.eql(['PENDING']);
      await engine.runTo('2012-06-05T10:00:00Z');
      await engine.settle(engine.acme.invoicePayments.complete({ paymentId: payment?.id ?? '' }));
      expect([await debtor.state(), await debtor.owed()]).to.eql(['clear', []]);
      expect((await debtor.states()).at(-1)).to.equal('clear from 06-05T10:00:00');
    });

    it('treat an invoice with an UNKNOWN payment as unpaid', async () => {
      const debtor = await begin(configB());
      engine.gateway.configure({
        CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_UNDEFINED',
        METHODS: 'purchasePayment',
        TIMES: 1,
      });
      await engine.runTo('2012-05-31T00:03:42Z');
      await engine.runTo('2012-06-05T00:03:42Z');
      expect(await debtor.owed()).to.eql(['249.95']);
      // The gateway is queried once more that day and can still report the payment as successful (overdue §5.2).
      await engine.runTo('2012-06-05T23:59:59Z');
      expect(await debtor.owed()).to.eql(['249.95']);
      expect(await debtor.states()).to.eql(['OD1 from 06-05T00:03:42']);
    });

    it('count only the unpaid amount of a partly paid invoice', async () => {
      const debtor = await begin(
        overdueXml({
          states: [
            { name: 'MUCH', total: 200 },
            { name: 'ANY', time: 0 },
          ],
        }),
        { hasCard: false },
      );
      await engine.runTo('2012-05-31T00:03:42Z');
      const found = [await debtor.state()];
      for (const amount of ['49.95', '0.01', '199.98', '0.01']) {
        await debtor.pay(0, { amount });
        found.push(`${await debtor.owed()} ${await debtor.state()}`);
      }
      expect(found).to.eql(['MUCH', '200 MUCH', '199.99 ANY', '0.01 ANY', ' clear']);
    });

    it('clear the overdue state when a credit exceeds the unpaid amount', async () => {
      const debtor = await begin(configB(), { hasCard: false });
      await debtor.chronicle.days('2012-05-02', '2012-06-05');
      expect(await debtor.state()).to.equal('OD1');
      await debtor.chronicle.news();
      const { accountId } = debtor;
      await engine.acme.invoices.addCredits({ accountId, items: [{ amount: '300' }], autoCommit: true });
      await engine.settle();
      expect([await debtor.state(), await debtor.owed(), await debtor.check()]).to.eql(['clear', [], null]);
      const events = (await debtor.chronicle.news()).find((line) => line.startsWith('published'));
      expect(events).to.include('INVOICE_ADJUSTMENT').and.to.include('OVERDUE_CHANGE');
    });

    for (const tag of ['AUTO_PAY_OFF', 'MANUAL_PAY'] as const)
      it(`age unpaid invoices normally even with the tag ${tag}`, async () => {
        const debtor = await begin(configB());
        await debtor.tag(SystemTag[tag]);
        await debtor.chronicle.days('2012-05-02', '2012-06-05');
        expect(await debtor.states()).to.eql(['OD1 from 06-05T00:03:42']);
      });

    it('clear the overdue state when the debt is paid while the account is disabled', async () => {
      const debtor = await begin(CONFIG_C);
      Debtor.decline(engine);
      await debtor.chronicle.days('2012-05-02', '2012-06-07');
      expect(await debtor.state()).to.equal('BLOCKED');
      Debtor.accept(engine);
      await debtor.pay(0, { isExternal: false });
      expect([await debtor.state(), await debtor.owed(), await debtor.tags()]).to.eql(['clear', [], []]);
    });

    it('cause only one refresh if several invoices are paid in one call', async () => {
      const debtor = await begin(configB(), { hasCard: false, planName: null });
      for (const amount of ['10', '20', '30']) await debtor.charge(amount);
      await engine.runTo('2012-05-06T00:03:42Z');
      expect(await debtor.state()).to.equal('OD1');
      const before = await overdueEntries(engine.database, debtor.accountId);
      await debtor.payAll();
      const after = await overdueEntries(engine.database, debtor.accountId);
      expect(await debtor.state()).to.equal('clear');
      expect(after.length - before.length, 'entries of overdue').to.be.at.most(1);
    });
  });

  describe('for state dates', () => {
    it('start a state at the time of the event in a refresh, but at the scheduled time in a check (overdue §5.3 rule 1)', async () => {
      const debtor = await begin(configB(), { hasCard: false });
      await engine.runTo('2012-05-31T00:03:42Z');
      await engine.runTo('2012-06-05T18:30:00Z');
      expect(await debtor.states()).to.eql(['OD1 from 06-05T00:03:42']);
      await debtor.payAll();
      expect((await debtor.states()).at(-1)).to.equal('clear from 06-05T18:30:00');
    });

    it('start a state on the scheduled date if the check runs days late and the state was already due on that date (overdue §5.3 rule 1)', async () => {
      const debtor = await begin(configB(), { hasCard: false });
      await engine.runTo('2012-05-31T00:03:42Z');
      await engine.runTo('2012-06-09T18:30:00Z');
      expect(await debtor.states()).to.eql(['OD1 from 06-05T00:03:42']);
    });

    it('never start a state before the dates of the invoices that cause it (overdue §5.3 rule 2)', async () => {
      const debtor = await begin(
        overdueXml({
          states: [
            { name: 'TWO', count: 2, disables: true },
            { name: 'ONE', time: 5 },
          ],
        }),
        { hasCard: false },
      );
      await engine.runTo('2012-05-31T00:03:42Z');
      engine.clock.set('2012-06-09T18:30:00Z');
      await debtor.charge('1');
      expect(await debtor.states()).to.eql(['TWO from 06-09T00:03:42']);
    });

    it('start a state after the scheduled date if the state became due only later (overdue §5.3 rule 2)', async () => {
      const debtor = await begin(CONFIG_C, { hasCard: false });
      await engine.runTo('2012-05-31T00:03:42Z');
      await engine.runTo('2012-06-20T18:30:00Z');
      expect(await debtor.states()).to.eql(['CANCELLATION from 06-11T00:03:42']);
      const lines = await debtor.chronicle.news();
      expect(lines).to.include('pro-monthly CANCELLED, service ends 06-11, billing ends 06-11');
    });
  });
});
