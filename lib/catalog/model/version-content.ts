import type { Instant } from '../../values/time/index.ts';
import type { Plan, PlanPhase, Product } from './catalog-model.ts';
import type { VersionFrame } from './version-frame.ts';

/** A phase as its author gives it: without the computed name; `prettyName` null stands for that name. */
export interface PhaseContent extends Omit<PlanPhase, 'name' | 'prettyName'> {
  readonly prettyName: string | null;
}

/** A plan as its author gives it: `recurringBillingMode` null stands for that of the version. */
export interface PlanContent
  extends Omit<Plan, 'parentPlanName' | 'initialPhases' | 'finalPhase' | 'phases' | 'billingPeriod'> {
  readonly initialPhases: readonly PhaseContent[];
  readonly finalPhase: PhaseContent;
}

/**
 * One version as plain data in the author's order, not yet checked: what the XML reader yields, `validateVersion`
 * examines and `createVersion` turns into a `CatalogVersion`. Names may be repeated or refer to nothing here.
 */
export interface VersionContent extends VersionFrame {
  readonly effectiveDate: Instant;
  readonly products: readonly Product[];
  readonly plans: readonly PlanContent[];
}

/** Initial phases, then the final one. */
export function contentPhases(plan: PlanContent): readonly PhaseContent[] {
  return [...plan.initialPhases, plan.finalPhase];
}
