import { inChild } from './child.ts';
import type { Bench, Figure, Goal } from './goal.ts';
import type { PushInput, PushOutput } from './push-process.ts';

const accounts = { SMOKE: 5, QUICK: 20, NORMAL: 500, FULL: 2_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const mostSlowerPercent = 5;

/** Measures pushes to a receiver in the same process, and how much they slow billing. */
export const push: Goal = {
  name: 'push',
  title: 'Pushes: events to a callback beside a monthly run, whose receiver answers or is dead',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds) {
      const none = await outputsOn(bench, kind, 'NONE');
      const living = await outputsOn(bench, kind, 'LIVING');
      const dead = await outputsOn(bench, kind, 'DEAD');
      figures.push({
        name: `pushes that arrive, ${kind}`,
        unit: 'events/s',
        runs: living.map(
          ({ billedMs, restMs, arrivedMeanwhile, arrivedSince }) =>
            ((arrivedMeanwhile + arrivedSince) * 1_000) / (billedMs + restMs),
        ),
        goal: null,
      });
      for (const [what, outputs] of [
        ['without a callback', none],
        ['with a receiver that answers', living],
        ['with a receiver that never answers', dead],
      ] as const)
        figures.push({
          name: `monthly run ${what}, ${kind}`,
          unit: 'accounts/s',
          runs: outputs.map(({ billedMs }) => (bench.choose(accounts) * 1_000) / billedMs),
          goal: null,
        });
      const best = (outputs: readonly PushOutput[]) => Math.min(...outputs.map(({ billedMs }) => billedMs));
      figures.push({
        name: `monthly run slowed by a receiver that never answers, ${kind}`,
        unit: '%',
        runs: [(best(dead) / best(none) - 1) * 100],
        goal: { atMost: mostSlowerPercent },
      });
    }
    return figures;
  },
};

async function outputsOn(bench: Bench, kind: (typeof bench.kinds)[number], receiver: PushInput['receiver']) {
  const outputs: PushOutput[] = [];
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await bench.databases.fresh(kind);
    const script = new URL('./push-process.ts', import.meta.url);
    const input = { database, accounts: bench.choose(accounts), receiver };
    outputs.push(await inChild<PushInput, PushOutput>({ script, input }));
    await bench.databases.remove(database);
  }
  return outputs;
}
