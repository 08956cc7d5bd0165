import type { Uuid } from '../../lib/index.ts';
import { anyDatabase, expect, isLongRun, openEngine, seed, type TestEngine } from '../support/index.ts';
import { OverdueLife } from './overdue-life.ts';
import { actOnce, CONFIGS } from './overdue-operations.ts';
import { Random } from './random.ts';

/** `BILLWRIGHT_OVERDUE_LIVES` sets the number of histories; PostgreSQL plays some of them in the long run. */
const ASKED = Number(process.env.BILLWRIGHT_OVERDUE_LIVES ?? (isLongRun ? 200 : 2));
const LIVES = { sqlite: ASKED, postgresql: Math.ceil(ASKED / 3) } as const;
const STEPS = isLongRun ? 150 : 40;
const DAY_MS = 86_400_000;
const ZONES = ['UTC', 'America/Los_Angeles', 'Asia/Tokyo', 'Europe/Vienna', 'Pacific/Apia'];
const PLANS = ['pro-monthly', 'solo-now', 'elite-monthly'];

anyDatabase.describe('random histories with overdue states', (open, kind) => {
  let engine: TestEngine;
  beforeEach(async () => {
    engine = await openEngine(open, { now: '2024-01-29T15:20:11Z' });
  });
  afterEach(() => engine.close());

  let transitions = 0;
  after(() => expect(transitions, 'accounts have moved').to.be.greaterThan(5 * LIVES[kind]));

  for (let index = 0; index < LIVES[kind]; index += 1)
    it(`end with the state, blocks, tag and next check that an oracle calculates (seed ${seed + index})`, async () => {
      const random = new Random(seed + index);
      const life = await OverdueLife.begin(engine);
      try {
        await live(life, random);
      } finally {
        await life.close();
      }
      transitions += life.transitions;
      expect(life.evaluations, 'accounts were looked at').to.be.greaterThan(0);
      expect(engine.logger.lines.filter(({ level }) => level === 'error')).to.eql([]);
      expect(await Array.fromAsync(engine.billing.checks.breaches())).to.eql([]);
    }).timeout(0);

  async function live(life: OverdueLife, random: Random): Promise<void> {
    const { acme, clock } = engine;
    await life.upload(random.of(CONFIGS.slice(0, -1)));
    const accountIds = await settleDown(life, random);
    const disputes = new Map<Uuid, string>();
    for (let step = 0; step < STEPS; step += 1) {
      const done: string[] = [];
      if (random.percent(55)) {
        life.moveTo(clock.now() + random.within(1, random.percent(20) ? 12 * DAY_MS : 2 * DAY_MS));
        done.push('time');
        await life.settle(`step ${step}: time`);
      }
      const count = random.within(1, 3);
      for (let each = 0; each < count; each += 1) {
        const accountId = random.of(accountIds);
        done.push(`${await actOnce({ life, random, acme, accountId, disputes })} of ${accountId}`);
        if (random.percent(60)) await life.settle(`step ${step}: ${done.join(', ')}`);
      }
      await life.settle(`step ${step}: ${done.join(', ')}`);
    }
  }

  /** A family with one paid and one paying child, and two more accounts. */
  async function settleDown(life: OverdueLife, random: Random): Promise<readonly Uuid[]> {
    const { acme, clock } = engine;
    const ids: Uuid[] = [];
    for (const role of ['PARENT', 'PAID_FOR', 'CHILD', 'ALONE', 'ALONE'] as const) {
      life.moveTo(clock.now() + random.within(1, DAY_MS));
      const isChild = role === 'PAID_FOR' || role === 'CHILD';
      const input = {
        currency: 'USD',
        timeZone: random.of(ZONES),
        ...(isChild ? { parentAccountId: ids[0] ?? null } : {}),
        isPaymentDelegatedToParent: role === 'PAID_FOR',
      };
      const hasCard = role !== 'PAID_FOR' && random.percent(70);
      const { id } = await (hasCard ? engine.payingAccount(input) : acme.createAccount(input));
      ids.push(id);
      if (role !== 'PARENT') await acme.createSubscription({ accountId: id, planName: random.of(PLANS) });
      await life.settle(`the sign-up of ${id}`);
    }
    return ids;
  }
});
