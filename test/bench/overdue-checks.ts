import { decimal } from '../../lib/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { inChild } from './child.ts';
import { type DatabaseKind, withRows } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal } from './goal.ts';
import { plainInsertRate } from './invoice-run.ts';
import { BEGINS, openShop, PLAN, settle, withEngine } from './past.ts';
import type { RunInput, RunOutput } from './run-process.ts';
import { markNow, multiply } from './seed.ts';

const accounts = { SMOKE: 30, QUICK: 100, NORMAL: 10_000, FULL: 10_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
/** Number of checks that the dispatcher passes to the handler together. */
const batchSize = 100;
const due = '2024-01-11T00:00:00Z';
/** The next check of an account has the same unique key as the current one. */
const makingRoom = `delete from bw_queue_entries where unique_key like 'overdue-check:%'`;

/** Results of a check on the tenth day, by the age at which the only state is entered. */
const cases = [
  { what: 'all enter a state', days: 10, states: 1, next: 0 },
  { what: 'none changes', days: 90, states: 0, next: 1 },
] as const;
type Case = (typeof cases)[number];

/** Measures a cold-started node that checks accounts with one paid and one unpaid invoice. */
export const overdueChecks: Goal = {
  name: 'overdue-checks',
  title: 'Overdue checks: accounts with an unpaid invoice, all due at one instant',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds)
      for (const each of cases) figures.push(...(await measureOn(bench, kind, each)));
    return figures;
  },
};

async function measureOn(bench: Bench, kind: DatabaseKind, each: Case): Promise<readonly Figure[]> {
  const { databases } = bench;
  const template = await databases.fresh(kind);
  const count = bench.choose(accounts);
  await seedOwing(template, count, each);
  const rates: number[] = [];
  let ceiling = 0;
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await databases.copyOf(template);
    const { ms } = await runOnce(database, 'DISPATCHER');
    await check(database, count, each);
    rates.push((count / ms) * 1_000);
    if (left === 1) ceiling = await plainInsertRate({ databases, template, database, makingRoom });
    await databases.remove(database);
  }
  const counted = await databases.copyOf(template);
  const { statements } = await runOnce(counted, 'SETTLE');
  await check(counted, count, each);
  await databases.remove(counted);
  await databases.remove(template);
  const on = `${each.what}, ${kind}, ${count} accounts`;
  return [
    {
      name: `overdue checks, ${on}`,
      unit: 'accounts/s',
      runs: rates,
      goal: null,
      ceiling: { what: 'the same rows by plain inserts, 50 accounts a transaction', value: ceiling },
    },
    {
      name: `statements with all that follows, ${on}`,
      unit: `for ${batchSize} accounts`,
      runs: [statements / Math.ceil(count / batchSize)],
      goal: null,
    },
  ];
}

const script = new URL('./run-process.ts', import.meta.url);

async function runOnce(database: BenchDatabase, by: RunInput['by']): Promise<RunOutput> {
  return inChild<RunInput, RunOutput>({ script, input: { database, now: due, by } });
}

/** Lets the engine bill one account without a payment method, and copies it to get the rest. */
async function seedOwing(database: BenchDatabase, count: number, { days }: Case): Promise<void> {
  const tenantId = await withEngine(database, BEGINS, async ({ billing }) => {
    const { id } = await openShop(billing);
    await billing.as({ tenant: id, user: 'bench' }).overdue.upload({
      initialReevaluationInterval: 10,
      overdueStates: [
        {
          name: 'BLOCKED',
          isBlockChanges: true,
          isDisableEntitlement: true,
          condition: { timeSinceEarliestUnpaidInvoiceEqualsOrExceeds: { unit: 'DAYS', number: days } },
        },
      ],
    });
    await settle(billing);
    return id;
  });
  const mark = await withRows(database, markNow);
  await withEngine(database, BEGINS, async ({ billing }) => {
    const acme = billing.as({ tenant: tenantId, user: 'bench' });
    const { id: accountId } = await acme.createAccount({ currency: 'USD', name: 'Ada Larsen' });
    const items = [{ amount: decimal(5), description: 'Setup' }];
    const [charge] = await acme.invoices.addCharges({ accountId, items, autoCommit: true });
    await acme.invoicePayments.pay({ invoiceId: charge?.invoiceId ?? accountId, isExternal: true });
    await acme.createSubscription({ accountId, planName: PLAN });
    await settle(billing);
  });
  await withRows(database, (rows) => multiply(rows, mark, count - 1));
}

/** Checks that every account was checked once and is in the expected state. */
async function check(database: BenchDatabase, count: number, { states, next }: Case): Promise<void> {
  await withRows(database, async (rows) => {
    const found = async (what: string): Promise<number> => {
      const [row] = await rows.query(`select count(*) as found from ${what}`);
      return Number(row?.found);
    };
    const at = Date.parse(due);
    const checks = `where unique_key like 'overdue-check:%'`;
    const done = `bw_queue_history ${checks} and processing_state = 'PROCESSED' and effective_date = ${at}`;
    expectSame('Checks done', await found(done), count);
    const later = `bw_queue_entries ${checks} and effective_date > ${at}`;
    expectSame('Checks to come', await found(later), count * next);
    const blocked = `bw_blocking_states where service = 'overdue-service' and state_name = 'BLOCKED' and is_block_billing`;
    expectSame('Blocked accounts', await found(blocked), count * states);
    expectSame('Tagged accounts', await found('bw_tags where is_active'), count * states);
    const left = `bw_queue_entries where effective_date <= ${at}`;
    expectSame('What is left to do', await found(left), 0);
    const failed = `bw_queue_history where processing_state in ('FAILED', 'REAPED')`;
    expectSame('Failed queue entries', await found(failed), 0);
  });
}
