import { expect } from 'chai';
import type { Subscription } from 'killbill';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describeGroups(journey: JourneyOf): void {
  describe('invoice groups', () => {
    it('are created for an account and listed', async () => {
      const { account, invoice, subscription } = journey().client;
      const { data: made } = await account.createAccount({ currency: 'USD' }, BY);
      const accountId = String(made.accountId);
      const wanted = { accountId, planName: 'sprout-monthly-direct' };
      await subscription.createSubscription(wanted as Subscription, BY);
      const { status, data } = await invoice.createFutureInvoiceGroup(accountId, BY);
      expect(status).to.equal(201);
      expect(data.map(({ items }) => items?.map(({ planName }) => planName))).to.eql([
        ['sprout-monthly-direct'],
      ]);
      const groupId = String(data[0]?.invoiceId);
      const listed = await invoice.getInvoicesGroup(groupId, accountId);
      expect(listed.data.map(({ invoiceId }) => invoiceId)).to.eql([groupId]);
      expect(await failureOf(invoice.createFutureInvoiceGroup(accountId, BY))).to.nested.include({
        status: 404,
        'body.code': 4007,
      });
    });

    it('include invoices of accounts that automatic runs skip', async () => {
      const { admin } = journey().client;
      expect((await admin.triggerInvoiceGenerationForParkedAccounts(BY)).status).to.equal(200);
    });
  });
}
