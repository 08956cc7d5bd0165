import type { Uuid } from '../../lib/index.ts';
import { lampCatalog } from '../support/coupons/lamp-catalog.ts';
import { eachDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { dieAt, stepsToDieAt } from './dying-call.ts';

eachDatabase.describe('process killed during a redemption (coupons §2)', (open, kind) => {
  let engine: TestEngine;

  before(async () => {
    engine = await openEngine(open, { now: '2026-04-10T00:00:00Z', catalog: lampCatalog.toXml() });
  });

  it('counts and stores the redemption completely or not at all, and exactly once after a retry', async () => {
    const { steps } = await dieWhileRedeeming(Number.POSITIVE_INFINITY);
    expect(steps).to.be.greaterThan(5);
    const found = new Set<string>();
    for (const step of stepsToDieAt(steps, kind)) {
      const about = `after a death at step ${step} of ${steps}`;
      const { code, subscriptionId } = await dieWhileRedeeming(step);
      const state = await stateOf(code, subscriptionId);
      expect(['0 0', '1 1'], about).to.include(state);
      found.add(state);
      const repeated = await redeem(engine.acme, code, subscriptionId).then(
        () => 'redeemed',
        ({ code: refusal }: { readonly code: number }) => refusal,
      );
      expect(repeated, about).to.equal(state === '0 0' ? 'redeemed' : 62_006);
      expect(await stateOf(code, subscriptionId), about).to.equal('1 1');
    }
    expect([...found], 'it died before and after the commit').to.have.members(['0 0', '1 1']);
  });

  const redeem = (acme: TestEngine['acme'], code: string, subscriptionId: Uuid) =>
    acme.coupons.redeem({ code, subscriptionId, from: '2026-05-01' });

  async function dieWhileRedeeming(step: number) {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'lamp' });
    const code = `CODE-${accountId}`;
    await engine.acme.coupons.create({ code, percentOff: '10', duration: 'FOREVER', maxRedemptions: 2 });
    const steps = await dieAt({ engine, step, nodeName: `dying-${accountId}` }, (acme) =>
      redeem(acme, code, subscriptionId),
    );
    return { steps, code, subscriptionId };
  }

  /** Returns the count of the coupon, and the number of its redemptions on the subscription. */
  async function stateOf(code: string, subscriptionId: Uuid): Promise<string> {
    const { redeemedCount } = await engine.acme.coupons.get(code);
    const redemptions = await engine.acme.coupons.ofSubscription(subscriptionId);
    return `${redeemedCount} ${redemptions.length}`;
  }
});
