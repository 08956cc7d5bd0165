import type { DatabaseKind } from './databases.ts';
import { type Bench, expectSame, type Figure, type Goal, onEachDatabase } from './goal.ts';
import { runOnce } from './invoice-run.ts';
import { seed } from './past.ts';
import type { RunOutput } from './run-process.ts';

const accounts = { SMOKE: 30, QUICK: 150, NORMAL: 5_000, FULL: 10_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };

/** Measures how much an event sink in the same process slows billing. Runs with and without the sink alternate. */
export const eventSink: Goal = {
  name: 'event-sink',
  title:
    'Event sink: the invoice run with payment, with a sink that takes every event at once, and without one',
  measure: onEachDatabase(measureOn),
};

async function measureOn(bench: Bench, kind: DatabaseKind): Promise<readonly Figure[]> {
  const { databases } = bench;
  const template = await databases.fresh(kind);
  const count = bench.choose(accounts);
  const seeded = await seed(template, { accounts: count, invoices: 12, subscriptions: 1 });
  const runOn = async (hasSink: boolean): Promise<RunOutput> => {
    const database = await databases.copyOf(template);
    const output = await runOnce(database, seeded, { by: 'DISPATCHER', hasSink });
    await databases.remove(database);
    return output;
  };
  const turns: { readonly without: RunOutput; readonly withSink: RunOutput }[] = [];
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const turn = { without: await runOn(false), withSink: await runOn(true) };
    expectSame('Payment events of the sink', turn.withSink.events.INVOICE_PAYMENT_SUCCESS, count);
    turns.push(turn);
  }
  await databases.remove(template);
  const rate = (ms: number): number => (count / ms) * 1_000;
  const on = `${kind}, ${count} accounts`;
  return [
    figure(
      `run without a sink, ${on}`,
      'accounts/s',
      turns.map(({ without }) => rate(without.ms)),
    ),
    figure(
      `run with a sink, ${on}`,
      'accounts/s',
      turns.map(({ withSink }) => rate(withSink.ms)),
    ),
    figure(
      `run with a sink, ${on}`,
      'of that without',
      turns.map(({ without, withSink }) => without.ms / withSink.ms),
    ),
    figure(
      `run until the sink has taken everything, ${on}`,
      'of that without',
      turns.map(({ without, withSink }) => without.ms / withSink.eventsMs),
    ),
    figure(
      `events that the sink takes, ${on}`,
      'events/s',
      turns.map(({ withSink }) => (sum(Object.values(withSink.events)) / withSink.eventsMs) * 1_000),
    ),
  ];
}

function figure(name: string, unit: string, measured: readonly number[]): Figure {
  return { name, unit, runs: measured, goal: null };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
