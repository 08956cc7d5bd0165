import { expect } from 'chai';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

const nobody = '11111111-1111-4111-8111-111111111111';

export function describeUsage(journey: JourneyOf): void {
  describe('usage', () => {
    const usageOf = (subscriptionId: string) => ({
      subscriptionId,
      trackingId: 'week 5',
      unitUsageRecords: [
        { unitType: 'gallons', usageRecords: [{ recordDate: '2024-02-11', amount: 5.25 }] },
        { unitType: 'sms', usageRecords: [{ recordDate: '2024-02-12', amount: 7 }] },
      ],
    });

    it('is recorded once', async () => {
      const { client, ids } = journey();
      const usage = usageOf(ids.get('subscriptionId'));
      expect((await client.usage.recordUsage(usage, BY)).status).to.equal(201);
      const again = await failureOf(client.usage.recordUsage(usage, BY));
      expect(again).to.nested.include({ status: 400, 'body.code': 50_000 });
      const unknown = await failureOf(client.usage.recordUsage(usageOf(nobody), BY));
      expect(unknown).to.nested.include({ status: 404, 'body.code': 1082 });
    });

    it('is summed for one unit or for all', async () => {
      const { client, ids } = journey();
      const subscriptionId = ids.get('subscriptionId');
      const stretch = ['2024-02-01', '2024-03-01'] as const;
      const { data: all } = await client.usage.getAllUsage(subscriptionId, ...stretch);
      expect(all).to.eql({
        subscriptionId,
        startDate: '2024-01-31T23:00:00.000Z',
        endDate: '2024-02-29T23:00:00.000Z',
        rolledUpUnits: [
          { unitType: 'gallons', amount: 5.25 },
          { unitType: 'sms', amount: 7 },
        ],
      });
      const { data: one } = await client.usage.getUsage(subscriptionId, 'sms', ...stretch);
      expect(one.rolledUpUnits).to.eql([{ unitType: 'sms', amount: 7 }]);
      expect(await failureOf(client.usage.getAllUsage(subscriptionId))).to.nested.include({ status: 400 });
    });
  });
}
