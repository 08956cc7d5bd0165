import { ErrorCode, formatDecimal } from '../../lib/index.ts';
import type { HostedEngine } from '../support/index.ts';
import { codeOf, eachDatabaseByTurns, engineBefore, expect, hostedEngine } from '../support/index.ts';

// accounts §9, ruling R41
eachDatabaseByTurns('closing an account in a host’s transaction', (open) => {
  let inside: HostedEngine['inside'];

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    ({ inside } = await hostedEngine(engine));
  });

  it('closing an account in a host’s transaction is refused while work is due, which cannot be done in there, and closes once it is done', async () => {
    const { id } = await engine.acme.createAccount({ currency: 'USD' });
    const { subscriptionId } = await engine.acme.createSubscription({ accountId: id, planName: 'solo-now' });
    await engine.runTo('2024-01-11T00:00:00Z');
    const code = await inside(async (acme) => {
      await acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'IMMEDIATE' });
      return codeOf(acme.accounts.close(id));
    });
    expect(code).to.equal(ErrorCode.BUSY);
    expect(await engine.acme.tags.ofAccount(id)).to.eql([]);
    await engine.settle();
    await inside((acme) => acme.accounts.close(id));
    const tags = await engine.acme.tags.ofAccount(id);
    expect(tags.map(({ tagDefinitionName }) => tagDefinitionName)).to.eql(['AUTO_INVOICING_OFF']);
    const invoices = await engine.acme.invoices.ofAccount({ accountId: id, withItems: true });
    const items = invoices.flatMap((invoice) => invoice.items);
    const repairs = items.filter(({ itemType }) => itemType === 'REPAIR_ADJ');
    expect(repairs.map(({ amount }) => formatDecimal(amount))).to.eql(['-13.51']);
  });
});
