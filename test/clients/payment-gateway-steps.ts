import { expect } from 'chai';
import type { ComboHostedPaymentPage } from 'killbill';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describePaymentGateways(journey: JourneyOf): void {
  describe('payment gateways', () => {
    const pluginName = 'killbill-payment-test';

    it('return the form fields for an existing account', async () => {
      const { account, paymentGateway } = journey().client;
      const { data } = await account.createAccount({ externalKey: 'page', currency: 'USD' }, BY);
      const accountId = String(data.accountId);
      const fields = { formFields: [{ key: 'amount', value: '10' }] };
      const without = await failureOf(paymentGateway.buildFormDescriptor(fields, accountId, BY));
      expect(without).to.nested.include({ status: 400, 'body.code': 7031 });
      await account.createPaymentMethod({ pluginName }, accountId, BY, true);
      const page = await paymentGateway.buildFormDescriptor(fields, accountId, BY, undefined, [], ['a=b']);
      expect(page.status).to.equal(200);
      expect(page.data).to.include({ kbAccountId: accountId });
    });

    it('return the form fields for an account and method created by the call', async () => {
      const { account, paymentGateway } = journey().client;
      const body = {
        account: { externalKey: 'new-page', currency: 'USD' },
        paymentMethod: { pluginName, externalKey: 'new-page-card' },
        hostedPaymentPageFields: { formFields: [] },
      } as ComboHostedPaymentPage;
      const page = await paymentGateway.buildComboFormDescriptor(body, BY);
      expect(page.status).to.equal(200);
      const made = await account.getAccountByKey('new-page');
      expect(page.data).to.include({ kbAccountId: made.data.accountId });
    });

    it('receive their notifications', async () => {
      const { paymentGateway } = journey().client;
      const { status } = await paymentGateway.processNotification('anything', pluginName, BY);
      expect(status).to.equal(200);
      const unknown = await failureOf(paymentGateway.processNotification('anything', 'no-such-plugin', BY));
      expect(unknown).to.nested.include({ status: 400, 'body.code': 7028 });
    });
  });
}
