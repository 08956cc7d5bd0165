import { Billing } from '../../adapters/node/billwright.ts';
import { httpPushSender } from '../../adapters/node/index.ts';
import { fakeClock } from '../../adapters/testing/index.ts';
import { expect, migrated, onPostgresql, plainHasher, recordingLogger, storageOf } from '../support/index.ts';
import { openReceiver } from '../support/push/receiver.ts';
import { usageCatalog } from '../support/usage/usage-catalog.ts';

onPostgresql.describe('usage thresholds on several nodes (usage §12.1)', (open) => {
  it('are each reported by exactly one push, regardless of which nodes record and evaluate the usage', async () => {
    const receiver = await openReceiver();
    const sender = httpPushSender();
    const database = await open(migrated);
    const openNode = () =>
      Billing.open<never>({
        storage: storageOf(database),
        clock: fakeClock('2026-04-10T00:00:00Z'),
        logger: recordingLogger(),
        hasher: plainHasher(),
        testMode: true,
        pushSender: { ...sender, close: async () => undefined },
      });
    const nodes = [await openNode(), await openNode()];
    try {
      const tenant = await nodes[0]?.tenants.create({ userName: 'test' }, { apiKey: 'acme', apiSecret: 'x' });
      if (tenant === undefined) throw new Error('no tenant');
      const callers = nodes.map((billing) => billing.as({ tenant, user: 'test' }));
      const [acme] = callers;
      if (acme === undefined) throw new Error('no node');
      await acme.uploadCatalog(usageCatalog);
      const thresholds = { quantity: { calls: [1, 25, 40, 41] }, amount: { USD: 39.5 } };
      await acme.keyValues.add('USAGE_TERMS', JSON.stringify({ 'std-usage': { thresholds } }));
      const { id: accountId } = await acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
      const { subscriptionId } = await acme.createSubscription({ accountId, planName: 'api-std' });
      await acme.keyValues.add('PUSH_NOTIFICATION_CB', receiver.url);
      for (const billing of nodes) billing.start();
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          callers[index % 2]?.recordUsage({
            subscriptionId,
            trackingId: `t${index}`,
            unitUsageRecords: [
              { unitType: 'calls', usageRecords: [{ recordDate: '2026-04-10', amount: '1' }] },
            ],
          }),
        ),
      );
      for (const billing of nodes) expect(await billing.settle()).to.equal(true);
      const announcements = receiver.arrived
        .map(({ event }) => event)
        .filter(({ eventType }) => eventType === 'USAGE_THRESHOLD');
      const facts = announcements.map(({ metaData }) => JSON.parse(String(metaData)));
      const name = ({ unitType, currency, threshold }: Record<string, unknown>) =>
        `${unitType ?? currency} ${threshold}`;
      expect(facts.map(name).toSorted()).to.eql(['USD 39.5', 'calls 1', 'calls 25', 'calls 40']);
      const last = announcements.find((_event, index) => name(facts[index]) === 'calls 40');
      expect(last).to.eql({
        eventType: 'USAGE_THRESHOLD',
        accountId,
        objectType: 'SUBSCRIPTION',
        objectId: subscriptionId,
        metaData:
          '{"usageName":"std-usage","unitType":"calls","currency":null,"threshold":40,"reached":40,"startDate":"2026-04-10","endDate":"2026-05-01"}',
      });
    } finally {
      for (const billing of nodes) await billing.close();
      await receiver.close();
      await sender.close?.();
    }
  });
});
