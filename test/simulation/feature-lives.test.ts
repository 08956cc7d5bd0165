import { expect } from 'chai';
import fc from 'fast-check';
import { addMonths, dayOf, textOf } from '../support/coupon-lives/calendar.ts';
import { featureLifeCatalog } from '../support/feature-lives/catalog.ts';
import { checkFeatures, checkUsage } from '../support/feature-lives/life-checks.ts';
import { LifeState } from '../support/feature-lives/life-state.ts';
import { play, wait } from '../support/feature-lives/life-steps.ts';
import { isoOf } from '../support/feature-lives/outcomes.ts';
import { type FeatureLife, featureLives } from '../support/feature-lives/scripts.ts';
import { cancelAll, createSubscription } from '../support/feature-lives/subscription-steps.ts';
import { dayIn } from '../support/feature-lives/zones.ts';
import { eachDatabase, isLongRun, openEngine, type TestEngine } from '../support/index.ts';
import { overdueXml } from '../support/overdue/overdue-documents.ts';

const START = dayOf('2024-01-05');
/** The clock supports years up to 8999. */
const LAST_START = dayOf('8980-01-01');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const RUNS = isLongRun ? { sqlite: 2_000, postgresql: 500 } : { sqlite: 12, postgresql: 3 };
const OVERDUE = overdueXml({
  initial: 20,
  states: [{ name: 'LOCKED', time: 20, disables: true, every: 20 }],
});
/** Enough days for the last usage invoice. */
const LAST_DAYS = 40;

eachDatabase.describe('random account histories with features', (open, kind) => {
  let engine: TestEngine;
  let start = START;

  async function begin(): Promise<void> {
    start = START;
    engine = await openEngine(open, {
      now: `${textOf(START)}T00:00:00Z`,
      catalog: null,
      configuration: { 'org.service.invoice.maxDailyNumberOfItemsSafetyBound': -1 },
    });
    await engine.acme.uploadCatalog(featureLifeCatalog);
    await engine.acme.overdue.upload(OVERDUE);
  }

  before(begin);
  after(() => engine.close());

  async function playLife(life: FeatureLife): Promise<void> {
    if (start > LAST_START) {
      await engine.close();
      await begin();
    }
    const now = start * DAY_MS + life.minuteOfStart * MINUTE_MS;
    engine.clock.set(isoOf(now));
    const account = {
      currency: 'USD',
      timeZone: life.zone,
      ...(life.billCycleDay === 0 ? {} : { billCycleDayLocal: life.billCycleDay }),
    } as const;
    const { id: accountId } = await (life.pays
      ? engine.payingAccount(account)
      : engine.acme.createAccount(account));
    const { zone, billCycleDay } = life;
    const state = new LifeState(engine, { accountId, zone, billCycleDay, now });
    state.lastEvent = (await engine.acme.events.list({ after: 'latest' })).next;
    try {
      await createSubscription(state, { ...life.first, of: 0 });
      await checkFeatures(state, 'the creation', 30);
      for (const { wait: length, step, probeDays } of life.steps) {
        await wait(state, length);
        await checkFeatures(state, 'a wait', 0);
        await play(state, step);
        await checkFeatures(state, step.do, probeDays);
      }
    } finally {
      await cancelAll(state);
      await wait(state, { days: LAST_DAYS, minutes: 0 });
      start = addMonths(dayIn(state.now, 'UTC'), 3);
    }
    await checkFeatures(state, 'the end', 0);
    await checkUsage(state);
    await engine.acme.accounts.close(accountId, {});
    await engine.settle();
  }

  it('have the features, quotas, billed usage and events that the specification predicts', async () => {
    await fc.assert(fc.asyncProperty(featureLives, playLife), { numRuns: RUNS[kind] });
    expect(engine.logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
  }).timeout(0);
});
