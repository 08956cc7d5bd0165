import type { BillingMode, FeatureDeclaration } from '../../records/index.ts';
import type { Problem } from '../../values/errors/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { Plan, PlanPhase, PlanRules, PriceList, PriceListSet, Product, Unit } from './catalog-model.ts';

/** A phase without its computed name. A null `prettyName` means the computed name. */
export interface PhaseContent extends Omit<PlanPhase, 'name' | 'prettyName'> {
  readonly prettyName: string | null;
}

/** A plan before defaults are applied. A null `recurringBillingMode` means the version's mode. */
export interface PlanContent
  extends Omit<Plan, 'parentPlanName' | 'initialPhases' | 'finalPhase' | 'phases' | 'billingPeriod'> {
  readonly initialPhases: readonly PhaseContent[];
  readonly finalPhase: PhaseContent;
}

/**
 * One version as unchecked data in its original order, for `validateVersion` and `createVersion`. Names may occur twice
 * or refer to nothing.
 */
export interface VersionContent extends VersionFrame {
  readonly effectiveDate: Instant;
  readonly products: readonly Product[];
  readonly plans: readonly PlanContent[];
}

export function contentPhases(plan: PlanContent): readonly PhaseContent[] {
  return [...plan.initialPhases, plan.finalPhase];
}

/** All parts of a version except its date, products and plans. */
export interface VersionFrame {
  readonly catalogName: string;
  readonly recurringBillingMode: BillingMode | null;
  readonly currencies: readonly Currency[];
  readonly units: readonly Unit[];
  /** Declared features in document order. The field is absent if none exist. */
  readonly features?: readonly FeatureDeclaration[];
  readonly rules: PlanRules;
  readonly priceLists: PriceListSet;
}

/** Price lists by name, and the first list of each plan. The list `DEFAULT` is first. */
interface PriceListIndex {
  readonly all: readonly PriceList[];
  readonly byName: ReadonlyMap<string, PriceList>;
  readonly listOfPlan: ReadonlyMap<string, string>;
}

const indexes = new WeakMap<VersionFrame, PriceListIndex>();

export function priceListIndex(frame: VersionFrame): PriceListIndex {
  const known = indexes.get(frame);
  if (known !== undefined) return known;
  const all = Object.freeze([frame.priceLists.defaultPriceList, ...frame.priceLists.childPriceLists]);
  const listOfPlan = new Map<string, string>();
  for (const list of all) {
    for (const plan of list.plans) if (!listOfPlan.has(plan)) listOfPlan.set(plan, list.name);
  }
  const index = { all, byName: new Map(all.map((list) => [list.name, list])), listOfPlan };
  indexes.set(frame, index);
  return index;
}

/** Position in a document. Lines and columns start at 1, and columns count UTF-16 code units. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns the position of a record, of one of its child elements, or of one of several repeated child elements. Returns
 * undefined if the document does not contain the element.
 */
export type Locate = (record: object, child?: string, index?: number) => Location | undefined;

/** A well-formed version of a document before validation. */
export interface ParsedVersion {
  readonly content: VersionContent;
  readonly locate: Locate;
}

/** Limits of one catalog version (platform §16). The limit on cases applies to all rules combined. */
const MAX_CATALOG_PRODUCTS = 5_000;
const MAX_CATALOG_PLANS = 10_000;
const MAX_CATALOG_PRICE_LISTS = 200;
const MAX_CATALOG_RULE_CASES = 5_000;
const MAX_CATALOG_FEATURES = 500;

const MAX_PLAN_PHASES = 20;

/** A limit on the size of a catalog version or plan (platform §16). */
export interface VersionLimit {
  readonly what: string;
  readonly max: number;
  readonly of: 'version' | 'plan';
}

export const VERSION_LIMITS = {
  products: { what: 'products', max: MAX_CATALOG_PRODUCTS, of: 'version' },
  plans: { what: 'plans', max: MAX_CATALOG_PLANS, of: 'version' },
  priceLists: { what: 'price lists', max: MAX_CATALOG_PRICE_LISTS, of: 'version' },
  ruleCases: { what: 'rule cases', max: MAX_CATALOG_RULE_CASES, of: 'version' },
  features: { what: 'features', max: MAX_CATALOG_FEATURES, of: 'version' },
  phases: { what: 'phases', max: MAX_PLAN_PHASES, of: 'plan' },
} as const satisfies Readonly<Record<string, VersionLimit>>;

export function excess({ what, max, of }: VersionLimit, count: number): string {
  const owner = of === 'plan' ? 'A plan' : 'A catalog version';
  return `${owner} can have at most ${max} ${what}, not ${count}`;
}

export function exceededLimits(content: VersionContent): readonly Problem[] {
  const { products, plans, priceLists, ruleCases, features, phases } = VERSION_LIMITS;
  const cases = Object.values(content.rules).reduce((total, { length }) => total + length, 0);
  const longest = content.plans.reduce((most, plan) => Math.max(most, contentPhases(plan).length), 0);
  const counts: readonly (readonly [VersionLimit, number])[] = [
    [products, content.products.length],
    [plans, content.plans.length],
    [priceLists, content.priceLists.childPriceLists.length + 1],
    [ruleCases, cases],
    [features, content.features?.length ?? 0],
    [phases, longest],
  ];
  return counts
    .filter(([{ max }, count]) => count > max)
    .map(([limit, count]) => ({ message: excess(limit, count) }));
}
