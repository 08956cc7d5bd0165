import { SystemTag } from '../../lib/index.ts';
import { anyDatabase, expect, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { overdueXml } from '../support/overdue/overdue-documents.ts';

const NOW = '2024-03-01T12:00:00Z';
const AT_ONCE = overdueXml({ states: [{ name: 'LATE', count: 1, tagOut: 'PARTNER', blocksChanges: true }] });

anyDatabase.describe('overdue evaluation for parents and children (overdue §8)', (open) => {
  let engine: TestEngine;
  let parent: Debtor;
  let child: Debtor;
  let other: Debtor;

  async function begin(config = AT_ONCE): Promise<void> {
    engine = await openStory(open, config, { now: NOW, catalog: null });
    const plain = { hasCard: false, planName: null };
    parent = await Debtor.sign(engine, plain);
    const family = { ...plain, parentAccountId: parent.accountId };
    child = await Debtor.sign(engine, { ...family, isPaymentDelegatedToParent: true });
    other = await Debtor.sign(engine, { ...family, isPaymentDelegatedToParent: false });
  }

  const states = () => Promise.all([parent, child, other].map((each) => each.state()));

  it('is repeated after an event of a parent, but only for the children that the parent pays for (rule 1)', async () => {
    await begin();
    await parent.charge('10');
    expect(await states()).to.eql(['LATE', 'LATE', 'clear']);
    await parent.pay(0);
    expect(await states()).to.eql(['clear', 'clear', 'clear']);
  });

  it('is repeated for the parent after an event of a child (rule 1)', async () => {
    await begin();
    await child.charge('10');
    expect(await states(), 'the summary is a draft').to.eql(['clear', 'clear', 'clear']);
    await engine.runTo('2024-03-02T12:00:00Z');
    expect(await states()).to.eql(['LATE', 'LATE', 'clear']);
    const { accountId, id: invoiceId, items } = await child.bill(0);
    await engine.acme.invoices.adjustItem({ accountId, invoiceId, invoiceItemId: items[0]?.id ?? '' });
    await engine.settle();
    expect([await parent.owed(), await states()]).to.eql([[], ['clear', 'clear', 'clear']]);
  });

  it('is repeated for relatives when an account is cleared, but does not clear the relatives (rule 1)', async () => {
    await begin();
    await parent.charge('10');
    await child.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
    expect(await states()).to.eql(['LATE', 'clear', 'clear']);
    await child.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
    expect(await states()).to.eql(['LATE', 'LATE', 'clear']);
  });

  it("uses the parent's debt and the child's own tags for a child whose invoices the parent pays (rule 2)", async () => {
    await begin();
    await child.tag(SystemTag.PARTNER);
    await parent.charge('10');
    expect(await states()).to.eql(['LATE', 'clear', 'clear']);
    await parent.tag(SystemTag.PARTNER);
    await child.tag(SystemTag.PARTNER, 'off');
    expect(await states()).to.eql(['clear', 'LATE', 'clear']);
  });

  it("uses the parent's count, total and anchor for a child whose invoices the parent pays (rule 2)", async () => {
    await begin(
      overdueXml({
        states: [
          { name: 'OLD', time: 10, disables: true },
          { name: 'TWO', count: 2, total: 30, blocksChanges: true },
        ],
      }),
    );
    await parent.charge('10');
    await engine.runTo('2024-03-02T12:00:00Z');
    await parent.charge('20');
    expect(await states()).to.eql(['TWO', 'TWO', 'clear']);
    await engine.runTo('2024-03-11T12:00:00Z');
    expect(await states()).to.eql(['OLD', 'OLD', 'clear']);
    expect(await Promise.all([parent, child, other].map((each) => each.tags()))).to.eql([
      ['AUTO_INVOICING_OFF'],
      ['AUTO_INVOICING_OFF'],
      [],
    ]);
    await parent.pay(0);
    expect(await states()).to.eql(['clear', 'clear', 'clear']);
  });

  it("keeps states, checks and events separate per account, and uses only a child's own debt if the child pays its own invoices (rule 3)", async () => {
    await begin(overdueXml({ states: [{ name: 'LATE', time: 5 }] }));
    await other.charge('10');
    await engine.runTo('2024-03-03T12:00:00Z');
    await parent.charge('10');
    const checks = await Promise.all([parent, child, other].map((each) => each.check()));
    expect(checks).to.eql(['2024-03-08T12:00:00', '2024-03-08T12:00:00', '2024-03-06T12:00:00']);
    await engine.runTo('2024-03-06T12:00:00Z');
    expect(await states()).to.eql(['clear', 'clear', 'LATE']);
    await engine.runTo('2024-03-08T12:00:00Z');
    expect(await states()).to.eql(['LATE', 'LATE', 'LATE']);
    for (const each of [parent, child, other]) {
      const changes = (await each.chronicle.news()).filter((line) => line.includes('OVERDUE_CHANGE'));
      expect(changes).to.have.length(1);
      expect(await each.states()).to.have.length(1);
    }
    await parent.payAll();
    expect(await states()).to.eql(['clear', 'clear', 'LATE']);
  });

  it('exempts a child together with the parent that pays its invoices (overdue §7 rule 3)', async () => {
    await begin();
    await parent.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
    await parent.charge('10');
    expect([await states(), await child.check()]).to.eql([['clear', 'clear', 'clear'], null]);
    await parent.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
    expect(await states()).to.eql(['LATE', 'LATE', 'clear']);
  });
});
