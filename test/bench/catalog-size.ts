import type { CatalogInput, CatalogOutput } from './catalog-process.ts';
import { inChild } from './child.ts';
import type { Figure, Goal } from './goal.ts';

const versions = { SMOKE: 10, NORMAL: 1_000, FULL: 1_000 };
const lookUps = { SMOKE: 10_000, NORMAL: 2_000_000, FULL: 2_000_000 };
const runs = { SMOKE: 1, NORMAL: 3, FULL: 5 };
const plans = 200;

/** A catalog with a long past: loaded as a node does that starts, then asked as an invoice run asks. */
export const catalogSize: Goal = {
  name: 'catalog-size',
  title: 'Catalog of 200 plans in 1,000 versions: load from the stored documents, then look-ups',
  async measure(bench) {
    const outputs: (CatalogOutput & { readonly peakMib: number })[] = [];
    for (let left = bench.choose(runs); left > 0; left -= 1) {
      const script = new URL('./catalog-process.ts', import.meta.url);
      const input = { plans, versions: bench.choose(versions), lookUps: bench.choose(lookUps) };
      outputs.push(await inChild<CatalogInput, CatalogOutput>({ script, input }));
    }
    const on = `${plans} plans × ${bench.choose(versions)} versions`;
    const lookUp = (name: string, of: (output: CatalogOutput) => number): Figure => ({
      name,
      unit: 'µs',
      runs: outputs.map(of),
      goal: { atMost: 1 },
    });
    return [
      {
        name: `load, ${on}`,
        unit: 's',
        runs: outputs.map(({ loadMs }) => loadMs / 1_000),
        goal: { atMost: 2 },
      },
      { name: `size of the documents, ${on}`, unit: 'MiB', runs: outputs.map(({ mib }) => mib), goal: null },
      {
        name: 'highest resident memory',
        unit: 'MiB',
        runs: outputs.map(({ peakMib }) => peakMib),
        goal: null,
      },
      lookUp('plan of a new subscription: version by date, plan by name', ({ newUs }) => newUs),
      lookUp('plan of a subscription that has changed lately', ({ recentUs }) => recentUs),
      lookUp('plan of a subscription as old as the catalog', ({ oldUs }) => oldUs),
    ];
  },
};
