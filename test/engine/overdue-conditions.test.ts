import { type AccountInput, localDate, SystemTag } from '../../lib/index.ts';
import { anyDatabase, expect, type TestEngine } from '../support/index.ts';
import { Debtor, openStory } from '../support/overdue/debtor.ts';
import { type ConfigParts, overdueXml, type StateParts } from '../support/overdue/overdue-documents.ts';

/** The states of overdue §4: S2 after ten days; S1 after five, for at least 20. */
const BOUNDARIES: ConfigParts = {
  states: [
    { name: 'S2', time: 10, disables: true },
    { name: 'S1', time: 5, total: 20, blocksChanges: true },
  ],
};

anyDatabase.describe('overdue conditions', (open) => {
  let engine: TestEngine;

  async function begin(
    now: string,
    config: ConfigParts,
    input: AccountInput & { readonly hasCard?: boolean } = {},
  ): Promise<Debtor> {
    engine = await openStory(open, overdueXml(config), { now, catalog: null });
    return Debtor.sign(engine, { hasCard: false, planName: null, ...input });
  }

  const oneState = (parts: Omit<StateParts, 'name'>): ConfigParts => ({ states: [{ name: 'S', ...parts }] });

  async function look(debtor: Debtor): Promise<string> {
    await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF);
    await debtor.tag(SystemTag.OVERDUE_ENFORCEMENT_OFF, 'off');
    return debtor.state();
  }

  describe('boundary cases (overdue §4)', () => {
    it('are not met on a day without unpaid invoices', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', BOUNDARIES);
      for (const day of ['2024-03-02', '2024-03-06', '2024-03-11', '2024-12-31']) {
        await engine.runTo(`${day}T12:00:00Z`);
        expect(await look(debtor)).to.equal('clear');
      }
      expect(await debtor.states()).to.eql([]);
    });

    it('are met for state S1 from 03-06 on if an amount of 30 has been unpaid since 03-01', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', BOUNDARIES);
      await debtor.charge('30');
      await engine.runTo('2024-03-05T12:00:00Z');
      expect(await look(debtor)).to.equal('clear');
      await engine.runTo('2024-03-06T12:00:00Z');
      expect(await debtor.state()).to.equal('S1');
    });

    it('are met only for state S2 if an amount of 19.99 has been unpaid since 03-01, because S2 has no total condition', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', BOUNDARIES);
      await debtor.charge('19.99');
      await engine.runTo('2024-03-06T12:00:00Z');
      expect(await look(debtor)).to.equal('clear');
      await engine.runTo('2024-03-11T11:59:59Z');
      expect(await debtor.state()).to.equal('clear');
      await engine.runTo('2024-03-11T12:00:00Z');
      expect(await debtor.states()).to.eql(['S2 from 2024-03-11T12:00:00']);
    });

    it('are not met at 03-06T07:59Z in zone −08:00, because the local date is 03-05', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', BOUNDARIES, { timeZone: '-08:00' });
      await debtor.charge('30');
      await engine.runTo('2024-03-06T07:59:00Z');
      expect(await look(debtor)).to.equal('clear');
      await engine.runTo('2024-03-06T08:00:00Z');
      expect(await look(debtor)).to.equal('S1');
    });

    it('are met for state S1 at 03-12T07:30Z in Los Angeles, because the offset has been −07:00 since 03-10', async () => {
      const debtor = await begin('2024-03-07T20:00:00Z', BOUNDARIES, { timeZone: 'America/Los_Angeles' });
      await debtor.charge('30');
      await engine.runTo('2024-03-12T06:59:59Z');
      expect(await look(debtor)).to.equal('clear');
      await engine.runTo('2024-03-12T07:30:00Z');
      expect(await look(debtor)).to.equal('S1');
    });

    it('are met on 02-29 of a leap year, one month after 01-31', async () => {
      const debtor = await begin('2024-01-31T12:00:00Z', oneState({ time: { unit: 'MONTHS', number: 1 } }));
      await debtor.charge('30');
      await engine.runTo('2024-02-28T12:00:00Z');
      expect(await look(debtor)).to.equal('clear');
      await engine.runTo('2024-02-29T12:00:00Z');
      expect(await debtor.states()).to.eql(['S from 2024-02-29T12:00:00']);
    });

    it('are not met on 03-11 if only an invoice of 03-09 is unpaid, because the anchor has moved', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', BOUNDARIES);
      await debtor.charge('30');
      await engine.runTo('2024-03-09T12:00:00Z');
      expect(await debtor.state()).to.equal('S1');
      await debtor.charge('5');
      await debtor.pay(0);
      await engine.runTo('2024-03-11T12:00:00Z');
      expect(await look(debtor)).to.equal('clear');
      await engine.runTo('2024-03-19T12:00:00Z');
      expect(await debtor.state()).to.equal('S2');
    });

    it('put an account directly into the most severe matching state if the check is late', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', BOUNDARIES);
      await debtor.charge('30');
      await engine.runTo('2024-04-01T12:00:00Z');
      expect(await debtor.states()).to.eql(['S2 from 2024-03-11T12:00:00']);
    });
  });

  describe('criteria (overdue §1.1)', () => {
    it('are met once the duration after the anchor has passed, and never with UNLIMITED (time)', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', {
        states: [
          { name: 'NEVER', time: { unit: 'UNLIMITED', number: 0 } },
          { name: 'WEEKS', time: { unit: 'WEEKS', number: 1 } },
          { name: 'AT_ONCE', time: 0 },
        ],
      });
      await debtor.charge('1');
      await engine.runTo('2024-03-08T12:00:00Z');
      await engine.runTo('2034-03-08T12:00:00Z');
      expect(await look(debtor)).to.equal('WEEKS');
      expect((await debtor.states()).slice(0, 2)).to.eql([
        'AT_ONCE from 2024-03-01T12:00:00',
        'WEEKS from 2024-03-08T12:00:00',
      ]);
    });

    it('are met if at least the given number of invoices is unpaid (count)', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', oneState({ count: 2 }));
      const found: string[] = [];
      for (let index = 0; index < 3; index += 1) {
        await debtor.charge('1');
        found.push(await debtor.state());
      }
      expect(found).to.eql(['clear', 'S', 'S']);
    });

    it('are met if the total of all unpaid invoices reaches the given amount (total)', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', oneState({ total: '20.00' }));
      const found: string[] = [];
      for (const amount of ['10', '9.99', '0.01', '5']) {
        await debtor.charge(amount);
        found.push(await debtor.state());
      }
      expect(found).to.eql(['clear', 'clear', 'S', 'S']);
    });

    it('use the response of the newest failed purchase, or OTHER if the gateway gave no known response (response)', async () => {
      const debtor = await begin(
        '2024-03-01T12:00:00Z',
        {
          states: [
            { name: 'REPLACE', count: 1, responses: ['EXPIRED_CARD', 'INVALID_CARD'] },
            { name: 'OTHERWISE', count: 1, responses: ['OTHER'] },
          ],
        },
        { hasCard: true },
      );
      const found: string[] = [];
      const answers = [undefined, 'EXPIRED_CARD', 'INSUFFICIENT_FUNDS', 'no word of ours', 'INVALID_CARD'];
      for (const response of answers) {
        Debtor.decline(engine, response);
        await debtor.charge('1');
        found.push(`${response}: ${await debtor.state()}`);
      }
      expect(found).to.eql([
        'undefined: OTHERWISE',
        'EXPIRED_CARD: REPLACE',
        'INSUFFICIENT_FUNDS: clear',
        'no word of ours: OTHERWISE',
        'INVALID_CARD: REPLACE',
      ]);
    });

    it('are not met before the first failed payment or by paid invoices (response)', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', oneState({ responses: ['OTHER'] }));
      await debtor.charge('1');
      expect(await debtor.state()).to.equal('clear');
      const payer = await begin('2024-03-01T12:00Z', oneState({ responses: ['OTHER'] }), { hasCard: true });
      await payer.charge('1');
      expect(await payer.state()).to.equal('clear');
      Debtor.decline(engine);
      await payer.charge('2');
      expect(await payer.state()).to.equal('S');
      await payer.payAll();
      expect(await payer.state()).to.equal('clear');
    });

    it('are met while the account has the tag (tag in)', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', oneState({ count: 1, tagIn: 'TEST' }));
      await debtor.charge('1');
      expect(await debtor.state()).to.equal('clear');
      await debtor.tag(SystemTag.TEST);
      expect(await debtor.state()).to.equal('S');
      await debtor.tag(SystemTag.TEST, 'off');
      expect(await debtor.state()).to.equal('clear');
    });

    it('are met while the account does not have the tag (tag out)', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', oneState({ count: 1, tagOut: 'PARTNER' }));
      await debtor.charge('1');
      expect(await debtor.state()).to.equal('S');
      await debtor.tag(SystemTag.PARTNER);
      expect(await debtor.state()).to.equal('clear');
    });

    it('must all be met if a condition has several criteria (overdue §1.1 rule 1)', async () => {
      const debtor = await begin('2024-03-01T12:00:00Z', {
        states: [
          { name: 'BOTH', count: 2, total: 30, time: 1 },
          { name: 'NEVER_OWED', tagIn: 'TEST' },
        ],
      });
      await debtor.charge('15');
      await debtor.charge('15');
      expect(await debtor.state()).to.equal('clear');
      await engine.runTo('2024-03-02T12:00:00Z');
      expect(await debtor.state()).to.equal('BOTH');
      await debtor.pay(0, { amount: '0.01' });
      expect(await debtor.state()).to.equal('clear');
    });
  });

  it('ignore drafts and void invoices, and age a committed draft from the date of its commit (overdue §3.1)', async () => {
    const debtor = await begin('2024-03-01T12:00:00Z', BOUNDARIES);
    const draft = await debtor.charge('30', false);
    await engine.runTo('2024-03-20T12:00:00Z');
    expect([await look(debtor), await debtor.check()]).to.eql(['clear', null]);
    await engine.settle(engine.acme.invoices.commit(draft.id));
    expect([await debtor.state(), await debtor.check()]).to.eql(['clear', '2024-03-25T12:00:00']);
    await engine.runTo('2024-03-25T12:00:00Z');
    expect(await debtor.state()).to.equal('S1');
    await engine.settle(engine.acme.invoices.void(draft.id));
    expect(await debtor.state()).to.equal('clear');
  });

  it('use the payment response of an invoice only from the target date of the invoice on (overdue §3.2)', async () => {
    const config = overdueXml(oneState({ count: 1, responses: ['EXPIRED_CARD'] }));
    engine = await openStory(open, config, { retryDays: '40' });
    const debtor = await Debtor.sign(engine);
    Debtor.decline(engine, 'DO_NOT_HONOR');
    await debtor.charge('10');
    Debtor.decline(engine, 'EXPIRED_CARD');
    const { accountId } = debtor;
    await engine.settle(engine.acme.generateInvoice({ accountId, targetDate: localDate(2012, 5, 31) }));
    expect([await debtor.owed(), await debtor.state()]).to.eql([['10', '249.95'], 'clear']);
    await engine.runTo('2012-05-31T00:03:42Z');
    expect((await debtor.states())[0]).to.equal('S from 05-31T00:03:42');
  });

  it('ignore migrated invoices (overdue §3.1)', async () => {
    const debtor = await begin('2024-03-01T12:00:00Z', oneState({ count: 1 }));
    await engine.acme.invoices.createMigrationInvoice({
      accountId: debtor.accountId,
      items: [{ itemType: 'EXTERNAL_CHARGE', amount: '30' }],
    });
    await engine.settle();
    expect(await look(debtor)).to.equal('clear');
  });
});
