import { Billing } from '../../adapters/node/billwright.ts';
import type { Uuid } from '../../lib/index.ts';
import { lampCatalog } from '../support/coupons/lamp-catalog.ts';
import { eachDatabase, expect, openEngine, plainHasher, sampled, type TestEngine } from '../support/index.ts';
import { recordingLogger } from '../support/system-time.ts';
import { DyingProcess } from './dying-process.ts';
import { killableStorage } from './killable.ts';

eachDatabase.describe('process killed during a redemption (coupons §2)', (open, kind) => {
  let engine: TestEngine;

  before(async () => {
    engine = await openEngine(open, { now: '2026-04-10T00:00:00Z', catalog: lampCatalog.toXml() });
  });

  it('counts and stores the redemption or neither, and once after a retry', async () => {
    const { steps } = await dieAt(Number.POSITIVE_INFINITY);
    expect(steps).to.be.greaterThan(5);
    const all = Array.from({ length: steps }, (_, step) => step + 1);
    const found = new Set<string>();
    // The last step follows the commit.
    for (const step of new Set([...sampled(all, kind === 'sqlite' ? 2 : 6), steps])) {
      const about = `after a death at step ${step} of ${steps}`;
      const { code, subscriptionId } = await dieAt(step);
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

  async function dieAt(step: number) {
    const { id: accountId } = await engine.acme.createAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'lamp' });
    const code = `CODE-${accountId}`;
    await engine.acme.coupons.create({ code, percentOff: '10', duration: 'FOREVER', maxRedemptions: 2 });
    const process = new DyingProcess(Number.POSITIVE_INFINITY);
    const dying = await Billing.open({
      storage: { ...killableStorage(engine.storage, process), close: () => Promise.resolve() },
      clock: engine.clock,
      logger: recordingLogger(),
      hasher: plainHasher(),
      nodeName: `dying-${accountId}`,
    });
    process.dieIn(step);
    const acme = dying.as({ tenant: engine.tenant, user: 'test' });
    await redeem(acme, code, subscriptionId).catch((error: unknown) => {
      if (!String(error).includes(DyingProcess.DEATH)) throw error;
    });
    expect(process.isDead).to.equal(Number.isFinite(step));
    const { steps } = process;
    process.end();
    await dying.close();
    return { steps, code, subscriptionId };
  }

  /** Returns the count of the coupon, and the number of its redemptions on the subscription. */
  async function stateOf(code: string, subscriptionId: Uuid): Promise<string> {
    const { redeemedCount } = await engine.acme.coupons.get(code);
    const redemptions = await engine.acme.coupons.ofSubscription(subscriptionId);
    return `${redeemedCount} ${redemptions.length}`;
  }
});
