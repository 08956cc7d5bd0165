import { expect } from 'chai';
import { Billing } from '../../adapters/node/billwright.ts';
import { type EntitlementPlugin, ErrorCode, parseLocalDate, type TenantBilling } from '../../lib/index.ts';
import { anyDatabase, onEachDatabase } from '../support/databases.ts';
import { openEngine, type TestEngine } from '../support/engine.ts';
import { codeOf } from '../support/errors.ts';
import { type Host, hostOf } from '../support/host.ts';

// subscriptions §22
anyDatabase((kind, open) => {
  describe(`entitlement plugins in a host’s transaction on ${kind}`, () => {
    let engine: TestEngine;
    let host: Host;
    let hosted: Billing<never>;
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

    before(async () => {
      engine = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
      host = hostOf(engine.database);
      const { storage } = host;
      hosted = await Billing.open({ storage, clock: engine.clock, entitlementPlugins: [plugin] });
    });
    after(async () => {
      await hosted.close();
      await host.close();
      await engine.close();
    });
    beforeEach(() => {
      told.length = 0;
    });

    /** Under the tenant’s id, which is looked up through the host too: SQLite’s only connection is the host’s meanwhile. */
    const inside = <T>(work: (acme: TenantBilling) => Promise<T>): Promise<T> =>
      host.transaction((em) => work(hosted.as({ tenant: engine.tenant.id, user: 'host' }).within(em)));

    it(
      'replace terms, and abort what they do not want, of which nothing stays',
      onEachDatabase(async () => {
        const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
        const { created, code } = await inside(async (acme) => {
          const made = await acme.createSubscription({ accountId, planName: 'solo-now' });
          const refused = await codeOf(acme.subscriptions.cancel(made.subscriptionId));
          return { created: made, code: refused };
        });
        expect(code).to.equal(ErrorCode.ENTITLEMENT_PLUGIN_API_ABORTED);
        expect(told).to.deep.equal(['CREATE done', 'CANCEL failed']);
        const stored = await engine.acme.getSubscription(created.subscriptionId);
        expect(stored.billingStart?.date).to.equal(parseLocalDate('2024-01-15'));
        expect(stored.cancelled).to.equal(null);
      }),
    );

    it('are told of an operation when it is done, also where the host then rolls back', async () => {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'USD' });
      const changedMind = inside(async (acme) => {
        await acme.createSubscription({ accountId, planName: 'solo-now' });
        throw new Error('the host changed its mind');
      });
      expect(await changedMind.catch((error: Error) => error.message)).to.equal('the host changed its mind');
      expect(told).to.deep.equal(['CREATE done']);
      expect(await engine.acme.subscriptions.bundlesOfAccount(accountId)).to.deep.equal([]);
    });
  });
});
