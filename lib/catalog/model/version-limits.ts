import type { Problem } from '../../values/errors/index.ts';
import { contentPhases, type VersionContent } from './version-content.ts';

/** Bounds of one catalog version (platform §16): products, plans, price lists, and the cases of all rules together. */
const MAX_CATALOG_PRODUCTS = 5_000;
const MAX_CATALOG_PLANS = 10_000;
const MAX_CATALOG_PRICE_LISTS = 200;
const MAX_CATALOG_RULE_CASES = 5_000;

/** Phases of one plan. */
const MAX_PLAN_PHASES = 20;

/** What is counted of a catalog version, or of one of its plans (platform §16). */
export interface VersionLimit {
  /** As messages name it, in the plural. */
  readonly what: string;
  readonly max: number;
  readonly of: 'version' | 'plan';
}

export const VERSION_LIMITS = {
  products: { what: 'products', max: MAX_CATALOG_PRODUCTS, of: 'version' },
  plans: { what: 'plans', max: MAX_CATALOG_PLANS, of: 'version' },
  priceLists: { what: 'price lists', max: MAX_CATALOG_PRICE_LISTS, of: 'version' },
  ruleCases: { what: 'rule cases', max: MAX_CATALOG_RULE_CASES, of: 'version' },
  phases: { what: 'phases', max: MAX_PLAN_PHASES, of: 'plan' },
} as const satisfies Readonly<Record<string, VersionLimit>>;

/** Says that there is more than the limit allows. */
export function excess({ what, max, of }: VersionLimit, count: number): string {
  const owner = of === 'plan' ? 'A plan' : 'A catalog version';
  return `${owner} has at most ${max} ${what}, not ${count}`;
}

/** The limits that a version exceeds, whatever it was made of; empty: none. */
export function exceededLimits(content: VersionContent): readonly Problem[] {
  const { products, plans, priceLists, ruleCases, phases } = VERSION_LIMITS;
  const cases = Object.values(content.rules).reduce((total, { length }) => total + length, 0);
  const longest = content.plans.reduce((most, plan) => Math.max(most, contentPhases(plan).length), 0);
  const counts: readonly (readonly [VersionLimit, number])[] = [
    [products, content.products.length],
    [plans, content.plans.length],
    [priceLists, content.priceLists.childPriceLists.length + 1],
    [ruleCases, cases],
    [phases, longest],
  ];
  return counts
    .filter(([{ max }, count]) => count > max)
    .map(([limit, count]) => ({ message: excess(limit, count) }));
}
