import fc from 'fast-check';
import { formatLocalDate, type NewOverdueDefinition, type Uuid } from '../../lib/index.ts';
import { addDays, localDateOf, type TimeZone } from '../../lib/values/time/index.ts';
import { anyDatabase, expect, openEngine, seed, storedRuns, type TestEngine } from '../support/index.ts';

const DAYS_AHEAD = 40;
const zones = ['UTC', 'America/Los_Angeles', 'Pacific/Auckland'] as const;

/** The debt of an account and the overdue configuration that applies to it. */
interface Debt {
  readonly definition: NewOverdueDefinition;
  readonly timeZone: (typeof zones)[number];
  readonly charges: readonly {
    readonly amount: number;
    readonly afterDays: number;
    readonly aheadDays: number;
  }[];
}

const interval = fc.option(fc.integer({ min: 1, max: 12 }), { nil: null });
const criteria = fc.record({
  time: fc.option(fc.integer({ min: 1, max: 30 }), { nil: null, freq: 6 }),
  count: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null, freq: 1 }),
  total: fc.option(fc.integer({ min: 1, max: 90 }), { nil: null, freq: 1 }),
  disables: fc.boolean(),
  interval,
});

const debts: fc.Arbitrary<Debt> = fc.record({
  timeZone: fc.constantFrom(...zones),
  charges: fc.array(
    fc.record({
      amount: fc.integer({ min: 1, max: 50 }),
      afterDays: fc.integer({ min: 0, max: 6 }),
      aheadDays: fc.constantFrom(0, 0, 3, 9),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  definition: fc
    .record({ states: fc.array(criteria, { minLength: 1, maxLength: 3 }), initial: interval })
    .map(definitionOf),
});

/** Builds a definition. Times decrease from state to state, as JSON requires (overdue §1.3 rule 4). */
function definitionOf({
  states,
  initial,
}: {
  readonly states: readonly {
    readonly time: number | null;
    readonly count: number | null;
    readonly total: number | null;
    readonly disables: boolean;
    readonly interval: number | null;
  }[];
  readonly initial: number | null;
}): NewOverdueDefinition {
  const times = [...new Set(states.flatMap(({ time }) => time ?? []))].sort((one, other) => other - one);
  return {
    initialReevaluationInterval: initial,
    overdueStates: states.map((state, index) => {
      const number = times[index];
      return {
        name: `S${states.length - index}`,
        isBlockChanges: true,
        isDisableEntitlement: state.disables,
        autoReevaluationIntervalDays: state.interval,
        condition: {
          timeSinceEarliestUnpaidInvoiceEqualsOrExceeds:
            number === undefined ? null : { unit: 'DAYS', number },
          numberOfUnpaidInvoicesEqualsOrExceeds: state.count ?? (number === undefined ? 1 : null),
          totalUnpaidInvoiceBalanceEqualsOrExceeds: state.total === null ? null : String(state.total),
        },
      };
    }),
  };
}

anyDatabase.describe('overdue forecasts', (open) => {
  it('match the actual states of a non-paying account, day by day', async function () {
    this.timeout(60_000 + storedRuns * 10_000);
    await fc.assert(
      fc.asyncProperty(debts, async (debt) => {
        await compareForeseen(await openEngine(open, { now: '2024-02-10T09:00:00Z', catalog: null }), debt);
      }),
      { numRuns: storedRuns, seed },
    );
  });
});

async function compareForeseen(engine: TestEngine, debt: Debt): Promise<void> {
  const { acme } = engine;
  await acme.overdue.upload(debt.definition);
  const { id, timeZone } = await acme.createAccount({ currency: 'USD', timeZone: debt.timeZone });
  for (const { amount, afterDays, aheadDays } of debt.charges) {
    await passDays(engine, afterDays);
    const requestedDate = addDays(today(engine, timeZone), aheadDays);
    const items = [{ amount: String(amount) }];
    await engine.settle(acme.invoices.addCharges({ accountId: id, items, requestedDate, autoCommit: true }));
  }
  const days = Array.from({ length: DAYS_AHEAD }, (_, ahead) => addDays(today(engine, timeZone), ahead));
  const foreseen: string[] = [];
  for (const day of days) foreseen.push(await nameOn(engine, id, formatLocalDate(day)));
  const met: string[] = [];
  for (const [ahead] of days.entries()) {
    if (ahead > 0) await passDays(engine, 1);
    met.push((await acme.overdue.ofAccount(id)).name);
  }
  expect(met).to.eql(foreseen);
}

async function nameOn({ acme }: TestEngine, accountId: Uuid, day: string): Promise<string> {
  const { state, steps } = await acme.overdue.preview(accountId, day);
  // The last step leads to the previewed state.
  if (steps.length > 0) expect(steps.at(-1)?.state).to.eql(state);
  return state.name;
}

async function passDays(engine: TestEngine, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    engine.clock.advance({ days: 1 });
    await engine.settle();
  }
}

function today({ clock }: TestEngine, timeZone: TimeZone) {
  return localDateOf(clock.now(), timeZone);
}
