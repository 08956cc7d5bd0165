import type { CatalogInput, CatalogOutput } from './catalog-process.ts';
import { type CatalogShape, seedCatalog } from './catalog-seed.ts';
import { type ChildUsage, inChild } from './child.ts';
import type { DatabaseKind } from './databases.ts';
import type { Bench, Figure, Goal } from './goal.ts';

const versions = { SMOKE: 10, QUICK: 10, NORMAL: 1_000, FULL: 1_000 };
const lookUps = { SMOKE: 10_000, QUICK: 50_000, NORMAL: 2_000_000, FULL: 2_000_000 };
const runs = { SMOKE: 1, QUICK: 1, NORMAL: 3, FULL: 5 };
const plans = 200;

export const catalogSize: Goal = {
  name: 'catalog-size',
  title: 'Catalog of 200 plans in 1,000 versions: load from the database, then lookups',
  async measure(bench) {
    const figures: Figure[] = [];
    for (const kind of bench.kinds) {
      figures.push(
        ...(await measureOn(bench, kind, 'one plan')),
        ...(await measureOn(bench, kind, 'every plan')),
      );
    }
    return figures;
  },
};

async function measureOn(bench: Bench, kind: DatabaseKind, changes: CatalogShape['changes']) {
  const shape: CatalogShape = { plans, versions: bench.choose(versions), changes };
  const seeded = await bench.databases.fresh(kind);
  bench.print(`seeding ${kind}, ${changes} changed in each version`);
  const tenant = await seedCatalog(seeded, shape);
  const outputs: (CatalogOutput & ChildUsage)[] = [];
  for (let left = bench.choose(runs); left > 0; left -= 1) {
    const database = await bench.databases.copyOf(seeded);
    const script = new URL('./catalog-process.ts', import.meta.url);
    const input = { database, tenant, shape, lookUps: bench.choose(lookUps) };
    outputs.push(await inChild<CatalogInput, CatalogOutput>({ script, input }));
    await bench.databases.remove(database);
  }
  await bench.databases.remove(seeded);
  const on = `${plans} plans × ${shape.versions} versions, ${changes} changed in each, ${kind}`;
  const figure = (name: string, unit: string, of: (output: (typeof outputs)[number]) => number) => ({
    name: `${name}, ${on}`,
    unit,
    runs: outputs.map(of),
    goal: null,
  });
  const lookUp = (name: string, of: (output: CatalogOutput) => number): Figure => ({
    ...figure(name, 'µs', of),
    goal: { atMost: 1 },
  });
  return [
    { ...figure('load', 's', ({ loadMs }) => loadMs / 1_000), goal: { atMost: 2 } },
    lookUp('plan of a new subscription: version by date, plan by name', ({ newUs }) => newUs),
    lookUp('plan of a subscription that has changed lately', ({ recentUs }) => recentUs),
    lookUp('plan of a subscription as old as the catalog', ({ oldUs }) => oldUs),
    figure('upload of one more version, and the next look', 'ms', ({ uploadMs }) => uploadMs),
    figure('resident memory when loaded', 'MiB', ({ loadedMib }) => loadedMib),
    figure('highest resident memory', 'MiB', ({ peakMib }) => peakMib),
  ];
}
