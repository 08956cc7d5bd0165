import { expect } from 'chai';
import { formatInstant, type NewOverdueDefinition, SystemTag, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, plan, product, TRIAL } from '../support/catalogs/catalog-document.ts';
import { eachDatabase } from '../support/databases.ts';
import { itemLines, openEngine, type TestEngine } from '../support/engine.ts';
import { exampleConfigs } from '../support/overdue/stage-configs.ts';
import { newEvents } from '../support/queue-rows.ts';

/** Plan P of overdue §12. */
const catalog = catalogXml({
  effectiveDate: '2012-01-01T00:00:00Z',
  catalogName: 'Dunning',
  products: product('P'),
  plans: plan('p-monthly', 'P', {
    price: '249.95',
    initialPhases: TRIAL,
  }),
  priceLists: lists({ DEFAULT: ['p-monthly'] }),
});

const OVERDUE = 'overdue-service';
const DECLINE = { CONFIGURE_ACTION: 'ACTION_RETURN_PLUGIN_STATUS_ERROR' } as const;
const APPROVE = { CONFIGURE_ACTION: 'ACTION_CLEAR' } as const;

eachDatabase((kind, open) => {
  describe(`overdue states of accounts on ${kind}`, () => {
    let engine: TestEngine;
    let accountId: Uuid;
    let newTypes: () => Promise<readonly string[]>;

    afterEach(() => engine.close());

    async function begin(config: NewOverdueDefinition): Promise<void> {
      engine = await openEngine(open, {
        now: '2012-05-01T00:03:42Z',
        catalog,
        configuration: { 'org.service.payment.retry.days': '8,8,8,8,8,8,8,8' },
      });
      await engine.acme.overdue.upload(config);
      accountId = (await engine.payingAccount({ currency: 'USD' })).id;
      engine.gateway.configure(DECLINE);
      await engine.acme.createSubscription({ accountId, planName: 'p-monthly' });
      await engine.settle();
      newTypes = newEvents(engine.database);
    }

    const runTo = (day: string) => engine.runTo(`${day}T00:03:42Z`);

    /** Goes day by day, as a server that runs all the time. */
    async function walkTo(day: string): Promise<void> {
      const end = Date.parse(`${day}T00:03:42Z`);
      while (engine.clock.now() < end) {
        engine.clock.advance({ days: 1 });
        await engine.settle();
      }
    }

    /** All states of overdue that the account has been in, with their instants. */
    async function states(): Promise<readonly string[]> {
      const found = await engine.acme.blocking.ofAccount(accountId, { services: [OVERDUE] });
      return found.map(({ stateName, effective }) => `${stateName} ${formatInstant(effective.at)}`);
    }

    const invoices = () => engine.acme.invoices.ofAccount({ accountId, withItems: true });
    const tags = async () =>
      (await engine.acme.tags.ofAccount(accountId)).map(({ tagDefinitionName }) => tagDefinitionName);

    const CLEAR = '__KILLBILL__CLEAR__OVERDUE_STATE__';

    it('example 1: from clear over all states to the last, each on its day and after the retry of that day', async () => {
      await begin(exampleConfigs.A);
      await walkTo('2012-06-29');
      expect(await states()).to.deep.equal([]);
      await walkTo('2012-07-20');
      expect(await states()).to.deep.equal([
        'OD1 2012-06-30T00:03:42.000Z',
        'OD2 2012-07-10T00:03:42.000Z',
        'OD3 2012-07-20T00:03:42.000Z',
      ]);
      expect(await tags()).to.deep.equal(['AUTO_INVOICING_OFF']);
    });

    it('example 1: OD2 tells of its blocking state, its tag and its change after the declined retry', async () => {
      await begin(exampleConfigs.A);
      await walkTo('2012-07-09');
      await newTypes();
      await runTo('2012-07-10');
      expect(await newTypes()).to.deep.equal([
        'PAYMENT_FAILED',
        'INVOICE_PAYMENT_FAILED',
        'TAG_CREATION',
        'BLOCKING_STATE',
        'OVERDUE_CHANGE',
      ]);
    });

    it('example 2: payment of all clears, takes the tag off and repairs the blocked days in one invoice', async () => {
      await begin(exampleConfigs.A);
      await walkTo('2012-07-20');
      engine.gateway.configure(APPROVE);
      await engine.acme.invoicePayments.payAll({ accountId });
      await engine.settle();
      expect((await states()).at(-1)).to.equal(`${CLEAR} 2012-07-20T00:03:42.000Z`);
      expect(await tags()).to.deep.equal([]);
      const all = await invoices();
      expect(all.map(itemLines).at(-1)).to.deep.equal([
        'REPAIR_ADJ 2012-07-10..2012-07-20 -80.63',
        'CBA_ADJ 2012-07-20..2012-07-20 80.63',
      ]);
    });

    it('example 10: OVERDUE_ENFORCEMENT_OFF clears at once, and its removal asks again', async () => {
      await begin(exampleConfigs.B);
      await walkTo('2012-06-06');
      expect(await states()).to.deep.equal(['OD1 2012-06-05T00:03:42.000Z']);
      const account = { id: accountId, type: 'ACCOUNT' } as const;
      await engine.acme.tags.add(account, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
      await engine.settle();
      expect((await states()).slice(1)).to.deep.equal([`${CLEAR} 2012-06-06T00:03:42.000Z`]);
      engine.clock.advance({ hours: 1 });
      await engine.acme.tags.remove(account, [SystemTag.OVERDUE_ENFORCEMENT_OFF]);
      await engine.settle();
      expect((await states()).slice(2)).to.deep.equal(['OD1 2012-06-06T01:03:42.000Z']);
    });

    it('example 13: a late check goes to the state that holds, effective when its time was reached', async () => {
      await begin(exampleConfigs.C);
      await walkTo('2012-05-31');
      await runTo('2012-06-08');
      expect(await states()).to.deep.equal(['BLOCKED 2012-06-07T00:03:42.000Z']);
    });
  });
});
