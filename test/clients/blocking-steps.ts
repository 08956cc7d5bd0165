import { expect } from 'chai';
import type { BlockingState } from 'killbill';
import { BY, type IdName, type JourneyOf } from './journey.ts';
import { failureOf, type KillbillClient } from './killbill-client.ts';

const objects = [
  ['account', 'addAccountBlockingState', 'accountId', 'ACCOUNT'],
  ['bundle', 'addBundleBlockingState', 'bundleId', 'SUBSCRIPTION_BUNDLE'],
  ['subscription', 'addSubscriptionBlockingState', 'subscriptionId', 'SUBSCRIPTION'],
] as const satisfies readonly (readonly [keyof KillbillClient, string, IdName, string])[];

export function describeBlocking(journey: JourneyOf): void {
  describe('blocking states', () => {
    for (const [api, operation, idName, type] of objects)
      it(`are set by ${operation}, which returns the states of that type`, async () => {
        const { client, ids } = journey();
        const body: BlockingState = { service: 'fraud', stateName: 'watched', isBlockChange: false };
        const made = await client.operation(api, operation)(body, ids.get(idName), BY, '2024-03-01');
        const states = (made.data as BlockingState[]).filter(({ service }) => service === 'fraud');
        expect(states).to.have.length(1);
        expect(states[0]).to.deep.include({
          blockedId: ids.get(idName),
          type,
          service: 'fraud',
          stateName: 'watched',
          isBlockChange: false,
          isBlockEntitlement: false,
          isBlockBilling: false,
        });
      });

    it('are listed by type and service', async () => {
      const { client, ids } = journey();
      const accountId = ids.get('accountId');
      const { data } = await client.account.getBlockingStates(
        accountId,
        ['SUBSCRIPTION', 'ACCOUNT'],
        ['fraud'],
        'FULL',
      );
      expect(data.map(({ type }) => type)).to.have.members(['ACCOUNT', 'SUBSCRIPTION']);
      expect(data[0]?.auditLogs?.[0]).to.include({ changeType: 'INSERT', changedBy: BY });
    });

    it('are rejected without a service', async () => {
      const { client, ids } = journey();
      const body: BlockingState = { stateName: 'watched' };
      const refused = await failureOf(client.account.addAccountBlockingState(body, ids.get('accountId'), BY));
      expect(refused.status).to.equal(400);
      expect(refused.body).to.include({ code: 1107 });
    });

    it('pause and resume a bundle', async () => {
      const { client, ids } = journey();
      const id = ids.get('bundleId');
      expect((await client.bundle.pauseBundle(id, BY, '2024-08-01')).status).to.equal(204);
      expect((await client.bundle.resumeBundle(id, BY, '2024-09-01')).status).to.equal(204);
      const { data } = await client.subscription.getSubscription(ids.get('subscriptionId'));
      const types = data.events?.map(({ eventType }) => eventType);
      expect(types?.slice(-4)).to.eql([
        'PAUSE_ENTITLEMENT',
        'PAUSE_BILLING',
        'RESUME_ENTITLEMENT',
        'RESUME_BILLING',
      ]);
    });
  });
}
