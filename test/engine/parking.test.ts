import { SystemTag, type Uuid } from '../../lib/index.ts';
import { catalogXml, plan, price } from '../support/catalogs/catalog-document.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, example, expect, expectCode, itemLines, openEngine } from '../support/index.ts';

const meadow = example('catalogs/meadow.xml');

eachDatabaseByTurns.describe('account parking', (open) => {
  let engine: TestEngine;

  async function begin(now: string, options: { maxDailyItems?: number; catalog?: URL } = {}): Promise<void> {
    const { maxDailyItems, catalog } = options;
    engine = await openEngine(open, {
      now,
      ...(catalog ? { catalog } : {}),
      ...(maxDailyItems === undefined
        ? {}
        : { configuration: { 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': maxDailyItems } }),
    });
  }

  async function subscriber(planName: string, input: { currency?: string; billingDate?: string } = {}) {
    const { id } = await engine.payingAccount({ currency: input.currency ?? 'USD' });
    const billingDate = input.billingDate === undefined ? null : input.billingDate;
    await engine.acme.createSubscription(
      { accountId: id, planName },
      { billingDate, entitlementDate: billingDate },
    );
    return id;
  }

  async function linesOf(accountId: Uuid): Promise<readonly (readonly string[])[]> {
    return (await engine.acme.invoices.ofAccount({ accountId, withItems: true })).map(itemLines);
  }

  const isParked = async (accountId: Uuid): Promise<boolean> => {
    const tags = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id: accountId });
    return tags.some(({ tagDefinitionName }) => tagDefinitionName === '__PARK__');
  };

  /** An explicit run far ahead exceeds the safety bound. */
  async function park(accountId: Uuid): Promise<void> {
    const request = { accountId, targetDate: '2026-12-01' };
    await expectCode(engine.acme.generateInvoice(request), 'INVOICE_BOUND_EXCEEDED');
    expect(await isParked(accountId)).to.equal(true);
  }

  it('prevents a run from writing items for an account above the safety bound, but not for other accounts', async () => {
    await begin('2024-06-01T00:00:00Z', { maxDailyItems: 1, catalog: meadow });
    const withSetUp = await subscriber('canopy-monthly');
    const other = await engine.settle(subscriber('sprout-monthly-direct'));
    expect(await linesOf(withSetUp)).to.eql([]);
    const [parked] = (await engine.acme.invoices.parked({ offset: 0, limit: 10 })).rows;
    expect(parked?.reason).to.include('safety bound');
    expect(await linesOf(other)).to.eql([['RECURRING 2024-06-01..2024-07-01 12']]);
    await expectCode(engine.acme.generateInvoice({ accountId: withSetUp }), 'INVOICE_BOUND_EXCEEDED');
    expect(await isParked(withSetUp)).to.equal(true);
  });

  it('by an operator postpones everything due until the account is unparked', async () => {
    await begin('2024-01-01T00:00:00Z');
    const id = await engine.settle(subscriber('solo-now'));
    const { invoices } = engine.acme;
    const parked = async () => (await invoices.parked({ offset: 0, limit: 10 })).rows;
    expect(await parked()).to.eql([]);
    await invoices.park(id, { reason: 'under review' });
    await invoices.park(id);
    expect(await parked()).to.eql([
      { accountId: id, parkedDate: new Date(engine.clock.now()), reason: 'under review' },
    ]);
    const [tag] = await engine.acme.tags.ofObject({ type: 'ACCOUNT', id });
    const history = await engine.acme.audit.history({ type: 'TAG', id: tag?.id ?? id });
    expect(history.map(({ comments }) => comments)).to.eql(['under review']);
    await engine.runTo('2024-03-02T00:00:00Z');
    expect(await linesOf(id)).to.have.length(1);
    await invoices.unpark(id);
    await engine.settle(invoices.unpark(id));
    expect(await parked()).to.eql([]);
    expect((await linesOf(id)).flat()).to.have.length(3);
    const unknown = '01a1fcfe-e8ec-717e-8cdb-6282f0f9f546';
    for (const call of [invoices.park(unknown), invoices.unpark(unknown)])
      await expectCode(call, 'ACCOUNT_DOES_NOT_EXIST_FOR_ID');
    await expectCode(invoices.park(id, { reason: 'x'.repeat(256) }), 60003);
  });

  it('is not caused by an old start date, because each period counts toward the bound of its own day', async () => {
    await begin('2024-06-01T00:00:00Z');
    const late = await engine.settle(subscriber('solo-now', { billingDate: '2022-01-01' }));
    expect(await isParked(late)).to.equal(false);
    expect((await linesOf(late)).flat()).to.have.length(30);
  });

  it('depends on the safety bound specified when the engine was opened', async () => {
    await begin('2024-01-01T00:00:00Z', { maxDailyItems: -1 });
    const id = await engine.settle(subscriber('solo-now'));
    const ahead = await engine.acme.generateInvoice({ accountId: id, targetDate: '2026-12-01' });
    expect(ahead.items).to.have.length(35);
  });

  it('is caused by an explicit run that exceeds the safety bound and reports the bound', async () => {
    await begin('2024-01-01T00:00:00Z');
    const id = await engine.settle(subscriber('solo-now'));
    const request = { accountId: id, targetDate: '2026-12-01' };
    await expectCode(engine.acme.generateInvoice(request), 'INVOICE_BOUND_EXCEEDED');
    expect(await isParked(id)).to.equal(true);
  });

  it('ends with an explicit run that accepts the bounds and bills everything once', async () => {
    await begin('2024-01-01T00:00:00Z');
    const id = await engine.settle(subscriber('solo-now'));
    await park(id);
    const tooFar = { accountId: id, targetDate: '2026-12-01' };
    const { items } = await engine.acme.generateInvoice({ ...tooFar, acceptBounds: true });
    expect(items).to.have.length(35);
    expect(await isParked(id)).to.equal(false);
    const subscriptionId = items[0]?.subscriptionId ?? id;
    await engine.settle(engine.acme.subscriptions.changeQuantity(subscriptionId, { quantity: 2 }));
    expect(await isParked(id), 'the next run is held to them again').to.equal(true);
  });

  it('records the exceeded bound in the audit row after sixteen periods with AUTO_INVOICING_OFF', async () => {
    await begin('2023-01-01T00:00:00Z');
    const id = await engine.settle(subscriber('solo-now'));
    const account = { type: 'ACCOUNT', id } as const;
    await engine.acme.tags.add(account, [SystemTag.AUTO_INVOICING_OFF]);
    await engine.runTo('2024-05-01T00:00:00Z');
    await engine.settle(engine.acme.tags.remove(account, [SystemTag.AUTO_INVOICING_OFF]));
    expect(await isParked(id)).to.equal(true);
    const [mark] = (await engine.acme.tags.ofObject(account)).filter(
      ({ tagDefinitionName }) => tagDefinitionName === '__PARK__',
    );
    const rows = await engine.acme.audit.history({ type: 'TAG', id: mark?.id ?? id });
    expect(rows.map(({ comments }) => comments).join()).to.contain(
      '16 items in one day, more than 15, which exceeds the safety bound org.service.invoice.maxDailyNumberOfItemsSafetyBound',
    );
    const caught = await engine.acme.generateInvoice({ accountId: id, acceptBounds: true });
    expect(itemLines(caught)).to.have.length(16);
  });

  it('is not caused by a clock that jumps over many due dates', async () => {
    await begin('2024-01-01T00:00:00Z');
    const id = await engine.settle(subscriber('solo-now'));
    await engine.runTo('2026-06-01T00:00:00Z');
    expect(await isParked(id)).to.equal(false);
    expect((await linesOf(id)).flat()).to.have.length(30);
  });

  it('is caused by a missing price without affecting the other accounts of the batch', async () => {
    const sold = (effectiveDate: string, prices: string, more = ''): string =>
      catalogXml({
        effectiveDate,
        currencies: ['USD', 'EUR'],
        plans: plan('p-m', 'P', { price: prices, more }),
      });
    const both = price('USD', '10') + price('EUR', '9');
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalog: sold('2024-01-01', both) });
    const foreign = await subscriber('p-m', { currency: 'EUR' });
    const other = await engine.settle(subscriber('p-m'));
    expect(await isParked(foreign)).to.equal(false);
    const forExisting = 'effectiveDateForExistingSubscriptions';
    const later = `<${forExisting}>2024-02-01</${forExisting}>`;
    await engine.acme.uploadCatalog(sold('2024-01-15', price('USD', '12'), later));
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await isParked(foreign)).to.equal(true);
    expect(await linesOf(other)).to.eql([
      ['RECURRING 2024-01-01..2024-02-01 10'],
      ['RECURRING 2024-02-01..2024-03-01 12'],
    ]);
    await expectCode(engine.acme.generateInvoice({ accountId: foreign }), 2010);
  });

  it('lasts until an explicit run unparks the account and bills all missed periods', async () => {
    await begin('2024-01-01T00:00:00Z');
    const id = await engine.settle(subscriber('solo-now'));
    await park(id);
    await engine.runTo('2024-02-01T00:00:00Z');
    expect(await linesOf(id)).to.have.length(1);
    await expectCode(engine.acme.generateInvoice({ accountId: id, targetDate: '2024-01-15' }), 4007);
    expect(await isParked(id)).to.equal(false);
    await engine.settle();
    expect(await linesOf(id)).to.have.length(2);
    await engine.runTo('2024-04-01T00:00:00Z');
    expect(await linesOf(id)).to.have.length(4);
  });
});
