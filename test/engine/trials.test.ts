import { parseWireMoment, type Uuid } from '../../lib/index.ts';
import { eachDatabaseByTurns, engineBeforeEach, expect } from '../support/index.ts';

eachDatabaseByTurns.describe('trials', (open) => {
  let accountId: Uuid;

  const engine = engineBeforeEach(open, { now: '2024-03-01T00:00:00Z' });
  const { acme } = engine;
  beforeEach(async () => {
    accountId = (await engine.payingAccount({ currency: 'USD' })).id;
  });

  const subscribe = (request: object) => engine.subscribe({ accountId, ...request });

  const linesOf = (id: Uuid): Promise<readonly string[]> => engine.linesOf(id);

  async function chargedThrough(subscriptionId: Uuid): Promise<string | null> {
    const { chargedThrough: through } = await acme.getSubscription(subscriptionId);
    return through?.date ?? null;
  }

  /**
   * Expects no charge for a trial in March whose plan changed on the 11th, if it is canceled at the end of its term.
   */
  async function expectNothingCharged(subscriptionId: Uuid): Promise<void> {
    await engine.settle();
    expect(await chargedThrough(subscriptionId)).to.equal('2024-03-31');
    await engine.runTo('2024-03-20T00:00:00Z');
    await acme.subscriptions.cancel(subscriptionId, { billingPolicy: 'END_OF_TERM' });
    await engine.runTo('2024-05-01T00:00:00Z');
    expect(await linesOf(accountId)).to.eql([
      'FIXED 2024-03-01..2024-03-31 0',
      'FIXED 2024-03-11..2024-03-31 0',
    ]);
  }

  it('end at the PHASE event without further charges, even after a plan change with a quantity (invoicing §5.1 rule 3)', async () => {
    const { subscriptionId } = await subscribe({ planName: 'pro-monthly' });
    await engine.runTo('2024-03-11T00:00:00Z');
    await acme.subscriptions.changePlan(subscriptionId, { planName: 'solo-monthly', quantity: 2 });
    await expectNothingCharged(subscriptionId);
  });

  it('end at the PHASE event despite a pause, even if the plan changes before the pause', async () => {
    const { subscriptionId, bundleId } = await subscribe({ planName: 'pro-monthly' });
    const pauses = acme.blocking;
    await pauses.pauseBundle(bundleId, { requestedDate: parseWireMoment('2024-03-15') });
    await pauses.resumeBundle(bundleId, { requestedDate: parseWireMoment('2024-03-18') });
    await engine.runTo('2024-03-11T00:00:00Z');
    await acme.subscriptions.changePlan(subscriptionId, { planName: 'solo-monthly' });
    await expectNothingCharged(subscriptionId);
  });

  it('end with the trial of the bundle if they belong to an add-on that is bought during the trial', async () => {
    const { bundleId } = await subscribe({ planName: 'pro-monthly' });
    await engine.runTo('2024-03-11T00:00:00Z');
    const { subscriptionId } = await subscribe({ bundleId, planName: 'backup-monthly', quantity: 3 });
    expect(await chargedThrough(subscriptionId)).to.equal('2024-03-31');
    expect((await linesOf(accountId)).at(-1)).to.equal('FIXED 2024-03-11..2024-03-31 0');
  });

  it('keep their end date in a transferred bundle, regardless of the quantity and the bill cycle day', async () => {
    const target = await acme.createAccount({ currency: 'USD' });
    const { bundleId, subscriptionId } = await subscribe({ planName: 'pro-monthly', quantity: 2 });
    await engine.runTo('2024-03-05T00:00:00Z');
    await acme.subscriptions.changeBillCycleDay(subscriptionId, {
      billCycleDayLocal: 7,
      effectiveFromDate: '2024-03-07',
    });
    await engine.runTo('2024-03-11T00:00:00Z');
    const made = await engine.settle(acme.bundles.transfer(bundleId, { accountId: target.id }));
    const [moved] = (await acme.bundles.get(made)).subscriptions;
    expect(moved?.quantity).to.equal(2);
    expect(await linesOf(target.id)).to.eql(['FIXED 2024-03-11..2024-03-31 0']);
  });
});
