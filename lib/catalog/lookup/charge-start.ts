import type { PhaseType } from '../../records/index.ts';
import { TimeUnit } from '../../values/time/index.ts';
import type { Plan, PlanPhase } from '../model/catalog-model.ts';
import { isZeroEverywhere } from './price.ts';

/** A phase that ends and charges nothing recurring: absent, without price, or zero in all currencies. */
export function isFreeFinitePhase(phase: PlanPhase): boolean {
  if (phase.duration.unit === TimeUnit.UNLIMITED) return false;
  const price = phase.recurring?.price ?? null;
  return price === null || isZeroEverywhere(price);
}

/**
 * The phases from the one of `initialPhaseType` on, or all; undefined if the plan has none of that type
 * (error 1011 is the caller's: subscriptions §5 rule 1).
 */
export function phasesFrom(plan: Plan, initialPhaseType: PhaseType | null): readonly PlanPhase[] | undefined {
  if (initialPhaseType === null) return plan.phases;
  const first = plan.phases.findIndex((phase) => phase.type === initialPhaseType);
  return first < 0 ? undefined : plan.phases.slice(first);
}
