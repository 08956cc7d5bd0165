import type { BillingMode, PhaseType } from '../../records/index.ts';
import type { Currency } from '../../values/money/index.ts';
import type { Duration, Instant } from '../../values/time/index.ts';
import type { Fixed, PlanRules, PriceListSet, Product, Recurring, Unit, Usage } from './catalog-model.ts';

/** A phase as its author gives it: without the computed name; `prettyName` null stands for that name. */
export interface PhaseContent {
  readonly type: PhaseType;
  readonly prettyName: string | null;
  readonly duration: Duration;
  readonly fixed: Fixed | null;
  readonly recurring: Recurring | null;
  readonly usages: readonly Usage[];
}

/** A plan as its author gives it: `recurringBillingMode` null stands for that of the version. */
export interface PlanContent {
  readonly name: string;
  readonly prettyName: string;
  readonly product: string;
  readonly recurringBillingMode: BillingMode | null;
  readonly effectiveDateForExistingSubscriptions: Instant | null;
  readonly initialPhases: readonly PhaseContent[];
  readonly finalPhase: PhaseContent;
  readonly plansAllowedInBundle: number;
}

/**
 * One version as plain data in the author's order, not yet checked: what the XML reader yields, `validateVersion`
 * examines and `createVersion` turns into a `CatalogVersion`. Names may be repeated or refer to nothing here.
 */
export interface VersionContent {
  readonly catalogName: string;
  readonly effectiveDate: Instant;
  readonly recurringBillingMode: BillingMode | null;
  readonly currencies: readonly Currency[];
  readonly units: readonly Unit[];
  readonly products: readonly Product[];
  readonly plans: readonly PlanContent[];
  readonly rules: PlanRules;
  readonly priceLists: PriceListSet;
}

/** Initial phases, then the final one. */
export function contentPhases(plan: PlanContent): readonly PhaseContent[] {
  return [...plan.initialPhases, plan.finalPhase];
}
