import { decimal, type PriceOverrideRequest } from '../../lib/index.ts';
import { eachDatabaseByTurns, expect, expectCode, itemLines } from '../support/index.ts';
import { powerCatalogs } from '../support/usage/usage-catalog.ts';
import { UsageStage } from '../support/usage/usage-stage.ts';

/** unit, size, max, price */
type Block = readonly [unitName: string, size: string, max: string, price: string];

function overriding(usageName: string, ...blocks: readonly Block[]): readonly PriceOverrideRequest[] {
  const tierPrices = blocks.map(([unitName, size, max, price]) => ({
    blockPrices: [{ unitName, size: decimal(size), max: decimal(max), price: decimal(price) }],
  }));
  return [{ phaseType: 'EVERGREEN', usagePrices: [{ usageName, tierPrices }] }];
}

eachDatabaseByTurns.describe('usage price changes', (open) => {
  let stage: UsageStage;

  const change = (planName: string, priceOverrides: readonly PriceOverrideRequest[]) =>
    stage.engine.acme.subscriptions.changePlan(stage.subscriptionId, {
      planName,
      priceOverrides,
      billingPolicy: 'IMMEDIATE',
    });

  it('end the current interval, and keep the list price of parts without an override (usage §4.1 rules 1, 5)', async () => {
    stage = await UsageStage.begin(open, { planName: 'sms-payg', from: '2026-04-01' });
    await stage.use('1100 sms 2026-04-02');
    await stage.runTo('2026-04-11');
    await change('sms-payg', overriding('sms-usage', ['sms', '100.0', '10', '1']));
    await stage.use('1100 sms 2026-04-12');
    await stage.runTo('2026-04-21');
    await change('sms-payg', overriding('sms-usage', ['sms', '1000', '100', '4.5']));
    await stage.use('1100 sms 2026-04-22');
    expect(
      (await stage.engine.acme.usage.rated(stage.subscriptionId)).map(({ amount }) => amount.toString()),
    ).to.eql(['34']);
    await stage.runTo('2026-05-01');
    // Tiers start again: ten blocks at 2.95 and one at 5.95, one at 5.95, then ten at 2.95 and one at 4.50.
    expect(await stage.lines()).to.eql([
      'USAGE 2026-04-01..2026-04-11 35.45',
      'USAGE 2026-04-11..2026-04-21 15.95',
      'USAGE 2026-04-21..2026-05-01 34',
    ]);
    const [, second] = await stage.invoices();
    expect(second?.items[0]).to.deep.include({ usageName: 'sms-usage', prettyUsageName: 'sms-usage' });
  });

  it('can override a tier of CAPACITY by its position (usage §4.1 rule 4)', async () => {
    stage = await UsageStage.begin(open, { planName: 'team-cap', from: '2026-01-01' });
    const tierPrices = [{ blockPrices: [] }, { blockPrices: [], recurringPrice: decimal('3.5') }];
    await change('team-cap', [
      { phaseType: 'EVERGREEN', usagePrices: [{ usageName: 'team-usage', tierPrices }] },
    ]);
    await stage.use('101 mbps 2026-01-10');
    const [foreseen] = await stage.engine.acme.usage.rated(stage.subscriptionId);
    expect(foreseen?.amount.toString()).to.equal('3.5');
    await stage.runTo('2026-02-01');
    expect(itemLines(await stage.last())).to.eql(['USAGE 2026-01-01..2026-02-01 3.5']);
  });

  it('are rejected if no section or block matches (usage §4.1 rule 2)', async () => {
    stage = await UsageStage.begin(open, { planName: 'sms-payg', from: '2026-04-01' });
    for (const wrong of [
      overriding('fax-usage', ['sms', '100', '10', '1']),
      overriding('sms-usage', ['sms', '100', '11', '1']),
      overriding('sms-usage', ['fax', '100', '10', '1']),
    ])
      await expectCode(change('sms-payg', wrong), 'CATALOG_INVALID_PRICE_OVERRIDE');
  });

  it('are shown in a catalog change report with the future cost and its date', async () => {
    stage = await UsageStage.begin(open, { planName: 'power', from: '2026-04-01' });
    const report = await stage.engine.acme.catalogs.changeReport(powerCatalogs);
    const lines = (await Array.fromAsync(report)).flatMap((part) => {
      if (part.kind !== 'PRICE_CHANGE') return [];
      const { from, priceType, usage, oldPrice, newPrice, catalogEffectiveDate: version } = part.change;
      const section = `${usage?.usageName} T${usage?.tier} ${usage?.unitType}`;
      return `${from.date} ${priceType} ${section} ${oldPrice} → ${newPrice} v${version?.toISOString().slice(0, 10)}`;
    });
    expect(lines).to.eql([
      '2026-05-08 USAGE power-usage T1 kwh 1.5 → 2.5 v2026-05-08',
      '2026-05-08 USAGE power-usage T2 kwh 2 → 3 v2026-05-08',
    ]);
  });
});
