import type { Catalog, PlanEnd, PlanStep, PlanTimeline } from '../../catalog/index.ts';
import { LifecycleEventType } from '../../records/index.ts';
import { isEnd, isPlanChoice } from './lifecycle-order.ts';
import type { Transition } from './transitions.ts';

/** The source of price changes for existing subscriptions (catalog §6.4). */
export type PriceChangeSource = Pick<Catalog, 'priceChangeEvents'>;

/** What the price changes of a subscription are derived from. */
export function priceSteps(transitions: readonly Transition[]): PlanTimeline['steps'] {
  return transitions.flatMap(stepOf);
}

function stepOf({ event, next }: Transition): readonly (PlanStep | PlanEnd)[] {
  const { effective } = event;
  if (isEnd(event) || next === null) return [{ kind: 'END', effective }];
  if (!isPlanChoice(event) && event.type !== LifecycleEventType.PHASE) return [];
  const kind = isPlanChoice(event) ? 'PLAN' : 'PHASE';
  return [{ kind, effective, planName: next.plan.name, decided: next.decided, phase: next.phase }];
}
