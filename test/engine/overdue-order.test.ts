import { expect } from 'chai';
import { decimal } from '../../lib/index.ts';
import { eachDatabase } from '../support/databases.ts';
import type { TestEngine } from '../support/engine.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { CONFIG_C, overdueXml } from '../support/overdue/overdue-documents.ts';

eachDatabase((_kind, open) => {
  describe('overdue §5.2: order in time', () => {
    let engine: TestEngine;
    afterEach(() => engine.close());

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
      expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.deep.equal([
        [],
        [],
        null,
      ]);
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
      expect([await debtor.states(), await debtor.owed()]).to.deep.equal([[], []]);
    });

    it('one that comes due later on that day is waited for, without moving the date of the state', async () => {
      const debtor = await begin(
        overdueXml({ initial: 8, states: [{ name: 'OD1', time: 8, disables: true }] }),
      );
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T09:00:00Z');
      await engine.runTo('2012-06-08T08:59:59Z');
      expect([await debtor.states(), await debtor.check()]).to.deep.equal([[], '06-08T09:00:00']);
      await engine.runTo('2012-06-08T09:00:00Z');
      expect(await debtor.states()).to.deep.equal(['OD1 from 06-08T00:03:42']);
    });

    it('one of a later date too, where both come late', async () => {
      const debtor = await begin(CONFIG_C);
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T00:03:42Z');
      Debtor.accept(engine);
      await debtor.chronicle.news();
      // The check of 06-05 and the retry of 06-08 run on one day, on which the debt is old enough to cancel for.
      await engine.runTo('2012-06-12T10:00:00Z');
      expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.deep.equal([
        [],
        [],
        null,
      ]);
      const lines = await debtor.chronicle.news();
      expect(lines.filter((line) => line.includes('CANCELLED'))).to.deep.equal([]);
    });

    it('so does a refresh that comes late', async () => {
      const debtor = await begin(CONFIG_C);
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T00:03:42Z');
      Debtor.accept(engine);
      await engine.acme.invoices.addCharges({
        accountId: debtor.accountId,
        items: [{ amount: decimal('5') }],
        autoCommit: true,
      });
      await engine.runTo('2012-06-12T10:00:00Z');
      expect([await debtor.states(), await debtor.owed(), await debtor.check()]).to.deep.equal([
        [],
        [],
        null,
      ]);
    });

    it('a late retry that fails moves no date of what the check comes to', async () => {
      const debtor = await begin(CONFIG_C);
      Debtor.decline(engine);
      await engine.runTo('2012-05-31T00:03:42Z');
      await engine.runTo('2012-06-09T10:00:00Z');
      expect(await debtor.states()).to.deep.equal(['BLOCKED from 06-07T00:03:42']);
    });

    it('the invoice of a day is there before the day is judged', async () => {
      const debtor = await begin(
        overdueXml({ initial: 30, states: [{ name: 'TWO', time: 30, count: 2, disables: true }] }),
        { hasCard: false },
      );
      await debtor.chronicle.days('2012-05-02', '2012-06-30');
      expect(await debtor.owed()).to.deep.equal(['249.95', '249.95']);
      expect(await debtor.states()).to.deep.equal(['TWO from 06-30T00:03:42']);
    });
  });
});
