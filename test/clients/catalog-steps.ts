import { expect } from 'chai';
import { SimplePlanBillingPeriodEnum, SimplePlanCurrencyEnum, SimplePlanProductCategoryEnum } from 'killbill';
import { exampleCatalog } from '../support/http/serving.ts';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

const january = '2024-01-01T00:00:00.000Z';
const july = '2024-07-01T00:00:00.000Z';

export function describeCatalog(journey: JourneyOf): void {
  describe('catalog', () => {
    it('is validated and uploaded in versions, which are all listed', async () => {
      const { catalog } = journey().client;
      const first = (await exampleCatalog()).toString('utf8');
      expect((await catalog.validateCatalogXml(first, BY)).data).to.eql({ catalogValidationErrors: [] });
      const { data } = await catalog.validateCatalogXml(first.replace('<number>14</number>', ''), BY);
      expect(data.catalogValidationErrors?.length).to.be.greaterThan(0);
      const refused = await failureOf(catalog.uploadCatalogXml('<catalog/>', BY));
      expect(refused).to.deep.include({ status: 400 });
      expect(refused.body).to.include({ code: 2080 });

      expect((await catalog.uploadCatalogXml(first, BY)).status).to.equal(201);
      await catalog.uploadCatalogXml(first.replace('2024-01-01T00:00:00Z', '2024-07-01T00:00:00Z'), BY);
      expect((await catalog.getCatalogVersions()).data).to.eql([january, july]);
      const all = await catalog.getCatalogJson();
      expect(all.data.map((version) => version.effectiveDate)).to.eql([january, july]);
      expect(all.data[0]?.products?.map((product) => product.name)).to.include('Sprout');
      const later = await catalog.getCatalogJson('2024-08-01');
      expect(later.data.map((version) => version.effectiveDate)).to.eql([july]);
    });

    it('is returned as XML', async () => {
      const { catalog } = journey().client;
      const { data } = await catalog.getCatalogXml('2024-03-01');
      expect(data).to.include('<catalogName>Meadow</catalogName>');
      expect(data).to.include('<plan name="canopy-monthly"');
    });

    it('includes a simple plan after it was added, also among the base plans', async () => {
      const { catalog } = journey().client;
      const lamp = {
        planId: 'lamp-monthly',
        productName: 'Lamp',
        productCategory: SimplePlanProductCategoryEnum.Base,
        currency: SimplePlanCurrencyEnum.Usd,
        amount: 12.5,
        billingPeriod: SimplePlanBillingPeriodEnum.Monthly,
        trialLength: 0,
      };
      expect((await catalog.addSimplePlan(lamp, BY)).status).to.equal(201);
      const { data } = await catalog.getAvailableBasePlans();
      const found = data.find((detail) => detail.plan === 'lamp-monthly');
      expect(found).to.deep.include({ product: 'Lamp', priceList: 'DEFAULT' });
      expect(found?.finalPhaseRecurringPrice).to.deep.include({ currency: 'USD', value: 12.5 });
      const addOns = await catalog.getAvailableAddons('Sprout', 'DEFAULT');
      expect(addOns.data.map((detail) => detail.product)).to.include('Archive');
    });
  });
}

export function describeCatalogOfSubscription(journey: JourneyOf): void {
  it('is found for a subscription on a date and cannot be deleted while it is in use', async () => {
    const { client, ids } = journey();
    const { catalog } = client;
    const of = [ids.get('subscriptionId'), '2024-02-20'] as const;
    expect((await catalog.getPlanForSubscriptionAndDate(...of)).data).to.include({ name: 'canopy-monthly' });
    expect((await catalog.getPhaseForSubscriptionAndDate(...of)).data).to.include({ type: 'EVERGREEN' });
    expect((await catalog.getProductForSubscriptionAndDate(...of)).data).to.include({ name: 'Canopy' });
    expect((await catalog.getPriceListForSubscriptionAndDate(...of)).data).to.include({ name: 'DEFAULT' });
    const early = await failureOf(catalog.getPlanForSubscriptionAndDate(of[0], '2023-12-01'));
    expect(early.status).to.equal(400);
    expect((await failureOf(catalog.deleteCatalog(BY))).status).to.equal(400);
  });
}
