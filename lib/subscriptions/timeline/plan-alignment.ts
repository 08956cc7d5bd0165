import type { Plan } from '../../catalog/index.ts';
import type { Subscription } from '../../records/index.ts';
import { type PhaseType, PlanAlignmentChange, PlanAlignmentCreate } from '../../records/index.ts';
import type { DatedInstant } from '../../values/time/index.ts';
import { isPlanChoice } from './lifecycle-order.ts';
import type { Transition } from './transitions.ts';

/** Where the phase timeline of a newly created subscription begins (§5 rule 3). */
export function createAnchor(
  alignment: PlanAlignmentCreate,
  origins: Pick<Subscription, 'alignStart' | 'bundleStart'>,
): DatedInstant {
  switch (alignment) {
    case PlanAlignmentCreate.START_OF_SUBSCRIPTION:
      return origins.alignStart;
    case PlanAlignmentCreate.START_OF_BUNDLE:
      return origins.bundleStart;
    default:
      return neverAlignment(alignment);
  }
}

/** What the phase timeline after a change of plan begins with. */
export interface PhaseOrigin {
  readonly anchor: DatedInstant;
  /** null begins with the plan's first phase. */
  readonly firstPhaseType: PhaseType | null;
}

export interface ChangeOriginInput {
  readonly alignment: PlanAlignmentChange;
  readonly origins: Pick<Subscription, 'alignStart' | 'bundleStart'>;
  readonly transitions: readonly Transition[];
  /** When the change takes effect. */
  readonly effective: DatedInstant;
  readonly plan: Plan;
  /** The list that the plan is chosen from. */
  readonly priceListName: string;
  /** The requested phase, or null. */
  readonly phaseType: PhaseType | null;
}

/** Where the phase timeline begins after a change to a plan (§5 rule 4). */
export function changeOrigin(input: ChangeOriginInput): PhaseOrigin {
  const { alignment, origins, effective, phaseType } = input;
  switch (alignment) {
    case PlanAlignmentChange.START_OF_SUBSCRIPTION:
      return { anchor: origins.alignStart, firstPhaseType: phaseType ?? startingPhaseType(input) };
    case PlanAlignmentChange.START_OF_BUNDLE:
      return { anchor: origins.bundleStart, firstPhaseType: phaseType ?? startingPhaseType(input) };
    case PlanAlignmentChange.CHANGE_OF_PLAN:
      return { anchor: effective, firstPhaseType: phaseType };
    case PlanAlignmentChange.CHANGE_OF_PRICELIST:
      return { anchor: priceListStart(input), firstPhaseType: phaseType };
    default:
      return neverAlignment(alignment);
  }
}

/** The type of the subscription's very first phase, if the new plan has a phase of that type. */
function startingPhaseType({ transitions, plan }: ChangeOriginInput): PhaseType | null {
  const first = transitions[0]?.next?.phase.type ?? null;
  return plan.phases.some(({ type }) => type === first) ? first : null;
}

/** When the subscription came to the target's price list: by this change, or by an earlier choice of plan. */
function priceListStart({ transitions, effective, priceListName }: ChangeOriginInput): DatedInstant {
  const choices = transitions.filter(
    ({ event }, index) => isPlanChoice(event) && (index === 0 || event.effective.at < effective.at),
  );
  let start = effective;
  for (const choice of choices.toReversed()) {
    if (choice.event.priceListName !== priceListName) break;
    start = choice.event.effective;
  }
  return start;
}

function neverAlignment(alignment: never): never {
  throw new Error(`Unknown plan alignment ${String(alignment)}`);
}
