import { SystemTag } from '../../lib/index.ts';
import { anyDatabase, expect, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { CONFIG_C, overdueXml } from '../support/overdue/overdue-documents.ts';

anyDatabase.describe('overdue evaluation with pending retries (overdue §5.2)', (open) => {
  let engine: TestEngine;

  const begin = async (config: string, input: Parameters<typeof Debtor.sign>[1] = {}) => {
    engine = await openStory(open, config);
    return Debtor.sign(engine, input);
  };

  it('sets no state if a retry succeeds on the day of the threshold', async () => {
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

  it('sets no state if a later retry of the same day succeeds', async () => {
    const debtor = await begin(
      overdueXml({ initial: 8, states: [{ name: 'OD1', time: 8, disables: true }] }),
    );
    Debtor.decline(engine);
    // Retries are eight days after the attempt and keep its time of day, which is the time of the late run.
    await engine.runTo('2012-05-31T09:00:00Z');
    expect(await debtor.check()).to.equal('06-08T00:03:42');
    Debtor.accept(engine);
    await engine.runTo('2012-06-08T12:00:00Z');
    expect([await debtor.states(), await debtor.owed()]).to.eql([[], []]);
  });

  it('waits for a later retry of the same day without moving the date of the state', async () => {
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

  it('waits for a late retry, even if the evaluation has an earlier date', async () => {
    const debtor = await begin(CONFIG_C);
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    Debtor.accept(engine);
    await debtor.chronicle.news();
    // The check of 06-05 and the retry of 06-08 run on the same day, when the debt is old enough for a cancellation.
    await engine.runTo('2012-06-12T10:00:00Z');
    expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.eql([[], [], null]);
    expect((await debtor.chronicle.news()).filter((line) => line.includes('CANCELLED'))).to.eql([]);
  });

  it('waits for a retry of the same day even if a refresh is late', async () => {
    const debtor = await begin(CONFIG_C);
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    Debtor.accept(engine);
    await engine.charge(debtor.accountId, '5');
    await engine.runTo('2012-06-12T10:00:00Z');
    expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.eql([[], [], null]);
  });

  it('keeps the date of a check even if a late retry fails', async () => {
    const debtor = await begin(CONFIG_C);
    Debtor.decline(engine);
    await engine.runTo('2012-05-31T00:03:42Z');
    await engine.runTo('2012-06-09T10:00:00Z');
    expect(await debtor.states()).to.eql(['BLOCKED from 06-07T00:03:42']);
  });

  describe('and later work due on the same day (rule 5)', () => {
    /** Runs until the threshold day of a debt whose retry is due at 09:00 that day. */
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

    it('sets no state after a new charge if a retry later on the same day succeeds', async () => {
      const debtor = await untilTheDay(DISABLED_AFTER_8);
      Debtor.accept(engine);
      await debtor.charge('3');
      await engine.runTo('2012-06-08T09:00:00Z');
      expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.eql([[], [], null]);
    });

    it('sets the state on the check date if a retry later on the same day fails', async () => {
      const debtor = await untilTheDay(DISABLED_AFTER_8);
      await debtor.charge('3');
      expect(await debtor.states()).to.eql([]);
      await engine.runTo('2012-06-08T09:00:00Z');
      expect(await debtor.states()).to.eql(['OD1 from 06-08T00:03:42']);
    });

    it('schedules a check after the retry if the state does not depend on time', async () => {
      const debtor = await untilTheDay(TWO);
      await debtor.charge('3');
      expect([await debtor.states(), await debtor.check()]).to.eql([[], '06-08T09:00:00']);
      await engine.runTo('2012-06-08T08:59:59Z');
      expect(await debtor.states()).to.eql([]);
      await engine.runTo('2012-06-08T09:00:00Z');
      expect(await debtor.states()).to.eql(['TWO from 06-08T09:00:00']);
    });

    it('waits for the retry of an account that is no longer exempt', async () => {
      const debtor = await untilTheDay(TWO);
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
      await debtor.charge('3');
      await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
      expect([await debtor.states(), await debtor.check()]).to.eql([[], '06-08T09:00:00']);
    });

    it('waits for the retry of the paying parent', async () => {
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

    it('sets a milder or clear state immediately', async () => {
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
      it(`postpones a state due today to a later check if the retry ${what}`, async () => {
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

    it('sets a state that was due on an earlier day, regardless of other work due today', async () => {
      engine = await openStory(open, CONFIG_C, { retryDays: '9' });
      const debtor = await Debtor.sign(engine);
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T09:00:00Z');
      await engine.runTo('2012-06-09T08:00:00Z');
      expect(await debtor.states()).to.eql(['BLOCKED from 06-07T00:03:42']);
    });
  });

  it('waits for the invoice of the same day', async () => {
    const debtor = await begin(
      overdueXml({ initial: 30, states: [{ name: 'TWO', time: 30, count: 2, disables: true }] }),
      { hasCard: false },
    );
    await debtor.chronicle.days('2012-05-02', '2012-06-30');
    expect(await debtor.owed()).to.eql(['249.95', '249.95']);
    expect(await debtor.states()).to.eql(['TWO from 06-30T00:03:42']);
  });
});
