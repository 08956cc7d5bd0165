import type { BillingMode } from '../../records/index.ts';
import { BillingPeriod } from '../../values/time/index.ts';
import type { Plan, PlanPhase } from './catalog-model.ts';
import { deepFreeze } from './deep-freeze.ts';
import { phaseName } from './phase-name.ts';
import { textOfValue } from './plain-text.ts';
import type { PhaseContent, PlanContent } from './version-content.ts';

const made = new WeakSet<object>();
const texts = new WeakMap<Plan, string>();

/**
 * The plan of a content, with the version's mode if it has none of its own. A value that is already a plan stays the same
 * object.
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
 * Whether two plans are the same value, wherever each comes from (§6.4 rule 2, §15.5 rule 2). Equal plans of one tenant's
 * stored versions are the same object too, which makes the answer quick, and so is a plan that one version took from
 * another.
 */
export function samePlan(one: Plan, other: Plan): boolean {
  return one === other || textOfPlan(one) === textOfPlan(other);
}

/** The text of a plan by which it is stored and compared: its content, without names that follow from it. */
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

/** Remembers the text from which a plan was read, so that it need not be written again. */
export function rememberText(plan: Plan, text: string): void {
  texts.set(plan, text);
}

/** A content has phases without names. */
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
