import { ErrorCode } from '../../lib/index.ts';
import type { HostedEngine } from '../support/index.ts';
import { codeOf, eachDatabaseByTurns, engineBefore, expect, hostedEngine } from '../support/index.ts';

eachDatabaseByTurns('payments in a host’s transaction (payments §5.1)', (open) => {
  let inside: HostedEngine['inside'];

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z', catalog: null });
  before(async () => {
    ({ inside } = await hostedEngine(engine, { gateways: [engine.gateway] }));
  });

  it('a payment that calls a gateway is refused in a host’s transaction, and leaves nothing', async () => {
    const { id: accountId } = await engine.payingAccount({ currency: 'USD' });
    const code = await inside((acme) => codeOf(acme.payments.purchase({ accountId, amount: '10' })));
    expect(code).to.equal(ErrorCode.INVALID_PARAMETER);
    expect(await engine.acme.payments.ofAccount(accountId)).to.eql([]);
    expect(engine.ledger.all().filter((entry) => entry.accountId === accountId)).to.eql([]);
  });

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
    expect(await engine.acme.payments.ofAccount(accountId)).to.eql([]);
    await inside((acme) => acme.payments.purchase(pay));
    expect(await engine.acme.payments.ofAccount(accountId)).to.have.length(1);
  });
});
