import type { Subscription } from 'killbill';
import { anyDatabase, expect, migrated, serve } from '../support/http/index.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';
import { BY } from './journey.ts';
import { killbillClient } from './killbill-client.ts';

const login = { username: 'admin', password: 'password', tenant: ['bob', 'lazar'] } as const;

anyDatabase.describe('unmodified npm package killbill with usage billing', (open) => {
  it('records, previews, bills, overrides and explains usage by tracking id', async () => {
    const serving = await serve(await open(migrated));
    try {
      serving.clock.set('2026-04-01T00:00:00Z');
      const { account, catalog, invoice, subscription, usage } = killbillClient({
        ...login,
        url: serving.url,
      });
      await catalog.uploadCatalogXml(usageCatalog, BY);
      const { data: versions } = await catalog.getCatalogJson();
      const plans = versions[0]?.products?.flatMap(({ plans: own = [] }) => own) ?? [];
      const sold = plans.find(({ name }) => name === 'sms-payg');
      expect(sold?.phases?.[0]?.usages?.[0]?.tiers?.[0]?.blocks?.[0]).to.deep.include({
        unit: 'sms',
        size: '100',
        max: '10',
      });
      const { data: customer } = await account.createAccount({ currency: 'USD', billCycleDayLocal: 1 }, BY);
      const accountId = customer.accountId ?? '';
      const blockPrices = [{ unitName: 'sms', size: 100, max: 10, price: 2 }];
      const order = {
        accountId,
        planName: 'sms-payg',
        priceOverrides: [
          {
            phaseType: 'EVERGREEN',
            usagePrices: [{ usageName: 'sms-usage', tierPrices: [{ blockPrices }] }],
          },
        ],
      };
      const { data: made } = await subscription.createSubscription(order as Subscription, BY);
      const subscriptionId = made.subscriptionId ?? '';
      expect(
        made.prices?.[0]?.usagePrices?.[0]?.tierPrices?.map((tier) => tier.blockPrices?.[0]?.price),
      ).to.eql([2, 5.95]);
      for (const [trackingId, recordDate, amount] of [
        ['first', '2026-04-01', 99],
        ['second', '2026-04-15', 1_001],
      ] as const) {
        const unitUsageRecords = [{ unitType: 'sms', usageRecords: [{ recordDate, amount }] }];
        await usage.recordUsage({ subscriptionId, trackingId, unitUsageRecords }, BY);
      }
      const { data: rolledUp } = await usage.getAllUsage(subscriptionId, '2026-04-01', '2026-05-01');
      expect(rolledUp.rolledUpUnits).to.eql([{ unitType: 'sms', amount: 1_100 }]);
      const { data: foreseen } = await invoice.generateDryRunInvoice({}, accountId, BY, '2026-05-01');
      expect(foreseen).to.deep.include({ amount: 25.95, trackingIds: ['first', 'second'] });
      serving.clock.set('2026-05-01T00:00:00Z');
      await serving.billing.settle();
      const { data: invoices } = await account.getInvoicesForAccount(accountId);
      const { data: billed } = await invoice.getInvoice(invoices[0]?.invoiceId ?? '');
      expect(billed).to.deep.include({ amount: 25.95, trackingIds: ['first', 'second'] });
      expect(billed.items).to.have.length(1);
      expect(billed.items?.[0]).to.include({
        itemType: 'USAGE',
        usageName: 'sms-usage',
        startDate: '2026-04-01',
        endDate: '2026-05-01',
        amount: 25.95,
      });
      const details = JSON.parse(billed.items?.[0]?.itemDetails ?? '{}');
      expect(details.tierDetails.map(({ tierPrice }: { tierPrice: number }) => tierPrice)).to.eql([2, 5.95]);
    } finally {
      await serving.close();
    }
  });
});
