import { SystemTag } from '../../lib/index.ts';
import { anyDatabase, expect, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { CONFIG_C, overdueXml } from '../support/overdue/overdue-documents.ts';

anyDatabase('overdue §5.2: order in time', (open) => {
  let engine: TestEngine;

  const begin = async (config: string, input: Parameters<typeof Debtor.sign>[1] = {}) => {
    engine = await openStory(open, config);
    return Debtor.sign(engine, input);
  };

  it('a retry that succeeds on the day of a threshold prevents the state', async () => {
    const debtor = await begin(
      overdueXml({ initial: 8, states: [{ name: 'OD1', time: 8, disables: true }] }),
    );
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    expect(await debtor.check()).to.equal('06-08T00:03:42');
    Debtor.accept(engine);
    await engine.runTo('2012-06-08T00:03:42Z');
    expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.eql([[], [], null]);
  });

  it('one that is due later on that day, but has come due too, prevents it as well', async () => {
    const debtor = await begin(
      overdueXml({ initial: 8, states: [{ name: 'OD1', time: 8, disables: true }] }),
    );
    Debtor.decline(engine);
    // The retries are eight days after the attempt, whose time of day is that of the late run.
    await engine.runTo('2012-05-31T09:00:00Z');
    expect(await debtor.check()).to.equal('06-08T00:03:42');
    Debtor.accept(engine);
    await engine.runTo('2012-06-08T12:00:00Z');
    expect([await debtor.states(), await debtor.owed()]).to.eql([[], []]);
  });

  it('one that comes due later on that day is waited for, without moving the date of the state', async () => {
    const debtor = await begin(
      overdueXml({ initial: 8, states: [{ name: 'OD1', time: 8, disables: true }] }),
    );
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T09:00:00Z');
    await engine.runTo('2012-06-08T08:59:59Z');
    expect([await debtor.states(), await debtor.check()]).to.eql([[], '06-08T09:00:00']);
    await engine.runTo('2012-06-08T09:00:00Z');
    expect(await debtor.states()).to.eql(['OD1 from 06-08T00:03:42']);
  });

  it('one of a later date too, where both come late', async () => {
    const debtor = await begin(CONFIG_C);
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    Debtor.accept(engine);
    await debtor.chronicle.news();
    // The check of 06-05 and the retry of 06-08 run on one day, on which the debt is old enough to cancel for.
    await engine.runTo('2012-06-12T10:00:00Z');
    expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.eql([[], [], null]);
    expect((await debtor.chronicle.news()).filter((line) => line.includes('CANCELLED'))).to.eql([]);
  });

  it('so does a refresh that comes late', async () => {
    const debtor = await begin(CONFIG_C);
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    Debtor.accept(engine);
    await engine.charge(debtor.accountId, '5');
    await engine.runTo('2012-06-12T10:00:00Z');
    expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.eql([[], [], null]);
  });

  it('a late retry that fails moves no date of what the check comes to', async () => {
    const debtor = await begin(CONFIG_C);
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    await engine.runTo('2012-06-09T10:00:00Z');
    expect(await debtor.states()).to.eql(['BLOCKED from 06-07T00:03:42']);
  });

  describe('rule 5: what is due later on a day may still prevent what a refresh would enter', () => {
    /** Of the retry that is due at 09:00 on the day of the threshold. */
    async function untilTheDay(config: string): Promise<Debtor> {
      const debtor = await begin(config);
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T09:00:00Z');
      await engine.runTo('2012-06-08T05:00:00Z');
      expect(await debtor.states()).to.eql([]);
      return debtor;
    }
    const DISABLED_AFTER_8 = overdueXml({ initial: 8, states: [{ name: 'OD1', time: 8, disables: true }] });
    const TWO = overdueXml({ states: [{ name: 'TWO', count: 2, disables: true }] });

    it('a retry that succeeds: the state is never entered', async () => {
      const debtor = await untilTheDay(DISABLED_AFTER_8);
      Debtor.accept(engine);
      await debtor.charge('3');
      await engine.runTo('2012-06-08T09:00:00Z');
      expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.eql([[], [], null]);
    });

    it('a retry that fails: the check enters it, of its own date', async () => {
      const debtor = await untilTheDay(DISABLED_AFTER_8);
      await debtor.charge('3');
      expect(await debtor.states()).to.eql([]);
      await engine.runTo('2012-06-08T09:00:00Z');
      expect(await debtor.states()).to.eql(['OD1 from 06-08T00:03:42']);
    });

    it('a state that no time brings: it gets a check behind the retry, and comes with it', async () => {
      const debtor = await untilTheDay(TWO);
      await debtor.charge('3');
      expect([await debtor.states(), await debtor.check()]).to.eql([[], '06-08T09:00:00']);
      await engine.runTo('2012-06-08T08:59:59Z');
      expect(await debtor.states()).to.eql([]);
      await engine.runTo('2012-06-08T09:00:00Z');
      expect(await debtor.states()).to.eql(['TWO from 06-08T09:00:00']);
    });

    it('an account that is no longer exempt waits for it as well', async () => {
      const debtor = await untilTheDay(TWO);
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
      await debtor.charge('3');
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
      expect([await debtor.states(), await debtor.check()]).to.eql([[], '06-08T09:00:00']);
    });

    it('a child waits for the retry of the parent that pays', async () => {
      const parent = await untilTheDay(TWO);
      const child = await Debtor.sign(engine, {
        planName: null,
        parentAccountId: parent.accountId,
        isPaymentDelegatedToParent: true,
      });
      await parent.charge('3');
      expect([await child.states(), await child.check()]).to.eql([[], '06-08T09:00:00']);
      await engine.runTo('2012-06-08T09:00:00Z');
      expect(await child.states()).to.eql(['TWO from 06-08T09:00:00']);
    });

    it('a milder state and clear come at once', async () => {
      const debtor = await begin(
        overdueXml({
          states: [
            { name: 'TWO', count: 2, disables: true },
            { name: 'ONE', count: 1 },
          ],
        }),
      );
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T09:00:00Z');
      await debtor.charge('3');
      await engine.runTo('2012-06-08T05:00:00Z');
      for (const each of [1, 0]) await debtor.pay(each);
      expect(await debtor.states()).to.eql([
        'ONE from 05-31T09:00:00',
        'TWO from 05-31T09:00:00',
        'ONE from 06-08T05:00:00',
        'clear from 06-08T05:00:00',
      ]);
    });

    for (const [what, gateway, blocks] of [
      ['succeeds', Debtor.accept, []],
      ['fails', Debtor.decline, ['CANCELLATION from 06-11T00:03:42']],
    ] as const)
      it(`a late check, where only today has brought the state, and the retry ${what}`, async () => {
        engine = await openStory(open, CONFIG_C, { retryDays: '11' });
        const debtor = await Debtor.sign(engine);
        Debtor.decline(engine);
        await engine.runTo('2012-05-31T09:00:00Z');
        await engine.runTo('2012-06-11T08:00:00Z');
        expect(await debtor.states()).to.eql([]);
        gateway(engine);
        await engine.runTo('2012-06-11T09:00:00Z');
        expect(await debtor.states()).to.eql(blocks);
      });

    it('a late check enters what was due on an earlier day, whatever today is still to bring', async () => {
      engine = await openStory(open, CONFIG_C, { retryDays: '9' });
      const debtor = await Debtor.sign(engine);
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T09:00:00Z');
      await engine.runTo('2012-06-09T08:00:00Z');
      expect(await debtor.states()).to.eql(['BLOCKED from 06-07T00:03:42']);
    });
  });

  it('the invoice of a day is there before the day is judged', async () => {
    const debtor = await begin(
      overdueXml({ initial: 30, states: [{ name: 'TWO', time: 30, count: 2, disables: true }] }),
      { hasCard: false },
    );
    await debtor.chronicle.days('2012-05-02', '2012-06-30');
    expect(await debtor.owed()).to.eql(['249.95', '249.95']);
    expect(await debtor.states()).to.eql(['TWO from 06-30T00:03:42']);
  });
});
