import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { ErrorCode, type TenantBilling } from '../../lib/index.ts';
import { anyDatabase, onEachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';
import { type Host, hostOf } from '../support/host.ts';

anyDatabase((kind, open) => {
  describe(`payments in a host’s transaction on ${kind} (payments §5.1)`, () => {
    let engine: TestEngine;
    let host: Host;
    let hosted: Billing<never>;

    before(async () => {
      engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalog: null });
      host = hostOf(engine.database);
      const { clock, gateway } = engine;
      hosted = await Billing.open({ storage: host.storage, clock, gateways: [gateway] });
    });
    after(async () => {
      await hosted.close();
      await host.close();
      await engine.close();
    });

    const inside = <T>(work: (acme: TenantBilling) => Promise<T>): Promise<T> =>
      host.transaction((em) => work(hosted.as({ tenant: engine.tenant.id, user: 'host' }).within(em)));

    it(
      'a payment that calls a gateway is refused in a host’s transaction, and leaves nothing',
      onEachDatabase(async () => {
        const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
        const code = await inside((acme) => codeOf(acme.payments.purchase({ accountId, amount: '10' })));
        expect(code).to.equal(ErrorCode.INVALID_PARAMETER);
        expect(await engine.acme.payments.ofAccount(accountId)).to.deep.equal([]);
        expect(engine.ledger.all().filter((entry) => entry.accountId === accountId)).to.deep.equal([]);
      }),
    );

    it('a payment by cheque or transfer is part of the host’s transaction', async () => {
      const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
      const pluginName = '__EXTERNAL_PAYMENT__';
      const { id: paymentMethodId } = await engine.acme.paymentMethods.add({ accountId, pluginName });
      const pay = { accountId, paymentMethodId, amount: '10' };
      const undone = inside(async (acme) => {
        expect((await acme.payments.purchase(pay)).transaction.status).to.equal('SUCCESS');
        throw new Error('the host has changed its mind');
      });
      expect(await codeOf(undone)).to.be.instanceOf(Error);
      expect(await engine.acme.payments.ofAccount(accountId)).to.deep.equal([]);
      await inside((acme) => acme.payments.purchase(pay));
      expect(await engine.acme.payments.ofAccount(accountId)).to.have.length(1);
    });
  });
});
