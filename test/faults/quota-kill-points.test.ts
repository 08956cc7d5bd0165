import { formatDecimal, type Uuid } from '../../lib/index.ts';
import { featureCatalog } from '../support/features/feature-catalog.ts';
import { eachDatabase, expect, openEngine, type TestEngine } from '../support/index.ts';
import { dieAt, stepsToDieAt } from './dying-call.ts';

const KEY = 'k1';

/** The quota of `max` is 5000 calls, so 100 are billed. */
const AMOUNT = '5100';

eachDatabase.describe('process killed while it consumes a quota (features §4 rule 9)', (open, kind) => {
  let engine: TestEngine;

  before(async () => {
    engine = await openEngine(open, { now: '2026-04-10T00:00:00Z', catalog: null });
    await engine.acme.uploadCatalog(featureCatalog);
  });

  it('consumes and bills completely or not at all, and exactly once after a retry', async () => {
    const { steps } = await dieWhileConsuming(Number.POSITIVE_INFINITY);
    expect(steps).to.be.greaterThan(10);
    const found = new Set<string>();
    for (const step of stepsToDieAt(steps, kind)) {
      const about = `after a death at step ${step} of ${steps}`;
      const { accountId, subscriptionId } = await dieWhileConsuming(step);
      const state = await stateOf(accountId, subscriptionId);
      expect(['0 0', '5000 100'], about).to.include(state);
      found.add(state);
      const { allowed, overage } = await consume(engine.acme, accountId);
      expect([allowed, formatDecimal(overage)], about).to.eql([true, '100']);
      expect(await stateOf(accountId, subscriptionId), about).to.equal('5000 100');
    }
    expect([...found], 'it died before and after the commit').to.have.members(['0 0', '5000 100']);
  });

  const consume = (acme: TestEngine['acme'], accountId: Uuid) =>
    acme.features.consume({ accountId, feature: 'calls', amount: AMOUNT, key: KEY });

  async function dieWhileConsuming(step: number) {
    const { id: accountId } = await engine.payingAccount({ currency: 'USD', billCycleDayLocal: 1 });
    const { subscriptionId } = await engine.subscribe({ accountId, planName: 'max' });
    const steps = await dieAt({ engine, step, nodeName: `dying-${accountId}` }, (acme) =>
      consume(acme, accountId),
    );
    return { steps, accountId, subscriptionId };
  }

  /** The used amount of the counter, and the recorded usage. */
  async function stateOf(accountId: Uuid, subscriptionId: Uuid): Promise<string> {
    const features = await engine.acme.features.of({ accountId });
    const calls = features.find(({ name }) => name === 'calls');
    const { rolledUpUnits } = await engine.acme.usage.rollUp(subscriptionId, {
      startDate: '2026-04-01',
      endDate: '2026-05-01',
    });
    const billed = rolledUpUnits[0]?.amount;
    return [calls?.used, billed].map((each) => (each == null ? '0' : formatDecimal(each))).join(' ');
  }
});
