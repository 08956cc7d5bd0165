import { type EntitlementPlugin, ErrorCode, parseLocalDate } from '../../lib/index.ts';
import type { HostedEngine } from '../support/index.ts';
import { codeOf, eachDatabaseByTurns, engineBefore, expect, hostedEngine } from '../support/index.ts';

// subscriptions §22
eachDatabaseByTurns('entitlement plugins in a host’s transaction', (open) => {
  let inside: HostedEngine['inside'];
  const told: string[] = [];
  const plugin: EntitlementPlugin = {
    name: 'host',
    before: {
      CREATE: async () => ({ replace: { billingDate: { date: parseLocalDate('2024-01-15') } } }),
      CANCEL: async () => ({ abort: 'not now' }),
    },
    succeeded: async ({ operation }) => {
      told.push(`${operation} done`);
    },
    failed: async ({ operation }) => {
      told.push(`${operation} failed`);
    },
  };

  const engine = engineBefore(open, { now: '2024-01-01T00:00:00Z' });
  before(async () => {
    ({ inside } = await hostedEngine(engine, { entitlementPlugins: [plugin] }));
  });
  beforeEach(() => {
    told.length = 0;
  });

  it('replace terms, and abort what they do not want, of which nothing stays', async () => {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const { created, code } = await inside(async (acme) => {
      const made = await acme.createSubscription({ accountId, planName: 'solo-now' });
      return { created: made, code: await codeOf(acme.subscriptions.cancel(made.subscriptionId)) };
    });
    expect(code).to.equal(ErrorCode.ENTITLEMENT_PLUGIN_API_ABORTED);
    expect(told).to.eql(['CREATE done', 'CANCEL failed']);
    const stored = await engine.acme.getSubscription(created.subscriptionId);
    expect(stored.billingStart?.date).to.equal('2024-01-15');
    expect(stored.cancelled).to.equal(null);
  });

  it('are told of an operation when it is done, also where the host then rolls back', async () => {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
    const changedMind = inside(async (acme) => {
      await acme.createSubscription({ accountId, planName: 'solo-now' });
      throw new Error('the host changed its mind');
    });
    expect(await changedMind.catch((error: Error) => error.message)).to.equal('the host changed its mind');
    expect(told).to.eql(['CREATE done']);
    expect(await engine.acme.subscriptions.bundlesOfAccount(accountId)).to.eql([]);
  });
});
