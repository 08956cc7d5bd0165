import { SystemTag, type Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { configB, overdueXml } from '../support/overdue/overdue-documents.ts';
import { overdueEntries, pendingRefreshes } from '../support/overdue/overdue-rows.ts';

const NOW = '2024-03-01T12:00:00Z';
/** One unpaid invoice is enough. */
const AT_ONCE = overdueXml({ states: [{ name: 'LATE', count: 1, blocksChanges: true }] });
const BY_TOTAL = overdueXml({ states: [{ name: 'LATE', total: 20 }] });

anyDatabase.describe('overdue triggers (overdue §7)', (open) => {
  let engine: TestEngine;

  async function begin(config = AT_ONCE, hasCard = false): Promise<Debtor> {
    engine = await openStory(open, config, { now: NOW, catalog: null });
    return Debtor.sign(engine, { hasCard, planName: null });
  }

  async function paymentOf(invoiceId: Uuid): Promise<Uuid> {
    const payments = await engine.acme.payments.invoicePaymentsOfInvoice(invoiceId);
    const paid = payments.find(({ totals }) => totals.purchasedAmount.greaterThan(0));
    if (paid === undefined) throw new Error('it is not paid');
    return paid.id;
  }

  const later = (hours: number) => {
    engine.clock.advance({ hours });
  };

  it('include a successful payment', async () => {
    const debtor = await begin();
    await debtor.charge('10');
    expect(await debtor.state()).to.equal('LATE');
    later(1);
    await debtor.pay(0);
    expect(await debtor.states()).to.eql(['LATE from 2024-03-01T12:00:00', 'clear from 2024-03-01T13:00:00']);
  });

  it('include a failed payment', async () => {
    const debtor = await begin(overdueXml({ states: [{ name: 'LATE', responses: ['EXPIRED_CARD'] }] }), true);
    Debtor.decline(engine);
    const { id: invoiceId } = await debtor.charge('10');
    expect(await debtor.state()).to.equal('clear');
    Debtor.decline(engine, 'EXPIRED_CARD');
    await engine.settle(engine.acme.invoicePayments.pay({ invoiceId }));
    expect(await debtor.state()).to.equal('LATE');
  });

  it('include a refund, a chargeback and its reversal', async () => {
    const debtor = await begin(AT_ONCE, true);
    const { id } = await debtor.charge('10');
    expect(await debtor.state()).to.equal('clear');
    const paymentId = await paymentOf(id);
    const { invoicePayments } = engine.acme;
    await engine.settle(invoicePayments.refund({ paymentId, amount: '4' }));
    expect(await debtor.state()).to.equal('LATE');
    await debtor.pay(0);
    expect(await debtor.state()).to.equal('clear');
    const key = { paymentId, transactionExternalKey: 'dispute' };
    await engine.settle(invoicePayments.chargeback({ ...key, amount: '6' }));
    expect(await debtor.state()).to.equal('LATE');
    await engine.settle(invoicePayments.reverseChargeback(key));
    expect(await debtor.state()).to.equal('clear');
  });

  it('include a new invoice for which no payment is attempted', async () => {
    const debtor = await begin();
    await debtor.tag(SystemTag.AUTO_PAY_OFF);
    await debtor.charge('10');
    expect(await debtor.state()).to.equal('LATE');
  });

  it('include the commit of a draft', async () => {
    const debtor = await begin();
    const { id } = await debtor.charge('10', false);
    expect(await debtor.state()).to.equal('clear');
    await engine.settle(engine.acme.invoices.commit(id));
    expect(await debtor.state()).to.equal('LATE');
  });

  it('include an item adjustment', async () => {
    const debtor = await begin(BY_TOTAL);
    const { accountId, id: invoiceId, items } = await debtor.charge('25');
    expect(await debtor.state()).to.equal('LATE');
    const invoiceItemId = items[0]?.id ?? '';
    await engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId, amount: '5.01' });
    await engine.settle();
    expect(await debtor.state()).to.equal('clear');
  });

  it('include the use and the return of credit', async () => {
    const debtor = await begin();
    const { accountId } = debtor;
    await debtor.charge('10');
    expect(await debtor.state()).to.equal('LATE');
    const [credit] = await engine.acme.invoices.addCredits({
      accountId,
      items: [{ amount: '30' }],
      autoCommit: true,
    });
    await engine.settle();
    expect([await debtor.state(), await debtor.owed()]).to.eql(['clear', []]);
    expect(credit?.itemType).to.equal('CREDIT_ADJ');
  });

  it('include the voiding of an invoice', async () => {
    const debtor = await begin();
    const { id } = await debtor.charge('10');
    expect(await debtor.state()).to.equal('LATE');
    await engine.settle(engine.acme.invoices.void(id));
    expect(await debtor.state()).to.equal('clear');
  });

  it('include adding WRITTEN_OFF to an invoice and removing the tag', async () => {
    const debtor = await begin();
    const { id } = await debtor.charge('10');
    await debtor.tag(SystemTag.WRITTEN_OFF, 'on', id);
    expect(await debtor.state()).to.equal('clear');
    await debtor.tag(SystemTag.WRITTEN_OFF, 'off', id);
    expect(await debtor.state()).to.equal('LATE');
  });

  it('include a change of the parent or of payment delegation', async () => {
    const child = await begin();
    const parents = [
      await Debtor.sign(engine, { planName: null }),
      await Debtor.sign(engine, { planName: null }),
    ];
    const [debtFree = '', indebted = ''] = parents.map(({ accountId }) => accountId);
    await engine.acme.tags.add({ type: 'ACCOUNT', id: indebted }, [SystemTag.AUTO_PAY_OFF]);
    await parents[1]?.charge('10');
    await child.charge('5');
    const found: string[] = [await child.state()];
    const changes = [
      { parentAccountId: debtFree, isPaymentDelegatedToParent: true },
      { parentAccountId: indebted },
      { parentAccountId: debtFree },
      { isPaymentDelegatedToParent: false },
      { parentAccountId: indebted },
      { isPaymentDelegatedToParent: true },
    ];
    for (const each of changes) {
      await engine.settle(engine.acme.updateAccount(child.accountId, { changes: each }));
      found.push(await child.state());
    }
    expect(found).to.eql(['LATE', 'clear', 'LATE', 'clear', 'LATE', 'LATE', 'LATE']);
    expect(await Promise.all(parents.map((each) => each.state()))).to.eql(['clear', 'LATE']);
  });

  it('include adding OVERDUE_ENFORCEMENT_OFF, which clears the account, and removing the tag, which evaluates the account', async () => {
    const debtor = await begin(configB());
    await debtor.charge('10');
    await engine.runTo('2024-03-06T12:00:00Z');
    expect([await debtor.state(), await debtor.check()]).to.eql(['OD1', '2024-03-11T12:00:00']);
    await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
    expect([await debtor.state(), await debtor.check()]).to.eql(['clear', null]);
    await debtor.charge('20');
    await engine.runTo('2024-04-06T12:00:00Z');
    expect([await debtor.state(), await debtor.check()]).to.eql(['clear', null]);
    await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
    expect([await debtor.state(), await debtor.check()]).to.eql(['OD1', '2024-04-11T12:00:00']);
  });

  it('include only the control tags specified in the configuration', async () => {
    const debtor = await begin(
      overdueXml({
        states: [
          { name: 'LATE', count: 1, tagOut: 'PARTNER' },
          { name: 'TESTED', count: 1, tagIn: 'TEST' },
        ],
      }),
    );
    await debtor.charge('10');
    const refreshes = async () => (await overdueEntries(engine.database, debtor.accountId)).length;
    const found: string[] = [];
    let known = await refreshes();
    for (const [tag, how] of [
      ['PARTNER', 'on'],
      ['TEST', 'on'],
      ['PARTNER', 'off'],
      ['AUTO_PAY_OFF', 'on'],
      ['AUTO_INVOICING_DRAFT', 'on'],
      ['TEST', 'off'],
    ] as const) {
      await debtor.tag(SystemTag[tag], how);
      const now = await refreshes();
      found.push(`${tag} ${how}: ${now > known ? 'looked at' : 'not'}, ${await debtor.state()}`);
      known = now;
    }
    expect(found).to.eql([
      'PARTNER on: looked at, clear',
      'TEST on: looked at, TESTED',
      'PARTNER off: looked at, LATE',
      'AUTO_PAY_OFF on: not, LATE',
      'AUTO_INVOICING_DRAFT on: not, LATE',
      'TEST off: looked at, LATE',
    ]);
  });

  it('include a scheduled check', async () => {
    const debtor = await begin(configB());
    await debtor.charge('10');
    expect([await debtor.state(), await debtor.check()]).to.eql(['clear', '2024-03-06T12:00:00']);
    await engine.runTo('2024-03-06T12:00:00Z');
    expect(await debtor.state()).to.equal('OD1');
  });

  it('include events that the tenant does not push', async () => {
    const skipped = [
      'INVOICE_CREATION',
      'INVOICE_PAYMENT_FAILED',
      'INVOICE_PAYMENT_SUCCESS',
      'TAG_CREATION',
      'OVERDUE_CHANGE',
    ];
    engine = await openStory(open, AT_ONCE, {
      now: NOW,
      catalog: null,
      configuration: { 'org.service.billing.server.event.post.type.skip': skipped.join(',') },
    });
    const debtor = await Debtor.sign(engine, { hasCard: false, planName: null });
    await debtor.charge('10');
    expect(await debtor.state()).to.equal('LATE');
    await debtor.pay(0);
    expect(await debtor.state()).to.equal('clear');
  });

  describe('refresh requests', () => {
    /** Adds a charge without processing the work that it causes. */
    async function chargeOnly(debtor: Debtor, amount: string): Promise<Uuid> {
      const { accountId } = debtor;
      const items = [{ amount }];
      const [item] = await engine.acme.invoices.addCharges({ accountId, items, autoCommit: true });
      return item?.invoiceId as Uuid;
    }

    it('queue only one refresh for each account (rule 1)', async () => {
      const debtor = await begin();
      for (const amount of ['1', '2', '3']) await chargeOnly(debtor, amount);
      expect(await pendingRefreshes(engine.database, debtor.accountId)).to.have.length(1);
      await engine.settle();
      expect(await debtor.states()).to.eql(['LATE from 2024-03-01T12:00:00']);
      expect(await pendingRefreshes(engine.database, debtor.accountId)).to.eql([]);
    });

    it('do not replace a queued request to clear the account (rule 1)', async () => {
      const debtor = await begin();
      await debtor.charge('10');
      await chargeOnly(debtor, '20');
      const object = { type: 'ACCOUNT', id: debtor.accountId } as const;
      await engine.acme.tags.add(object, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
      expect(await pendingRefreshes(engine.database, debtor.accountId)).to.have.length(2);
      await engine.settle();
      expect(await debtor.states()).to.eql([
        'LATE from 2024-03-01T12:00:00',
        'clear from 2024-03-01T12:00:00',
      ]);
    });

    it('cause no refresh without conditions or without a configuration (rule 2)', async () => {
      const debtor = await begin(
        '<overdueConfig><accountOverdueStates><state name="Clear"><isClearState>true</isClearState></state></accountOverdueStates></overdueConfig>',
      );
      await debtor.charge('10');
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
      await debtor.pay(0);
      expect(await overdueEntries(engine.database, debtor.accountId)).to.eql([]);
      expect(await debtor.state()).to.equal('clear');
    });

    it('have no effect on an exempt account (rule 3)', async () => {
      const debtor = await begin();
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
      await debtor.charge('10');
      expect([await debtor.states(), await debtor.check()]).to.eql([[], null]);
    });

    it('write nothing if the account to clear is already clear (rule 4)', async () => {
      const debtor = await begin();
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
      expect(await debtor.states()).to.eql([]);
      expect((await debtor.chronicle.news()).filter((line) => line.includes('OVERDUE_CHANGE'))).to.eql([]);
    });
  });
});
