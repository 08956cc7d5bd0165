import { lantern } from '../../examples/catalogs/lantern.ts';
import type { Account, TenantBilling } from '../../lib/index.ts';
import { formatDecimal, parseWireInstant } from '../../lib/index.ts';
import { ACCOUNTS_PER_CATALOG_CHANGE_PAGE } from '../../lib/values/limits.ts';
import { catalogXml, phase } from '../support/catalogs/catalog-document.ts';
import { pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import { eachDatabaseByTurns, expect, newEvents, openEngine, type TestEngine } from '../support/index.ts';
import type { ChangeReportPart } from '../support/plain-views.ts';
import { author, newId } from '../support/storage/stored-records.ts';

const partsOf = (acme: TenantBilling, source: string) =>
  acme.catalogs.changeReport(source).then((report) => Array.fromAsync(report));

function lineOf(part: ChangeReportPart): string {
  switch (part.kind) {
    case 'SUMMARY':
      return `${part.errors.length} errors, ${part.warnings.length} warnings`;
    case 'PRICE_CHANGE': {
      const { change } = part;
      const [old, price] = [change.oldPrice, change.newPrice].map((each) => each && formatDecimal(each));
      const supplied = change.catalogEffectiveDate?.toISOString().slice(0, 10);
      const periods = [change.oldBillingPeriod, change.newBillingPeriod].join(' → ');
      const sort = periods === 'MONTHLY → MONTHLY' ? '' : ` ${change.priceType} ${periods}`;
      return `${change.from.date} ${change.phaseName} ${change.currency} ${old} → ${price} (${formatDecimal(change.difference)}) v${supplied}${sort}`;
    }
    case 'UNBILLABLE':
      return `unbillable: ${part.message}`;
    case 'TOTAL':
      return `${part.changedSubscriptions} of ${part.subscriptions}, ${part.unbillableAccounts} unbillable`;
  }
}

eachDatabaseByTurns.describe('report on a candidate catalog', (open) => {
  let engine: TestEngine;

  beforeEach(async () => {
    const catalog = pricedCatalog({ effectiveDate: '2024-01-01', price: '40.00' });
    engine = await openEngine(open, { now: '2024-03-15T00:00:00Z', catalog });
  });

  async function sell(planName = 'heat-monthly') {
    const account = await engine.payingAccount({ currency: 'USD' });
    return await engine.subscribe({ accountId: account.id, planName });
  }

  const subscribe = async (): Promise<string> => (await sell()).subscriptionId;

  const next = { effectiveDate: '2024-04-01', price: '52.00', forExisting: '2024-05-01' };

  it('lists each live subscription whose price changes, with the date and the difference, and stores nothing', async () => {
    const subscriptions = [await subscribe(), await subscribe()];
    const events = newEvents(engine.database);
    await events();
    const parts = await partsOf(engine.acme, pricedCatalog(next));
    const line = '2024-05-01 heat-monthly-evergreen USD 40 → 52 (12) v2024-04-01';
    expect(parts.map(lineOf)).to.eql(['0 errors, 0 warnings', line, line, '2 of 2, 0 unbillable']);
    expect(
      parts.flatMap((part) => (part.kind === 'PRICE_CHANGE' ? part.change.subscriptionId : [])),
    ).to.have.members(subscriptions);
    expect((await engine.acme.catalogs.current()).versions).to.have.length(1);
    await engine.settle();
    expect(await events()).to.eql([]);
  });

  it('skips ended subscriptions, even subscriptions that ended while blocked, and includes subscriptions with a future end', async () => {
    const hold = { service: 'fraud', stateName: 'held', isBlockBilling: true };
    const [ended, blocked, ending] = [await sell(), await sell(), await sell()];
    for (const { bundleId } of [blocked, ending])
      await engine.acme.blocking.add({ type: 'SUBSCRIPTION_BUNDLE', id: bundleId }, hold);
    await engine.runTo('2024-03-20T00:00:00Z');
    const { subscriptions } = engine.acme;
    await subscriptions.cancel(ended.subscriptionId, { billingPolicy: 'IMMEDIATE' });
    await subscriptions.cancel(blocked.subscriptionId, { billingPolicy: 'IMMEDIATE' });
    await engine.settle(subscriptions.cancel(ending.subscriptionId, { billingPolicy: 'END_OF_TERM' }));
    const parts = await partsOf(engine.acme, pricedCatalog(next));
    expect(parts.map(lineOf)).to.eql(['0 errors, 0 warnings', '0 of 1, 0 unbillable']);
  });

  it('includes changes to the billing period and to the fixed price of a future phase', async () => {
    const trial = (fixed: string) => phase('TRIAL', { number: 60, fixed });
    const first = { effectiveDate: '2024-01-02', price: '30.00', planName: 'sun-monthly' };
    const discount = (fixed: string) => phase('DISCOUNT', { number: 90, fixed });
    await engine.acme.uploadCatalog(pricedCatalog({ ...first, initialPhases: trial('') + discount('5.00') }));
    const account = await engine.payingAccount({ currency: 'USD' });
    await engine.acme.createSubscription({ accountId: account.id, planName: 'sun-monthly' });
    const candidate = pricedCatalog({
      ...first,
      effectiveDate: '2024-04-01',
      forExisting: '2024-04-01',
      price: '300.00',
      period: 'ANNUAL',
      initialPhases: trial('1.00') + discount('8.00'),
    });
    expect((await partsOf(engine.acme, candidate)).map(lineOf)).to.eql([
      '0 errors, 0 warnings',
      '2024-05-14 sun-monthly-discount USD 5 → 8 (3) v2024-04-01 FIXED  → ',
      '2024-08-12 sun-monthly-evergreen USD 30 → 300 (270) v2024-04-01 RECURRING MONTHLY → ANNUAL',
      '1 of 1, 0 unbillable',
    ]);
  });

  it('reads accounts page by page, and only on demand', async () => {
    const first = await subscribe();
    const [{ recordId: _, ...last }] = (await engine.storage.read(engine.tenant, (session) =>
      session.accounts.findAfter({ afterRecordId: 0, limit: 1 }),
    )) as readonly [Account];
    const others = Array.from({ length: ACCOUNTS_PER_CATALOG_CHANGE_PAGE }, () => {
      const id = newId();
      return { ...last, id, externalKey: id };
    });
    await engine.storage.write(engine.tenant, author(), (session) => session.accounts.insert(others));
    const parts = (await engine.acme.catalogs.changeReport(pricedCatalog(next)))[Symbol.asyncIterator]();
    expect((await parts.next()).value?.kind).to.equal('SUMMARY');
    const second = await subscribe();
    const rest: ChangeReportPart[] = [];
    for await (const part of { [Symbol.asyncIterator]: () => parts }) rest.push(part);
    expect(
      rest.map((part) => (part.kind === 'PRICE_CHANGE' ? part.change.subscriptionId : lineOf(part))),
    ).to.eql([first, second, '2 of 2, 0 unbillable']);
  });

  it("includes the tenant's entries, whose plans a document cannot replace", async () => {
    const plans = [
      {
        name: 'pot-monthly',
        recurringBillingMode: 'IN_ADVANCE',
        effectiveDate: parseWireInstant('2024-02-01') ?? null,
        productName: 'Pot',
        pricelistName: 'DEFAULT',
        phases: [
          {
            type: 'EVERGREEN',
            durationUnit: 'UNLIMITED',
            recurringPrices: { billingPeriod: 'MONTHLY', prices: [{ currency: 'USD', value: '5' }] },
          },
        ],
      },
    ] as const;
    await engine.acme.catalogEntries.create({ products: [{ name: 'Pot', category: 'BASE' }], plans });
    await sell('pot-monthly');
    const heat = await sell();
    const parts = await partsOf(engine.acme, pricedCatalog(next));
    expect(
      parts.map((part) => (part.kind === 'PRICE_CHANGE' ? part.change.subscriptionId : lineOf(part))),
    ).to.eql(['0 errors, 0 warnings', heat.subscriptionId, '1 of 2, 0 unbillable']);
    const taking = pricedCatalog({ ...next, planName: 'pot-monthly' });
    expect((await partsOf(engine.acme, taking)).map(lineOf)[0]).to.equal('1 errors, 0 warnings');
  });

  it('predicts the price changes that the upload causes', async () => {
    await subscribe();
    await engine.acme.uploadCatalog(pricedCatalog(next));
    const later = { effectiveDate: '2024-07-01', price: '48.00', forExisting: '2024-08-01' };
    const parts = await partsOf(engine.acme, pricedCatalog(later));
    expect(parts.map(lineOf)).to.eql([
      '0 errors, 0 warnings',
      '2024-08-01 heat-monthly-evergreen USD 52 → 48 (-4) v2024-07-01',
      '1 of 1, 0 unbillable',
    ]);
    await engine.acme.uploadCatalog(pricedCatalog(later));
    expect(
      (await partsOf(engine.acme, pricedCatalog({ effectiveDate: '2025-01-01', price: '99.00' }))).map(
        lineOf,
      ),
    ).to.eql(['0 errors, 0 warnings', '0 of 1, 0 unbillable']);
  });

  it('lists the reasons instead of price changes if the upload would be rejected', async () => {
    await subscribe();
    const lines = async (source: string) => (await partsOf(engine.acme, source)).map(lineOf);
    const sameDate = pricedCatalog({ effectiveDate: '2024-01-01', price: '52.00' });
    expect(await lines(sameDate)).to.eql(['1 errors, 0 warnings', '0 of 0, 0 unbillable']);
    const otherName = catalogXml({ effectiveDate: '2024-04-01', catalogName: 'Other' });
    expect(await lines(otherName)).to.eql(['1 errors, 0 warnings', '0 of 0, 0 unbillable']);
    expect(await lines('<catalog>')).to.eql(['1 errors, 0 warnings', '0 of 0, 0 unbillable']);
    const inCode = await Array.fromAsync(await engine.acme.catalogs.changeReport(lantern));
    expect(inCode.map(lineOf)).to.eql(['2 errors, 0 warnings', '0 of 0, 0 unbillable']);
    expect((await engine.acme.catalogs.validate(lantern)).errors.map(({ message }) => message)[0]).to.match(
      /^The catalog name differs: this version has "Lantern"/,
    );
  });

  it('lists the accounts that could no longer be billed', async () => {
    await subscribe();
    const euros = pricedCatalog(next).replaceAll('<currency>USD</currency>', '<currency>EUR</currency>');
    const parts = await partsOf(engine.acme, euros);
    expect(parts.map(({ kind }) => kind)).to.eql(['SUMMARY', 'UNBILLABLE', 'TOTAL']);
    expect(parts.map(lineOf).at(-1)).to.equal('0 of 0, 1 unbillable');
  });
});
