import { inspect } from 'node:util';
import { type DatabaseKind, eachDatabase, expect, isLongRun, openEngine, seed } from '../support/index.ts';
import { invariants } from './all.ts';
import { breachesOf } from './invariant.ts';
import { gather } from './observe.ts';
import { operations } from './operations.ts';
import { live } from './program.ts';
import { Random } from './random.ts';
import { Town } from './town.ts';

/** `BILLWRIGHT_INVARIANTS_ACCOUNTS` sets the number of accounts. */
const ASKED = Number(process.env.BILLWRIGHT_INVARIANTS_ACCOUNTS ?? (isLongRun ? 1_000 : 12));
const ACCOUNTS = { sqlite: ASKED, postgresql: isLongRun ? ASKED : Math.ceil(ASKED / 3) } as const;

/** Thirteen months. */
const DAYS = 396;
const sizeOn = (kind: DatabaseKind) =>
  isLongRun
    ? { days: DAYS, mostDaysPerStep: 4, operationsPerStep: Math.ceil(ASKED / 20) }
    : { days: DAYS, mostDaysPerStep: 20, operationsPerStep: kind === 'sqlite' ? 8 : 3 };

eachDatabase.describe('thirteen months of random operations', (open, kind) => {
  it(`violate no invariants (${ACCOUNTS[kind]} accounts, seed ${seed})`, async () => {
    const engine = await openEngine(open, {
      now: '2024-01-29T15:20:11Z',
      configuration: {
        'org.service.invoice.creditNotes': 'true',
        'org.service.subscription.align.effectiveDateForExistingSubscriptions': seed % 2 === 0,
      },
    });
    try {
      const town = await Town.found(engine, new Random(seed), ACCOUNTS[kind]);
      await live(town, sizeOn(kind));
      const found = await Array.fromAsync(engine.billing.checks.breaches());
      expect(found.slice(0, 20), 'what `billwright check` finds').to.eql([]);
      const evidence = await gather(town, 25);
      const failures = engine.logger.lines.filter(({ level }) => level === 'error');
      expect(failures, inspect(failures.slice(0, 2), { depth: 5 })).to.eql([]);
      expect(breachesOf(invariants, evidence).slice(0, 20)).to.eql([]);
      const never = operations.filter(({ name }) => !town.accepted.has(name)).map(({ name }) => name);
      if (isLongRun) expect(never).to.eql([]);
    } finally {
      await engine.close();
    }
  }).timeout(0);
});
