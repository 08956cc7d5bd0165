import { parseLocalDate } from '../../lib/index.ts';
import { anyDatabase, expect, expectCode, openEngine, type TestEngine } from '../support/index.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';
import { shelfDocuments } from '../support/usage-oracle/metered-shelf.ts';

anyDatabase('the next invoice of an account with usage, where zero items are dropped', (open) => {
  let engine: TestEngine;

  const configuration = {
    'org.service.invoice.disable.usage.zero.amount': true,
    'org.service.invoice.usage.beyondLookback': 'NEXT_PERIOD',
  };

  it('usage §7.10: is none at once, however many subscriptions wait for usage from before the look-back', async () => {
    engine = await openEngine(open, { now: '2026-01-01T00:00:00Z', catalog: usageCatalog, configuration });
    const { acme } = engine;
    const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    await acme.createSubscription({ accountId, planName: 'api-std' });
    engine.clock.set('2026-01-15T00:00:00Z');
    const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'sms-payg' });
    await engine.runTo('2026-02-01T00:00:00Z');
    await engine.runTo('2026-03-01T00:00:00Z');
    const request = { accountId, dryRunType: 'UPCOMING_INVOICE' } as const;
    expect(await acme.invoices.dryRun(request)).to.equal(null);
    for (const date of ['2026-04-01', '2026-05-01', '2026-06-01']) await engine.runTo(`${date}T00:00:00Z`);
    await acme.recordUsage({
      subscriptionId,
      trackingId: 'late',
      unitUsageRecords: [{ unitType: 'sms', usageRecords: [{ recordDate: '2026-01-20', amount: '100' }] }],
    });
    const upcoming = await acme.invoices.dryRun(request);
    expect(upcoming?.targetDate && upcoming.targetDate).to.equal('2026-07-01');
    expect(upcoming?.trackingIds).to.eql(['late']);
  });

  it('usage §7.10: has nothing of what is billed, where a run ahead has looked further than the next one', async () => {
    engine = await openEngine(open, { now: '2024-01-29T15:20:11Z', catalog: null, configuration });
    const { acme } = engine;
    for (const document of shelfDocuments) await acme.uploadCatalog(document);
    const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 9 });
    const begun = { date: parseLocalDate('2024-01-09') };
    const { subscriptionId } = await acme.createSubscription(
      { accountId, planName: 'trial-plan' },
      { entitlementDate: begun, billingDate: begun },
    );
    await engine.settle(acme.createSubscription({ accountId, planName: 'top-plan' }));
    await engine.runTo('2024-03-01T20:34:10Z');
    await acme.subscriptions.changeBillCycleDay(subscriptionId, {
      billCycleDayLocal: 11,
      effectiveFromDate: '2024-03-11',
    });
    await engine.settle();
    const ahead = acme.invoices.generate({ accountId, targetDate: parseLocalDate('2024-03-11') });
    await expectCode(ahead, 'INVOICE_NOTHING_TO_DO');
    expect(await acme.invoices.dryRun({ accountId, dryRunType: 'UPCOMING_INVOICE' })).to.equal(null);
  });
});
