import { SystemTag } from '../../lib/index.ts';
import { anyDatabase, expect, expectCode, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { CONFIG_D, configB } from '../support/overdue/overdue-documents.ts';

anyDatabase.describe('overdue rules for tags, cancellations, parents and JSON uploads', (open) => {
  let engine: TestEngine;

  it('clear an exempt account, and keep it clear until OVERDUE_ENFORCEMENT_OFF is removed (overdue §12 example 10)', async () => {
    engine = await openStory(open, configB());
    const debtor = await Debtor.sign(engine, { hasCard: false });
    await debtor.chronicle.days('2012-05-02', '2012-06-05');
    await engine.runTo('2012-06-06T10:00:00Z');
    expect(await debtor.states()).to.eql(['OD1 from 06-05T00:03:42']);
    await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
    expect([await debtor.state(), await debtor.check()]).to.eql(['clear', null]);
    await engine.runTo('2012-06-06T11:00:00Z');
    await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
    expect(await debtor.states()).to.eql([
      'OD1 from 06-05T00:03:42',
      'clear from 06-06T10:00:00',
      'OD1 from 06-06T11:00:00',
    ]);
  });

  it('keep an account with a written-off invoice clear until the write-off is removed (overdue §12 example 10)', async () => {
    engine = await openStory(open, configB());
    const debtor = await Debtor.sign(engine, { hasCard: false });
    await debtor.chronicle.days('2012-05-02', '2012-05-31');
    await engine.runTo('2012-05-31T10:00:00Z');
    const { id } = await debtor.bill(0);
    await debtor.tag(SystemTag.WRITTEN_OFF, 'on', id);
    expect(await debtor.check(), 'overdue §6 rule 3: nothing is unpaid').to.equal(null);
    await debtor.chronicle.days('2012-06-01', '2012-06-05');
    await engine.runTo('2012-06-06T10:00:00Z');
    expect(await debtor.states()).to.eql([]);
    await debtor.tag(SystemTag.WRITTEN_OFF, 'off', id);
    expect(await debtor.states()).to.eql(['OD1 from 06-06T10:00:00']);
  });

  /** Cancels a base and its add-on five days after their first invoice. */
  async function cancelledBy(policy: 'IMMEDIATE' | 'END_OF_TERM'): Promise<readonly string[]> {
    engine = await openStory(open, configB(policy));
    const debtor = await Debtor.sign(engine);
    const { accountId, bundleId } = debtor;
    await engine.subscribe({ accountId, bundleId, planName: 'backup-monthly' });
    await debtor.chronicle.news();
    Debtor.decline(engine);
    await debtor.chronicle.days('2012-05-02', '2012-05-31');
    return debtor.chronicle.days('2012-06-01', '2012-07-31');
  }

  it('cancel the service, and end billing with the term (overdue §12 example 11)', async () => {
    expect(await cancelledBy('END_OF_TERM')).to.eql([
      '06-05 OD1 from 06-05T00:03:42 blocks changes',
      '06-05 state OD1',
      '06-05 pro-monthly CANCELLED, service ends 06-05, billing ends 06-30',
      '06-05 pro-monthly SERVICE_STATE_CHANGE 06-05T00:03:42 by OD1',
      '06-05 backup-monthly CANCELLED, service ends 06-05, billing ends 06-30',
      '06-05 backup-monthly SERVICE_STATE_CHANGE 06-05T00:03:42 by OD1',
      '06-05 check 06-10T00:03:42',
      '06-05 published BLOCKING_STATE ENTITLEMENT_CANCEL ENTITLEMENT_CANCEL OVERDUE_CHANGE SUBSCRIPTION_CANCEL',
      '06-08 invoice 3, try 2: PURCHASE PAYMENT_FAILURE 262.95',
      '06-08 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '06-10 check 06-15T00:03:42',
      '06-15 check 06-20T00:03:42',
      '06-16 invoice 3, try 3: PURCHASE PAYMENT_FAILURE 262.95',
      '06-16 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '06-20 check 06-25T00:03:42',
      '06-24 invoice 3, try 4: PURCHASE PAYMENT_FAILURE 262.95',
      '06-24 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '06-25 check 06-30T00:03:42',
      '06-30 check 07-05T00:03:42',
      '06-30 published SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL',
      '07-05 check 07-10T00:03:42',
      '07-10 check 07-15T00:03:42',
      '07-15 check 07-20T00:03:42',
      '07-20 check 07-25T00:03:42',
      '07-25 check 07-30T00:03:42',
      '07-30 check 08-04T00:03:42',
    ]);
  });

  it('cancel service and billing immediately with IMMEDIATE (overdue §12 example 11)', async () => {
    const lines = await cancelledBy('IMMEDIATE');
    expect(lines.filter((line) => !/ check /.test(line))).to.eql([
      '06-05 invoice 3 of 05-31: CBA_ADJ 06-05..06-05 -219.12',
      '06-05 invoice 3 owes 43.83',
      '06-05 invoice 4 of 06-05: REPAIR_ADJ 06-05..06-30 -208.29',
      '06-05 invoice 4 of 06-05: REPAIR_ADJ 06-05..06-30 -10.83',
      '06-05 invoice 4 of 06-05: CBA_ADJ 06-05..06-05 219.12',
      '06-05 invoice 4 owes 0',
      '06-05 OD1 from 06-05T00:03:42 blocks changes',
      '06-05 state OD1',
      '06-05 pro-monthly CANCELLED, service ends 06-05, billing ends 06-05',
      '06-05 pro-monthly SERVICE_STATE_CHANGE 06-05T00:03:42 by OD1',
      '06-05 backup-monthly CANCELLED, service ends 06-05, billing ends 06-05',
      '06-05 backup-monthly SERVICE_STATE_CHANGE 06-05T00:03:42 by OD1',
      '06-05 account owes 43.83, has 0',
      '06-05 published BLOCKING_STATE ENTITLEMENT_CANCEL ENTITLEMENT_CANCEL INVOICE_ADJUSTMENT INVOICE_CREATION OVERDUE_CHANGE SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL SUBSCRIPTION_CANCEL',
      '06-08 invoice 3, try 2: PURCHASE PAYMENT_FAILURE 43.83',
      '06-08 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '06-16 invoice 3, try 3: PURCHASE PAYMENT_FAILURE 43.83',
      '06-16 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
      '06-24 invoice 3, try 4: PURCHASE PAYMENT_FAILURE 43.83',
      '06-24 published INVOICE_PAYMENT_FAILED PAYMENT_FAILED',
    ]);
  });

  it('apply the debt of the paying parent to both the parent and the child (overdue §12 example 14)', async () => {
    engine = await openStory(open, CONFIG_D);
    const parent = await Debtor.sign(engine, { planName: null });
    const family = { parentAccountId: parent.accountId, hasCard: false };
    const child = await Debtor.sign(engine, { ...family, isPaymentDelegatedToParent: true });
    const other = await Debtor.sign(engine, { ...family, isPaymentDelegatedToParent: false });
    await engine.acme.addPaymentMethod({
      accountId: other.accountId,
      pluginName: '__EXTERNAL_PAYMENT__',
      isDefault: true,
    });
    Debtor.decline(engine);
    const stages: string[][] = [];
    for (const day of ['05-31', '06-01', '06-10', '06-11', '06-19', '06-27']) {
      await engine.runTo(`2012-${day}T00:03:42Z`);
      const members = [parent, child, other];
      const found = await Promise.all(members.map(async (each) => [await each.state(), await each.tags()]));
      stages.push([day, ...found.flat(2)]);
    }
    const off = 'AUTO_INVOICING_OFF';
    expect(stages).to.eql([
      ['05-31', 'clear', 'clear', 'clear'],
      ['06-01', 'clear', 'clear', 'clear'],
      ['06-10', 'clear', 'clear', 'clear'],
      ['06-11', 'OD1', 'OD1', 'clear'],
      ['06-19', 'OD2', off, 'OD2', off, 'clear'],
      ['06-27', 'OD3', off, 'OD3', off, 'clear'],
    ]);
    expect(await parent.owed()).to.eql(['249.95']);
    Debtor.accept(engine);
    await parent.chronicle.news();
    await child.chronicle.news();
    await engine.runTo('2012-06-27T10:00:00Z');
    await parent.pay(0, { isExternal: false });
    expect(await parent.chronicle.news()).to.eql([
      'invoice 2 owes 0',
      'invoice 2, try 5: PURCHASE SUCCESS 249.95',
      'clear from 06-27T10:00:00 blocks nothing',
      'state clear',
      'no tags',
      'account owes 0, has 0',
      'published BLOCKING_STATE INVOICE_PAYMENT_SUCCESS OVERDUE_CHANGE PAYMENT_SUCCESS TAG_DELETION',
    ]);
    expect(await child.chronicle.news()).to.eql([
      'invoice 2 owes 0',
      'invoice 3 of 06-27: REPAIR_ADJ 06-19..06-27 -66.65',
      'invoice 3 of 06-27: CBA_ADJ 06-27..06-27 66.65',
      'invoice 3 owes 0',
      'clear from 06-27T10:00:00 blocks nothing',
      'state clear',
      'no tags',
      'pro-monthly ACTIVE',
      'pro-monthly RESUME_ENTITLEMENT 06-27T10:00:00 by clear',
      'pro-monthly RESUME_BILLING 06-27T10:00:00 by clear',
      'account owes -66.65, has 66.65',
      'published BLOCKING_STATE INVOICE_CREATION OVERDUE_CHANGE TAG_DELETION',
    ]);
    expect([await parent.check(), await child.check(), await other.check()]).to.eql([null, null, null]);
    expect(await other.states()).to.eql([]);
  });

  it('derive missing intervals in uploaded JSON, and reject states in the wrong order (overdue §12 example 15)', async () => {
    engine = await openStory(open, configB());
    const time = (number: number) => ({
      timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number },
    });
    const block = { name: 'BLOCK', condition: time(20), isBlockChanges: true, isDisableEntitlement: true };
    const warn = { name: 'WARN', condition: time(8) };
    const upload = (...overdueStates: readonly object[]) =>
      engine.acme.overdue.upload(JSON.stringify({ initialReevaluationInterval: null, overdueStates }));
    await upload(block, warn);
    const { initialReevaluationInterval, overdueStates } = await engine.acme.overdue.get();
    expect(initialReevaluationInterval).to.equal(8);
    expect(
      overdueStates.map((state) => [
        state.name,
        state.autoReevaluationIntervalDays,
        state.isBlockChanges,
        state.isDisableEntitlement,
      ]),
    ).to.eql([
      ['BLOCK', null, true, true],
      ['WARN', 12, false, false],
    ]);
    await expectCode(upload(warn, block), 'OVERDUE_INVALID_FOR_TENANT');
    expect((await engine.acme.overdue.get()).overdueStates.map(({ name }) => name)).to.eql(['BLOCK', 'WARN']);
  });
});
