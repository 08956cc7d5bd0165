import type { EntitlementState, HostInput, Uuid } from '../../lib/index.ts';
import {
  eachDatabase,
  expect,
  expectCode,
  messageOf,
  openEngine,
  type TestEngine,
} from '../support/index.ts';

eachDatabase.describe('subscription list', (open) => {
  let engine: TestEngine;
  let accountId: Uuid;

  before(async () => {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z' });
    accountId = (await engine.acme.createAccount({ currency: 'USD' })).id;
    const subscribe = (externalKey: string, entitlementDate?: string) =>
      engine.subscribe(
        { accountId, planName: 'solo-now', externalKey },
        { billingDate: entitlementDate, entitlementDate },
      );
    await subscribe('running');
    await subscribe('future', '2024-02-01');
    const paused = await subscribe('paused');
    await engine.acme.blocking.pauseBundle(paused.bundleId);
    const { subscriptionId } = await subscribe('ended');
    await engine.cancelNow(subscriptionId);
    const other = await engine.acme.createAccount({ currency: 'USD' });
    await engine.subscribe({ accountId: other.id, planName: 'solo-now' });
  });

  const keysIn = async (...states: readonly EntitlementState[]) => {
    const found = await engine.acme.subscriptions.list({ accountId, states });
    return found.map(({ externalKey }) => externalKey);
  };

  it('contains the subscriptions of the bundles, in the order of the bundles', async () => {
    const bundles = await engine.acme.subscriptions.bundlesOfAccount(accountId);
    const listed = await engine.acme.subscriptions.list({ accountId });
    expect(listed).to.eql(bundles.flatMap(({ subscriptions }) => subscriptions));
    expect(listed.map(({ externalKey }) => externalKey)).to.eql(['running', 'future', 'paused', 'ended']);
  });

  it('contains only the subscriptions in the requested states', async () => {
    expect(await keysIn('ACTIVE')).to.eql(['running']);
    expect(await keysIn('CANCELLED', 'PENDING')).to.eql(['future', 'ended']);
    expect(await keysIn('BLOCKED', 'EXPIRED')).to.eql(['paused']);
    expect(await keysIn()).to.eql([]);
  });

  it('cannot be read for an unknown account, and is rejected for an unknown state with an error that lists the valid states', async () => {
    const mistyped = keysIn('ACTVE' as never);
    await expectCode(mistyped, 'MISSING_OR_INVALID_FIELD');
    expect(await messageOf(mistyped)).to.equal(
      'states[0] must be PENDING, ACTIVE, BLOCKED, CANCELLED or EXPIRED, not "ACTVE"',
    );
    const unknown: HostInput<{ accountId: Uuid }> = { accountId: '00000000-0000-7000-8000-00000000dead' };
    await expectCode(engine.acme.subscriptions.list(unknown), 3002);
  });
});
