import { expect } from 'chai';
import type { Overdue } from 'killbill';
import { exampleJson, exampleXml } from '../support/overdue/example-config.ts';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

/** Thresholds so high that later steps of the journey find no overdue account. */
const farAway = {
  overdueStates: [{ name: 'LATE', condition: { numberOfUnpaidInvoicesEqualsOrExceeds: 1_000 } }],
};

export function describeOverdueConfig(journey: JourneyOf): void {
  describe('overdue configuration', () => {
    it('is uploaded as XML and read in both formats', async () => {
      const { overdue } = journey().client;
      expect((await overdue.uploadOverdueConfigXml(exampleXml, BY)).status).to.equal(201);
      expect((await overdue.getOverdueConfigXml()).data).to.equal(exampleXml);
      expect((await overdue.getOverdueConfigJson()).data).to.eql(exampleJson);
    });

    it('is uploaded as JSON, including the JSON that was read', async () => {
      const { overdue } = journey().client;
      const { data } = await overdue.getOverdueConfigJson();
      expect((await overdue.uploadOverdueConfigJson(farAway, BY)).status).to.equal(201);
      expect((await overdue.getOverdueConfigJson()).data.overdueStates?.[0]).to.include({ name: 'LATE' });
      expect((await overdue.getOverdueConfigXml()).data).to.include('<state name="LATE">');
      await overdue.uploadOverdueConfigJson(data, BY);
      expect((await overdue.getOverdueConfigJson()).data).to.eql(exampleJson);
      await overdue.uploadOverdueConfigJson(farAway, BY);
    });

    it('stays unchanged after an invalid upload, which is rejected with the errors', async () => {
      const { overdue } = journey().client;
      const wrong = { overdueStates: [{ isClearState: false }] } as Overdue;
      for (const refused of [
        await failureOf(overdue.uploadOverdueConfigXml('<overdueConfig/>', BY)),
        await failureOf(overdue.uploadOverdueConfigJson(wrong, BY)),
      ]) {
        expect(refused).to.deep.include({ status: 400 });
        expect(refused.body).to.include({ code: 5010 });
      }
      expect((await overdue.getOverdueConfigJson()).data.overdueStates?.[0]).to.include({ name: 'LATE' });
    });
  });
}

export function describeOverdueState(journey: JourneyOf): void {
  describe('overdue state', () => {
    it('is returned for an account', async () => {
      const { client, ids } = journey();
      const { data } = await client.account.getOverdueAccount(ids.get('accountId'));
      expect(data).to.eql({
        name: '__KILLBILL__CLEAR__OVERDUE_STATE__',
        externalMessage: '',
        isDisableEntitlementAndChangesBlocked: false,
        isBlockChanges: false,
        isClearState: true,
        reevaluationIntervalDays: null,
      });
      const nobody = '11111111-1111-4111-8111-111111111111';
      expect((await failureOf(client.account.getOverdueAccount(nobody))).status).to.equal(404);
    });
  });
}
