import { inChild } from './child.ts';

import type { Bench, Figure, Goal } from './goal.ts';
import type { QueueInput, QueueOutput } from './queue-process.ts';
import { percentile } from './statistics.ts';

const events = { SMOKE: 5, QUICK: 50, NORMAL: 200, FULL: 500 };
const notifications = { SMOKE: 1, QUICK: 2, NORMAL: 10, FULL: 60 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 5, FULL: 5 };
const goalP50 = 20;
const goalP99 = 100;

/** Measures the time from the due instant of an entry until its handler gets it, on an idle system. */
export const queueLatency: Goal = {
  name: 'queue-latency',
  title: 'Queue: due entry to handler on an idle system',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds) {
      const outputs = await outputsOn(bench, kind);
      figures.push(
        ...figuresOf(
          `bus event, ${kind}`,
          outputs.map(({ busMs }) => busMs),
        ),
        ...figuresOf(
          `notification, ${kind}`,
          outputs.map(({ notificationMs }) => notificationMs),
        ),
      );
      if (kind === 'postgresql') {
        figures.push(
          ...figuresOf(
            `bus event of another node, ${kind}`,
            outputs.map(({ otherNodeMs }) => otherNodeMs),
          ),
        );
      }
    }
    return figures;
  },
};

async function outputsOn(bench: Bench, kind: (typeof bench.kinds)[number]): Promise<readonly QueueOutput[]> {
  const outputs: QueueOutput[] = [];
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await bench.databases.fresh(kind);
    const script = new URL('./queue-process.ts', import.meta.url);
    const input = { database, events: bench.choose(events), notifications: bench.choose(notifications) };
    outputs.push(await inChild<QueueInput, QueueOutput>({ script, input }));
    await bench.databases.remove(database);
  }
  return outputs;
}

function figuresOf(what: string, runsMs: readonly (readonly number[])[]): readonly Figure[] {
  const at = (share: number): readonly number[] => runsMs.map((times) => percentile(times, share));
  return [
    { name: `${what}, p50`, unit: 'ms', runs: at(50), goal: { atMost: goalP50 } },
    { name: `${what}, p99`, unit: 'ms', runs: at(99), goal: { atMost: goalP99 } },
  ];
}
