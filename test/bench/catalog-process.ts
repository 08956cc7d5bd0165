import { Billing } from '../../adapters/node/billwright.ts';
import { type Catalog, type Instant, priceOf, type Uuid } from '../../lib/index.ts';
import type { BenchDatabase } from './bench-database.ts';
import { type CatalogShape, dateOf, documentOf, firstDay, planName, priceOfPlan } from './catalog-seed.ts';
import { answerParent } from './child.ts';
import { storageAt } from './databases.ts';
import { expectSame } from './goal.ts';

export interface CatalogInput {
  readonly database: BenchDatabase;
  readonly tenant: Uuid;
  readonly shape: CatalogShape;
  readonly lookUps: number;
}

export interface CatalogOutput {
  readonly loadMs: number;
  /** Memory after loading, before lookups decode plans. */
  readonly loadedMib: number;
  readonly newUs: number;
  readonly recentUs: number;
  readonly oldUs: number;
  /** Time to validate and store one more version, and to read the catalog again. */
  readonly uploadMs: number;
}

async function measure({ database, tenant, shape, lookUps }: CatalogInput): Promise<CatalogOutput> {
  const billing = await Billing.open({ storage: storageAt(database) });
  const bench = billing.as({ tenant, user: 'bench' });
  const began = performance.now();
  const context = await billing.context({ tenant, user: 'bench' });
  const catalog = await billing.catalogs.current(context);
  const loadMs = performance.now() - began;
  const loadedMib = process.memoryUsage().rss / 2 ** 20;
  const lookUpTimes = timeLookUps(catalog, shape, lookUps);
  check(catalog, shape);

  const document = documentOf(shape, shape.versions);
  const uploading = performance.now();
  await bench.uploadCatalog(document);
  const extended = await bench.catalogs.current();
  const uploadMs = performance.now() - uploading;
  expectSame('The number of versions after an upload', extended.versions.length, shape.versions + 1);
  await billing.close();
  return { loadMs, loadedMib, ...lookUpTimes, uploadMs };
}

function timeLookUps(catalog: Catalog, { plans, versions }: CatalogShape, lookUps: number) {
  const names = Array.from({ length: plans }, (_, index) => planName(index));
  const nameOf = (index: number): string => names[index % plans] ?? '';
  // Prepared before timing starts, in an order that the processor cannot predict.
  const days = Array.from({ length: versions }, (_, index) => dateOf((index * 7_919) % versions));
  const dayOf = (index: number): Instant => days[index % versions] ?? firstDay;
  const timed = (lookUp: (index: number) => unknown): number => {
    let found = 0;
    for (let index = 0; index < lookUps / 10; index += 1) lookUp(index);
    const start = performance.now();
    for (let index = 0; index < lookUps; index += 1) if (lookUp(index) !== undefined) found += 1;
    const us = ((performance.now() - start) / lookUps) * 1_000;
    expectSame('Plans found', found, lookUps);
    return us;
  };
  return {
    newUs: timed((index) => catalog.resolveVersion(dayOf(index)).findPlan(nameOf(index))),
    recentUs: timed((index) => catalog.resolvePlan(nameOf(index), dayOf(index), dayOf(index)).plan),
    oldUs: timed((index) => catalog.resolvePlan(nameOf(index), dayOf(index), firstDay).plan),
  };
}

/**
 * Checks that an existing subscription keeps the price of its start and a new one gets today's price (catalog §6.2).
 */
function check(catalog: Catalog, shape: CatalogShape): void {
  const last = shape.versions - 1;
  const at = dateOf(last);
  for (let index = 0; index < shape.plans; index += 1) {
    const name = planName(index);
    const { version } = catalog.resolvePlan(name, at, firstDay);
    expectSame('The version of an old subscription', version.effectiveDate, firstDay);
    const price = catalog.resolveVersion(at).findPlan(name).finalPhase.recurring?.price;
    const amount = price && priceOf(price, 'USD').toFixed(2);
    expectSame('The price of the last day', amount, priceOfPlan(shape, last, index));
  }
}

answerParent(measure);
