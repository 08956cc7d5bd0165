import { BillingMode, PhaseType, UsageType } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { BillingPeriod } from '../../values/time/index.ts';
import {
  type InternationalPrice,
  type Plan,
  type PlanPhase,
  textOfValue,
  type Usage,
} from './catalog-model.ts';
import { deepFreeze } from './part.ts';
import type { PhaseContent, PlanContent } from './version-content.ts';

const made = new WeakSet<object>();
const texts = new WeakMap<Plan, string>();

/**
 * Returns the plan with this content. If the content sets no billing mode, the plan uses that of the version. Content
 * that is already a plan is returned unchanged.
 */
export function createPlan(content: PlanContent, versionMode: BillingMode | null): Plan {
  if (isPlan(content)) return content;
  const initialPhases = content.initialPhases.map((phase) => phaseOf(phase, content.name));
  const finalPhase = phaseOf(content.finalPhase, content.name);
  const plan: Plan = deepFreeze({
    ...content,
    recurringBillingMode: content.recurringBillingMode ?? versionMode,
    initialPhases,
    finalPhase,
    phases: [...initialPhases, finalPhase],
    billingPeriod: finalPhase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD,
  });
  made.add(plan);
  return plan;
}

/**
 * Returns true if the plans are equal (§6.4 rule 2, §15.5 rule 2). In stored versions of a tenant, equal plans are the
 * same object.
 */
export function samePlan(one: Plan, other: Plan): boolean {
  return one === other || textOfPlan(one) === textOfPlan(other);
}

/** Returns the stored text of a plan, without derived names. */
export function textOfPlan(plan: Plan): string {
  const known = texts.get(plan);
  if (known !== undefined) return known;
  const { phases: _all, billingPeriod: _period, parentPlanName: _parent, ...own } = plan;
  const { initialPhases, finalPhase } = plan;
  const content: PlanContent = {
    ...own,
    initialPhases: initialPhases.map(contentOf),
    finalPhase: contentOf(finalPhase),
  };
  const text = textOfValue(content);
  texts.set(plan, text);
  return text;
}

export function rememberText(plan: Plan, text: string): void {
  texts.set(plan, text);
}

/** Returns true if the content is a plan. Only the phases of plans have names. */
function isPlan(content: PlanContent): content is Plan {
  return made.has(content);
}

function phaseOf(content: PhaseContent, planName: string): PlanPhase {
  const name = phaseName(planName, content.type);
  return { ...content, name, prettyName: content.prettyName ?? name };
}

function contentOf({ name, ...phase }: PlanPhase): PhaseContent {
  return { ...phase, prettyName: phase.prettyName === name ? null : phase.prettyName };
}

const SUFFIXES: ReadonlyMap<string, PhaseType> = new Map(
  Object.values(PhaseType).map((type) => [type.toLowerCase(), type]),
);

/** Returns the name of a phase, such as `pro-monthly-evergreen` (§1). */
export function phaseName(planName: string, type: PhaseType): string {
  return `${planName}-${type.toLowerCase()}`;
}

/** Returns true for the name of a trial phase. */
export function isTrialPhase(name: string): boolean {
  return parsePhaseName(name).type === PhaseType.TRIAL;
}

/**
 * Returns the plan name and the type that a phase name contains.
 * @throws BillingError 2041 `CATALOG_BAD_PHASE_NAME` for a name without a phase type or plan name.
 */
export function parsePhaseName(name: string): { readonly planName: string; readonly type: PhaseType } {
  const dash = name.lastIndexOf('-');
  const type = SUFFIXES.get(name.slice(dash + 1));
  if (dash < 1 || type === undefined) {
    throw billingError(
      ErrorCode.CATALOG_BAD_PHASE_NAME,
      `"${name}" is not a phase name; expected a plan name followed by one of ${[...SUFFIXES.keys()].map((suffix) => `-${suffix}`).join(', ')}`,
      { phaseName: name },
    );
  }
  return { planName: name.slice(0, dash), type };
}

export function pricesOfUsage(usage: Usage): readonly InternationalPrice[] {
  return present([
    usage.fixedPrice,
    usage.recurringPrice,
    ...usage.blocks.map((block) => block.prices),
    ...usage.tiers.flatMap((tier) => [
      tier.fixedPrice,
      tier.recurringPrice,
      ...tier.blocks.map((block) => block.prices),
    ]),
  ]);
}

export function pricesOfPhase(
  phase: Pick<PlanPhase, 'fixed' | 'recurring' | 'usages'>,
): readonly InternationalPrice[] {
  return [
    ...present([phase.fixed?.price ?? null, phase.recurring?.price ?? null]),
    ...phase.usages.flatMap(pricesOfUsage),
  ];
}

/** Returns the prices that invoices use. Excludes usage that is billed in advance (§2 rule 3). */
export function billedPrices(
  phase: Pick<PlanPhase, 'fixed' | 'recurring' | 'usages'>,
): readonly InternationalPrice[] {
  return [
    ...present([phase.fixed?.price ?? null, phase.recurring?.price ?? null]),
    ...phase.usages.filter(({ billingMode }) => billingMode === BillingMode.IN_ARREAR).flatMap(ratedPrices),
  ];
}

function ratedPrices({ usageType, tiers }: Usage): readonly InternationalPrice[] {
  return usageType === UsageType.CAPACITY
    ? present(tiers.map(({ recurringPrice }) => recurringPrice))
    : tiers.flatMap(({ blocks }) => blocks.map(({ prices }) => prices));
}

function present(prices: readonly (InternationalPrice | null)[]): readonly InternationalPrice[] {
  return prices.filter((price) => price !== null);
}
