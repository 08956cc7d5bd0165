import {
  DecodedParts,
  frameOfText,
  partsOf,
  planOfText,
  productOfText,
  Shape,
  StoredPart,
} from '../../lib/catalog/cache/stored-parts.ts';
import type { Catalog, Plan } from '../../lib/catalog/index.ts';
import {
  CatalogVersion,
  canonicalXml,
  createCatalog,
  createVersion,
  readCatalogXml,
  samePlan,
} from '../../lib/catalog/index.ts';
import { LazyPart, type Part, PartList } from '../../lib/catalog/model/part.ts';
import { createPlan, textOfPlan } from '../../lib/catalog/model/plan.ts';
import { inOneTurn } from '../../lib/runtime/wait/turns.ts';
import { versionContent } from '../support/catalogs/catalog-arbitraries.ts';
import { documentRuns, fc, forRuns, propertyRuns } from '../support/property.ts';
import { expect, expectSame, type Instant, instant } from '../support/unit.ts';

const DAY_MS = 86_400_000;
const [template] = fc.sample(
  versionContent.filter(({ plans }) => plans.length > 0),
  { numRuns: 1, seed: 1 },
);

/** Content that all versions share, created once because that takes most of the time. */
const [shape] = template?.plans ?? [];
const common = template && createVersion({ ...template, products: [], plans: [] });

/**
 * Returns the version of a day. Each plan has a date for existing subscriptions, or null without one; undefined: no
 * such plan.
 */
function versionOf(day: number, dates: readonly (number | null | undefined)[]) {
  if (!common || !shape) throw new Error('no plan to copy');
  const parts = dates.flatMap((date, index) => {
    if (date === undefined) return [];
    const key = `plan-${index} ${date}`;
    const effectiveDateForExistingSubscriptions = date === null ? null : dayOf(date);
    const content = { ...shape, name: `plan-${index}`, effectiveDateForExistingSubscriptions };
    const plan = madePlans.get(key) ?? createPlan(content, null);
    madePlans.set(key, plan);
    return [
      new LazyPart({ name: plan.name, forExisting: effectiveDateForExistingSubscriptions }, () => plan),
    ];
  });
  const { frame, productParts: products } = common;
  return new CatalogVersion({ effectiveDate: dayOf(day), frame, products, plans: new PartList(parts) });
}

const madePlans = new Map<string, Plan>();

/** Returns the versions with one shared part for equal content, like storage. */
function sharingParts(versions: readonly CatalogVersion[]): readonly CatalogVersion[] {
  const known = new Map<string, Part<Plan>>();
  return versions.map(({ effectiveDate, frame, productParts, planParts }) => {
    const parts = planParts.parts.map((part) => {
      const key = `${part.name} ${part.forExisting}`;
      const shared = known.get(key) ?? part;
      known.set(key, shared);
      return shared;
    });
    const plans = new PartList(parts);
    return new CatalogVersion({ effectiveDate, frame, products: productParts, plans });
  });
}

function dayOf(day: number): Instant {
  return instant(day * DAY_MS);
}

/** Returns the index of the version that supplies the plan, by the steps of catalog §6.2. */
function walk(
  catalog: Catalog,
  name: string,
  [at, lastPlanChange]: readonly [at: Instant, lastPlanChange: Instant],
): number | undefined {
  let fallback: number | undefined;
  const inForce = catalog.versions.indexOf(catalog.resolveVersion(at));
  for (let index = inForce; index >= 0; index -= 1) {
    const version = catalog.versions[index];
    const plan = version?.planNamed(name);
    if (version === undefined || plan === undefined) continue;
    if (index === 0 || version.effectiveDate <= lastPlanChange) return index;
    const date = plan.effectiveDateForExistingSubscriptions;
    if (date !== null && date <= at) return index;
    if (date === null) fallback ??= index;
  }
  return fallback;
}

describe('catalog version parts', () => {
  it('are unchanged after serialization, and equal parts have equal text', async () => {
    await fc.assert(
      fc.asyncProperty(versionContent, async (content) => {
        const version = createVersion(content);
        const { frame, products, plans } = await partsOf(version, inOneTurn);
        expectSame(frameOfText(frame.text), { ...version.frame.value, recurringBillingMode: null });
        expectSame(
          products.map(({ text }) => productOfText(text)),
          version.products,
        );
        const texts = plans.map(({ shape, text }) => (shape === null ? text : new Shape(shape).fill(text)));
        expect(texts).to.eql(version.plans.map(textOfPlan));
        expectSame(texts.map(planOfText), version.plans);
        expect(texts.map((text) => textOfPlan(planOfText(text)))).to.eql(texts);
        const [reread] = readCatalogXml(canonicalXml(version)).versions;
        const others = reread ? createVersion(reread.content).plans : [];
        expect(version.plans.map((plan, index) => samePlan(plan, others[index] ?? plan))).to.not.include(
          false,
        );
      }),
      { numRuns: documentRuns },
    );
  }).timeout(0);

  it('keep returning the same decoded value to all holders, regardless of other reads', () => {
    const decoded = new DecodedParts(2);
    const parts = ['a', 'b', 'c', 'd'].map(
      (name) =>
        new StoredPart({ name, forExisting: null, text: name }, null, {
          decode: (text) => Object.freeze({ name: text }),
          decoded,
        }),
    );
    const held = parts.map((part) => part.value);
    expect(held.map(({ name }) => name)).to.eql(['a', 'b', 'c', 'd']);
    for (const index of [0, 3, 1, 0, 2, 3]) expect(parts[index]?.value).to.equal(held[index]);
  });

  it('give an existing subscription the same plan version as a search through all versions', () => {
    const day = fc.nat(20);
    const date = fc.oneof(fc.constant(undefined), fc.constant(null), fc.nat(22), fc.constantFrom(7, 14));
    const versions = fc.uniqueArray(fc.tuple(day, fc.array(date, { minLength: 2, maxLength: 2 })), {
      minLength: 1,
      maxLength: 8,
      selector: ([first]) => first,
    });
    forRuns(
      propertyRuns * 5,
      [versions, fc.boolean(), fc.tuple(day, day)],
      (dated, isShared, [atDay, changeDay]) => {
        const separate = dated
          .toSorted(([one], [other]) => one - other)
          .map(([first, dates]) => versionOf(first, dates));
        const catalog = createCatalog(isShared ? sharingParts(separate) : separate);
        const [at, lastPlanChange] = [dayOf(atDay), dayOf(changeDay)];
        for (const name of ['plan-0', 'plan-1']) {
          const expected = walk(catalog, name, [at, lastPlanChange]);
          const resolve = () => catalog.resolvePlan(name, at, lastPlanChange);
          if (expected === undefined) expect(resolve).to.throw('is not in any version');
          else expect(catalog.versions.indexOf(resolve().version)).to.equal(expected);
        }
      },
    );
  }).timeout(0);
});
