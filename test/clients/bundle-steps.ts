import { expect } from 'chai';
import type { Bundle, Subscription } from 'killbill';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describeBundles(journey: JourneyOf): void {
  describe('bundles', () => {
    it('are found by id and by key, in lists and by search', async () => {
      const { client, ids } = journey();
      const bundleId = ids.get('bundleId');
      const byId = await client.bundle.getBundle(bundleId, 'FULL');
      expect(byId.data).to.include({ bundleId, externalKey: 'bundle' });
      expect((await client.bundle.getBundleByKey('bundle', false, 'FULL')).data).to.eql([byId.data]);
      const page = await client.bundle.getBundles(0, 1, 'NONE');
      expect(page.data.map((bundle) => bundle.bundleId)).to.eql([bundleId]);
      expect(page.data[0]?.subscriptions?.[0]?.prices).to.eql([]);
      expect(page.headers).to.include({ 'x-killbill-pagination-nextoffset': '1' });
      const found = await client.bundle.searchBundles('bundle', 0, 10, 'FULL');
      expect(found.data.map((bundle) => bundle.bundleId)).to.eql([bundleId]);
      const none = await failureOf(client.bundle.getBundleByKey('nobody'));
      expect(none).to.nested.include({ status: 404, 'body.code': 1084 });
    });

    it('change their key and move to another account', async () => {
      const { client, ids } = journey();
      const planned = {
        accountId: ids.get('accountId'),
        bundleExternalKey: 'to be renamed',
        planName: 'canopy-monthly',
      };
      const made = await client.subscription.createSubscription(planned as Subscription, BY);
      const { bundleId = '', subscriptionId = '' } = made.data;
      const renamed = await client.bundle.renameExternalKey(
        { externalKey: 'renamed' } as Bundle,
        bundleId,
        BY,
      );
      expect(renamed.status).to.equal(204);
      expect((await client.bundle.getBundleByKey('renamed')).data[0]?.bundleId).to.equal(bundleId);

      const target = await client.account.createAccount(
        { currency: 'USD', externalKey: 'of the transfer' },
        BY,
      );
      const subscriptions = [{ subscriptionId, externalKey: 'hers' } as Subscription];
      const body = { accountId: target.data.accountId, subscriptions } as Bundle;
      const moved = await client.bundle.transferBundle(
        body,
        bundleId,
        BY,
        undefined,
        'IMMEDIATE',
        'USE_EXISTING',
      );
      expect(moved.status).to.equal(201);
      expect(moved.data).to.deep.include({ accountId: target.data.accountId, externalKey: 'renamed' });
      expect(moved.data.subscriptions?.[0]).to.include({
        externalKey: 'hers',
        sourceType: 'TRANSFERRED',
        state: 'ACTIVE',
      });
      const all = await client.bundle.getBundleByKey('renamed', true);
      expect(all.data.map((each) => each.bundleId)).to.eql([bundleId, moved.data.bundleId]);
      const again = await failureOf(client.bundle.transferBundle(body, bundleId, BY));
      expect(again).to.nested.include({ status: 400, 'body.code': 1099 });
      await journey().serving.billing.settle();
    });
  });
}
