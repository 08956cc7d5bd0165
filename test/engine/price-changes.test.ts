import { formatDecimal, type Uuid } from '../../lib/index.ts';
import { type PricedVersion, pricedCatalog } from '../support/catalogs/priced-catalog.ts';
import type { TestEngine } from '../support/index.ts';
import { eachDatabaseByTurns, expect, expectCode, newEvents, openEngine } from '../support/index.ts';

const heat: readonly PricedVersion[] = [
  { effectiveDate: '2024-01-01', price: '40.00' },
  { effectiveDate: '2024-04-01', price: '52.00', forExisting: '2024-05-01' },
  { effectiveDate: '2024-07-01', price: '64.00', forExisting: '2024-08-01' },
];

const unalignedItems = [
  'RECURRING 2024-03-15..2024-04-15 40 v2024-01-01',
  'RECURRING 2024-04-15..2024-05-01 21.33 v2024-01-01',
  'RECURRING 2024-05-01..2024-05-15 24.27 v2024-04-01',
  'RECURRING 2024-05-15..2024-06-15 52 v2024-04-01',
  'RECURRING 2024-06-15..2024-07-15 52 v2024-04-01',
  'RECURRING 2024-07-15..2024-08-01 28.52 v2024-04-01',
  'RECURRING 2024-08-01..2024-08-15 28.9 v2024-07-01',
  'RECURRING 2024-08-15..2024-09-15 64 v2024-07-01',
];

const alignedItems = [
  'RECURRING 2024-03-15..2024-04-15 40 v2024-01-01',
  'RECURRING 2024-04-15..2024-05-15 40 v2024-01-01',
  'RECURRING 2024-05-15..2024-06-15 52 v2024-04-01',
  'RECURRING 2024-06-15..2024-07-15 52 v2024-04-01',
  'RECURRING 2024-07-15..2024-08-15 52 v2024-04-01',
  'RECURRING 2024-08-15..2024-09-15 64 v2024-07-01',
];

const ALIGN = 'org.service.subscription.align.effectiveDateForExistingSubscriptions';

function version(effectiveDate: string, price: string, more: Partial<PricedVersion> = {}): PricedVersion {
  return { effectiveDate, price, ...more };
}

eachDatabaseByTurns.describe('price changes in new catalog versions', (open) => {
  function begin(now: string, first: PricedVersion, alignPriceChanges = false): Promise<TestEngine> {
    const configuration = { [ALIGN]: alignPriceChanges };
    return openEngine(open, { now, catalog: pricedCatalog(first), configuration });
  }

  async function upload({ acme }: TestEngine, ...versions: readonly PricedVersion[]): Promise<void> {
    for (const version of versions) await acme.uploadCatalog(pricedCatalog(version));
  }

  async function subscribe(opened: TestEngine, planName = 'heat-monthly'): Promise<Uuid> {
    const account = await opened.payingAccount({ currency: 'USD' });
    await opened.subscribe({ accountId: account.id, planName });
    return account.id;
  }

  /** Returns all items in the order of their invoices, with the effective date of their catalog version. */
  async function itemsOf({ acme }: TestEngine, accountId: Uuid): Promise<readonly string[]> {
    const invoices = await acme.invoices.ofAccount({ accountId, withItems: true });
    return invoices.flatMap(({ items }) =>
      items.map(({ itemType, startDate, endDate, amount, catalogEffectiveDate: version }) => {
        const from = startDate === null ? '' : startDate;
        const to = endDate === null ? '' : `..${endDate}`;
        const supplied = version === null ? '' : ` v${version.toISOString().slice(0, 10)}`;
        return `${itemType} ${from}${to} ${formatDecimal(amount)}${supplied}`;
      }),
    );
  }

  const uploads = {
    'before the subscription began': ['2024-03-15', '2024-03-15'],
    'each on its own date': ['2024-04-01', '2024-07-01'],
    'on the day of the change': ['2024-05-01', '2024-08-01'],
  } as const;
  for (const [when, [second, third]] of Object.entries(uploads)) {
    for (const isAligned of [false, true]) {
      const name = isAligned
        ? 'on a bill cycle date if aligned (catalog W4)'
        : 'on their own date if unaligned (catalog W3)';
      // An upload after billing splits the billed period by a repair, which another test covers.
      if (!isAligned && when === 'on the day of the change') continue;
      it(`apply ${name}, with versions uploaded ${when}`, async () => {
        const opened = await begin('2024-03-15T00:00:00Z', heat[0] as PricedVersion, isAligned);
        const [, v2, v3] = heat as readonly [PricedVersion, PricedVersion, PricedVersion];
        if (second === '2024-03-15') await upload(opened, v2, v3);
        const accountId = await subscribe(opened);
        if (second !== '2024-03-15') {
          await opened.runTo(`${second}T00:00:00Z`);
          await opened.settle(upload(opened, v2));
          await opened.runTo(`${third}T00:00:00Z`);
          await opened.settle(upload(opened, v3));
        }
        await opened.runTo('2024-08-15T00:00:00Z');
        expect(await itemsOf(opened, accountId)).to.eql(isAligned ? alignedItems : unalignedItems);
      });
    }
  }

  it('apply to new subscriptions, while existing subscriptions keep their price (catalog W2 "Grandfathering")', async () => {
    const planName = 'a-monthly';
    const opened = await begin('2024-03-05T00:00:00Z', version('2024-01-01', '30.00', { planName }));
    await upload(opened, version('2024-04-01', '36.00', { planName }));
    const kept = await subscribe(opened, planName);
    await opened.runTo('2024-04-05T00:00:00Z');
    const started = await subscribe(opened, planName);
    await opened.runTo('2024-05-05T00:00:00Z');
    expect(await itemsOf(opened, kept)).to.eql([
      'RECURRING 2024-03-05..2024-04-05 30 v2024-01-01',
      'RECURRING 2024-04-05..2024-05-05 30 v2024-01-01',
      'RECURRING 2024-05-05..2024-06-05 30 v2024-01-01',
    ]);
    expect(await itemsOf(opened, started)).to.eql([
      'RECURRING 2024-04-05..2024-05-05 36 v2024-04-01',
      'RECURRING 2024-05-05..2024-06-05 36 v2024-04-01',
    ]);
  });

  it('apply only from the latest of two versions within an aligned cycle (catalog W5)', async () => {
    const opened = await begin('2024-05-03T00:00:00Z', version('2024-01-01', '70.00'), true);
    await upload(
      opened,
      version('2024-05-12', '55.00', { forExisting: '2024-05-12' }),
      version('2024-05-20', '88.00', { forExisting: '2024-05-20' }),
    );
    const accountId = await subscribe(opened);
    await opened.runTo('2024-06-03T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.eql([
      'RECURRING 2024-05-03..2024-06-03 70 v2024-01-01',
      'RECURRING 2024-06-03..2024-07-03 88 v2024-05-20',
    ]);
  });

  it('repair an invoiced period on the date of the change, but not earlier', async () => {
    const opened = await begin('2024-03-15T00:00:00Z', heat[0] as PricedVersion);
    const accountId = await subscribe(opened);
    await opened.runTo('2024-04-20T00:00:00Z');
    await upload(opened, heat[1] as PricedVersion);
    await opened.runTo('2024-04-30T00:00:00Z');
    const before = [
      'RECURRING 2024-03-15..2024-04-15 40 v2024-01-01',
      'RECURRING 2024-04-15..2024-05-15 40 v2024-01-01',
    ];
    expect(await itemsOf(opened, accountId)).to.eql(before);
    await opened.runTo('2024-05-01T00:00:00Z');
    const changed = [
      ...before,
      'RECURRING 2024-05-01..2024-05-15 24.27 v2024-04-01',
      'REPAIR_ADJ 2024-05-01..2024-05-15 -18.67',
    ];
    expect(await itemsOf(opened, accountId)).to.eql(changed);
    await opened.runTo('2024-05-15T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.eql([
      ...changed,
      'RECURRING 2024-05-15..2024-06-15 52 v2024-04-01',
    ]);
  });

  it('apply immediately if they are uploaded after the date on which they take effect for existing subscriptions', async () => {
    const opened = await begin('2024-03-15T00:00:00Z', heat[0] as PricedVersion);
    const accountId = await subscribe(opened);
    await opened.runTo('2024-06-20T00:00:00Z');
    await upload(opened, heat[1] as PricedVersion);
    const foreseen = await opened.acme.invoices.dryRun({ accountId, targetDate: '2024-06-20' });
    await opened.settle();
    expect((await itemsOf(opened, accountId)).slice(4)).to.eql([
      'RECURRING 2024-05-01..2024-05-15 24.27 v2024-04-01',
      'REPAIR_ADJ 2024-05-01..2024-05-15 -18.67',
      'RECURRING 2024-05-15..2024-06-15 52 v2024-04-01',
      'REPAIR_ADJ 2024-05-15..2024-06-15 -40',
      'RECURRING 2024-06-15..2024-07-15 52 v2024-04-01',
      'REPAIR_ADJ 2024-06-15..2024-07-15 -40',
    ]);
    const [last] = (await opened.acme.invoices.ofAccount({ accountId, withItems: true })).slice(-1);
    expect(foreseen && formatDecimal(foreseen.rawBalance)).to.equal(last && formatDecimal(last.amount));
  });

  it('are billed by an explicit run right after the upload, which leaves nothing for the automatic run', async () => {
    const opened = await begin('2024-03-15T00:00:00Z', heat[0] as PricedVersion);
    const accountId = await subscribe(opened);
    await opened.runTo('2024-05-02T00:00:00Z');
    await upload(opened, heat[1] as PricedVersion);
    await opened.acme.generateInvoice({ accountId });
    const items = await itemsOf(opened, accountId);
    expect(items.slice(2)).to.eql([
      'RECURRING 2024-05-01..2024-05-15 24.27 v2024-04-01',
      'REPAIR_ADJ 2024-05-01..2024-05-15 -18.67',
    ]);
    await opened.settle();
    expect(await itemsOf(opened, accountId)).to.eql(items);
  });

  it('apply to an annual subscription long before its next due date', async () => {
    const annual = { planName: 'heat-annual', period: 'ANNUAL' };
    const opened = await begin('2024-01-01T00:00:00Z', version('2024-01-01', '366.00', { ...annual }));
    const accountId = await subscribe(opened, 'heat-annual');
    await opened.runTo('2024-02-01T00:00:00Z');
    await upload(opened, version('2024-03-01', '732.00', { forExisting: '2024-07-01', ...annual }));
    await opened.runTo('2024-06-30T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.have.length(1);
    await opened.runTo('2024-07-01T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.eql([
      'RECURRING 2024-01-01..2025-01-01 366 v2024-01-01',
      'RECURRING 2024-07-01..2025-01-01 368 v2024-03-01',
      'REPAIR_ADJ 2024-07-01..2025-01-01 -184',
    ]);
  });

  it('wait for the annual renewal if they are aligned, and split no period (catalog §6.4 rule 5)', async () => {
    const annual = { planName: 'heat-annual', period: 'ANNUAL' };
    const first = version('2024-01-01', '366.00', { ...annual });
    const opened = await begin('2024-01-01T00:00:00Z', first, true);
    const accountId = await subscribe(opened, 'heat-annual');
    await opened.runTo('2024-02-01T00:00:00Z');
    const raised = version('2024-03-01', '732.00', { forExisting: '2024-07-01', ...annual });
    const report = await Array.fromAsync(await opened.acme.catalogs.changeReport(pricedCatalog(raised)));
    expect(report.flatMap((part) => (part.kind === 'PRICE_CHANGE' ? part.change.from.date : []))).to.eql([
      '2025-01-01',
    ]);
    await opened.settle(upload(opened, raised));
    await opened.runTo('2025-01-01T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.eql([
      'RECURRING 2024-01-01..2025-01-01 366 v2024-01-01',
      'RECURRING 2025-01-01..2026-01-01 732 v2024-03-01',
    ]);
    expect(await opened.acme.invoices.verifyCoverage(accountId)).to.eql([]);
  });

  it('start on the day of an earlier BCD_CHANGE if they are aligned (catalog §6.4 rule 5)', async () => {
    const opened = await begin('2024-03-10T00:00:00Z', version('2024-01-01', '40.00'), true);
    const { id: accountId } = await opened.payingAccount({ currency: 'USD', billCycleDayLocal: 10 });
    const { subscriptionId } = await opened.subscribe({ accountId, planName: 'heat-monthly' });
    await upload(opened, version('2024-04-01', '52.00', { forExisting: '2024-04-20' }));
    await opened.runTo('2024-04-12T00:00:00Z');
    await opened.acme.subscriptions.changeBillCycleDay(subscriptionId, {
      billCycleDayLocal: 25,
      effectiveFromDate: '2024-04-25',
    });
    await opened.settle();
    await opened.runTo('2024-05-25T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.eql([
      'RECURRING 2024-03-10..2024-04-10 40 v2024-01-01',
      'RECURRING 2024-04-10..2024-05-10 40 v2024-01-01',
      'RECURRING 2024-04-25..2024-05-25 52 v2024-04-01',
      'REPAIR_ADJ 2024-04-25..2024-05-10 -20',
      'RECURRING 2024-05-25..2024-06-25 52 v2024-04-01',
    ]);
    expect(await opened.acme.invoices.verifyCoverage(accountId)).to.eql([]);
  });

  it('do not cause a fixed price to be billed again', async () => {
    const setUp = {
      initialPhases: `<phase type="TRIAL"><duration><unit>DAYS</unit><number>30</number></duration>
          <fixed><fixedPrice><price><currency>USD</currency><value>9.00</value></price></fixedPrice></fixed></phase>`,
    };
    const opened = await begin('2024-03-15T00:00:00Z', version('2024-01-01', '40.00', { ...setUp }));
    await upload(opened, version('2024-03-20', '50.00', { forExisting: '2024-03-25', ...setUp }));
    const accountId = await subscribe(opened);
    await opened.runTo('2024-04-14T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.eql([
      'FIXED 2024-03-15..2024-04-14 9 v2024-01-01',
      'RECURRING 2024-04-14..2024-05-14 50 v2024-03-20',
    ]);
  });

  it('do not repeat a setup fee after a backdated version, unless the fee was voided (invoicing §6 rule 6)', async () => {
    const withFee = (fee: string) => ({
      initialPhases: `<phase type="DISCOUNT"><duration><unit>MONTHS</unit><number>3</number></duration>
          <fixed><fixedPrice><price><currency>USD</currency><value>${fee}</value></price></fixedPrice></fixed>
          <recurring><billingPeriod>MONTHLY</billingPeriod><recurringPrice><price><currency>USD</currency><value>10.00</value></price></recurringPrice></recurring></phase>`,
    });
    const opened = await begin(
      '2024-03-15T00:00:00Z',
      version('2024-01-01', '40.00', { ...withFee('9.00') }),
    );
    const { id: accountId } = await opened.acme.createAccount({ currency: 'USD' });
    await opened.subscribe({ accountId, planName: 'heat-monthly' });
    await opened.runTo('2024-04-01T00:00:00Z');
    const later = version('2024-03-01', '40.00', { forExisting: '2024-03-01', ...withFee('14.00') });
    const report = await Array.fromAsync(await opened.acme.catalogs.changeReport(pricedCatalog(later)));
    expect(report.filter(({ kind }) => kind === 'PRICE_CHANGE')).to.eql([]);
    await opened.settle(upload(opened, later));
    await opened.runTo('2024-04-15T00:00:00Z');
    const billed = [
      'FIXED 2024-03-15 9 v2024-01-01',
      'RECURRING 2024-03-15..2024-04-15 10 v2024-01-01',
      'RECURRING 2024-04-15..2024-05-15 10 v2024-03-01',
    ];
    expect(await itemsOf(opened, accountId)).to.eql(billed);
    const [first] = await opened.acme.invoices.ofAccount({ accountId });
    if (first === undefined) throw new Error('there is no invoice');
    await opened.acme.invoices.void(first.id);
    await opened.acme.generateInvoice({ accountId });
    expect((await itemsOf(opened, accountId)).filter((line) => line.startsWith('FIXED'))).to.include(
      'FIXED 2024-03-15 14 v2024-03-01',
    );
    expect(await opened.acme.invoices.verifyCoverage(accountId)).to.eql([]);
  });

  it('cause no run or invoice if the version does not affect the subscription', async () => {
    const opened = await begin('2024-03-15T00:00:00Z', heat[0] as PricedVersion);
    const accountId = await subscribe(opened);
    const events = newEvents(opened.database);
    await events();
    await upload(
      opened,
      version('2024-03-20', '99.00'),
      version('2024-03-25', '40.0', { forExisting: '2024-04-02' }),
    );
    await opened.runTo('2024-04-14T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.have.length(1);
    expect(await events()).to.eql(['TENANT_CONFIG_CHANGE', 'TENANT_CONFIG_CHANGE']);
  });

  it('do not affect a subscription to a plan that can no longer be bought (catalog W6 "Retirement")', async () => {
    const opened = await begin('2024-02-10T00:00:00Z', version('2024-01-01', '40.00'));
    const accountId = await subscribe(opened);
    await upload(opened, version('2024-03-01', '70.00', { isRetired: true }));
    await opened.runTo('2024-03-10T00:00:00Z');
    expect(await itemsOf(opened, accountId)).to.eql([
      'RECURRING 2024-02-10..2024-03-10 40 v2024-01-01',
      'RECURRING 2024-03-10..2024-04-10 40 v2024-01-01',
    ]);
    await expectCode(opened.acme.createSubscription({ accountId, planName: 'heat-monthly' }), 2021);
  });
});
