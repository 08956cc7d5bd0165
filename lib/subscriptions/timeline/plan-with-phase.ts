import type { CatalogWithOverrides, LastPlanChange, PlanPhase, ResolvedPlan } from '../../catalog/index.ts';
import { BillingError, ErrorCode } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** The catalog in which the plan of a running subscription is looked up (catalog §6.2). */
export interface PlanResolver extends Pick<CatalogWithOverrides, 'resolvePlan' | 'versionAt'> {
  /** What replaces a plan that has lost the phase of an event, where that is not refused. */
  readonly unknownPlan?: (planName: string) => ResolvedPlan;
}

/** A phase of a plan, as an event names it. */
export interface NamedPhase {
  readonly planName: string;
  readonly phaseName: string | null;
  readonly at: Instant;
  /** How the plan was chosen. */
  readonly chosen: LastPlanChange;
}

/**
 * The plan of a subscription with the phase that its event names (catalog §6.2). Versions of one catalog agree on the
 * phases of a plan (§5 rule 3); another catalog with which the host starts may not.
 * @throws BillingError CATALOG_PLAN_NOT_FOUND (2020) where the plan has no such phase any more; 2020, 2050 as
 * `resolvePlan`.
 */
export function planWithPhase(
  plans: PlanResolver,
  { planName, phaseName, at, chosen }: NamedPhase,
): ResolvedPlan & { readonly phase: PlanPhase } {
  const resolved = plans.resolvePlan(planName, at, chosen);
  const found = withPhase(resolved, phaseName) ?? withPhase(plans.unknownPlan?.(planName), phaseName);
  if (found !== undefined) return found;
  throw new BillingError({
    code: ErrorCode.CATALOG_PLAN_NOT_FOUND,
    message: `Plan "${planName}" of ${resolved.version.title} has no phase "${phaseName ?? ''}", which the subscription is in`,
    facts: { planName, phaseName, at },
  });
}

function withPhase(resolved: ResolvedPlan | undefined, phaseName: string | null) {
  const phase = resolved?.plan.phases.find(({ name }) => name === phaseName);
  return resolved && phase && { ...resolved, phase };
}
