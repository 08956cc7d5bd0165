import { parseLocalDate, type Uuid } from '../../lib/index.ts';
import { catalogXml, lists, plan, product } from '../support/catalogs/catalog-document.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines, openEngine } from '../support/index.ts';

const shelf = catalogXml({
  effectiveDate: '2012-01-01T00:00:00Z',
  products: product('S'),
  plans:
    plan('advance', 'S', { price: '30.00' }) +
    plan('arrears', 'S', { price: '31.00', more: '<recurringBillingMode>IN_ARREAR</recurringBillingMode>' }),
  priceLists: lists({ DEFAULT: ['advance', 'arrears'] }),
});

eachDatabaseByTurns('coverage', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  async function begin(planName: string, configuration: Record<string, string> = {}): Promise<Uuid> {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalog: shelf, configuration });
    accountId = (await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 })).id;
    const { subscriptionId } = await engine.subscribe({ accountId, planName });
    return subscriptionId;
  }

  it('greedy arrears are billed by a run between their due dates', async () => {
    await begin('arrears', { 'org.service.invoice.inArrear.mode': 'GREEDY' });
    engine.clock.set('2024-01-10T00:00:00Z');
    const invoice = await engine.acme.generateInvoice({ accountId });
    expect(itemLines(invoice)).to.eql(['RECURRING 2024-01-01..2024-02-01 31']);
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);
  });

  it('coverage is verified against the whole history: a cursor that hides what is due is found, and nothing is changed', async () => {
    const subscriptionId = await begin('advance');
    await engine.runTo('2024-02-01T00:00:00Z');
    engine.clock.set('2024-02-15T00:00:00Z');
    expect(await engine.acme.invoices.verifyCoverage(accountId)).to.eql([]);

    const { storage, tenant } = engine;
    const authorship = {
      userName: 'test',
      reasonCode: null,
      comments: null,
      createdDate: engine.clock.now(),
    };
    await storage.write(tenant, { ...authorship, userTokenOf: () => subscriptionId }, async (session) => {
      const cursors = await session.invoices.findCursors([subscriptionId]);
      const nextDueDate = parseLocalDate('2024-06-01');
      await session.invoices.saveCursors(cursors.map((cursor) => ({ ...cursor, nextDueDate })));
    });
    const [difference, ...others] = await engine.acme.invoices.verifyCoverage(accountId);
    expect(others).to.eql([]);
    expect(difference).to.include({ subscriptionId });
    expect(difference?.found).to.eql([]);
    expect(difference?.expected.map(({ itemType }) => itemType)).to.eql(
      Array.from({ length: 3 }, () => 'RECURRING'),
    );
    const invoices = await engine.acme.invoices.ofAccount({ accountId, withItems: true });
    expect(invoices.flatMap(itemLines)).to.eql([
      'RECURRING 2024-01-01..2024-02-01 30',
      'RECURRING 2024-02-01..2024-03-01 30',
    ]);
  });

  it('coverage cannot be verified of an unknown account, nor of one without currency', async () => {
    const subscriptionId = await begin('advance');
    const { invoices, createAccount } = engine.acme;
    await expectCode(invoices.verifyCoverage(subscriptionId), 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
    const { id } = await createAccount({});
    await expectCode(invoices.verifyCoverage(id), 'CURRENCY_INVALID');
  });
});
