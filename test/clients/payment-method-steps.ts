import { expect } from 'chai';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describePaymentMethods(journey: JourneyOf): void {
  describe('payment methods', () => {
    const pluginName = 'killbill-payment-test';
    let accountId: string;
    const idOf = async (externalKey: string): Promise<string> => {
      const { data } = await journey().client.paymentMethod.getPaymentMethodByKey(externalKey);
      return String(data.paymentMethodId);
    };

    it('are added, and found by key, in lists and by search', async () => {
      const { account, paymentMethod } = journey().client;
      accountId = String(
        (await account.createAccount({ externalKey: 'mona', currency: 'USD' }, BY)).data.accountId,
      );
      for (const externalKey of ['card-1', 'card-2'])
        await account.createPaymentMethod(
          { pluginName, externalKey },
          accountId,
          BY,
          externalKey === 'card-1',
        );
      const { data } = await paymentMethod.getPaymentMethodByKey('card-2', false, true, ['a=b'], 'FULL');
      expect(data).to.include({ accountId, externalKey: 'card-2', isDefault: false });
      const page = await paymentMethod.getPaymentMethods(0, 100, pluginName, true, [], 'FULL');
      expect(page.data.map(({ externalKey }) => externalKey)).to.include.members(['card-1', 'card-2']);
      const found = await paymentMethod.searchPaymentMethods('card-2', 0, 10);
      expect(found.data.map(({ externalKey }) => externalKey)).to.eql(['card-2']);
    });

    it('match the gateway after a refresh', async () => {
      const { account } = journey().client;
      expect((await account.refreshPaymentMethods(accountId, BY, pluginName)).status).to.equal(204);
      const { data } = await account.getPaymentMethodsForAccount(accountId);
      expect(data.map(({ externalKey }) => externalKey)).to.have.members(['card-1', 'card-2']);
    });

    it('are deleted, the default one only with the flag', async () => {
      const { paymentMethod } = journey().client;
      const [first, second] = [await idOf('card-1'), await idOf('card-2')];
      expect((await paymentMethod.deletePaymentMethod(second, BY)).status).to.equal(204);
      expect((await failureOf(paymentMethod.getPaymentMethodByKey('card-2'))).status).to.equal(404);
      expect((await failureOf(paymentMethod.deletePaymentMethod(first, BY))).status).to.equal(400);
      expect((await paymentMethod.deletePaymentMethod(first, BY, false, true)).status).to.equal(204);
      const { data } = await journey().client.account.getPaymentMethodsForAccount(accountId, false, true);
      expect(data).to.have.length(2);
    });
  });
}
