import { addOverride, consume, endOverride, release } from './feature-steps.ts';
import type { LifeState } from './life-state.ts';
import { isoOf } from './outcomes.ts';
import type { LifeStep, Wait } from './scripts.ts';
import { createSubscription, pay, playOnSubscription } from './subscription-steps.ts';
import { dayIn, type Ms, startOf } from './zones.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Moves the clock, and runs all work that is due on the way. */
export async function wait(life: LifeState, length: Wait): Promise<void> {
  life.now = instantAfter(life, length);
  await life.engine.billing.settleThrough(life.engine.clock, isoOf(life.now));
  await life.settle();
}

function instantAfter({ now, zone }: LifeState, length: Wait): Ms {
  if (typeof length === 'object') return now + length.days * DAY_MS + length.minutes * MINUTE_MS;
  const midnight = startOf(dayIn(now, zone) + 1, zone);
  return length === 'MIDNIGHT' ? midnight : Math.max(now, midnight - 1_000);
}

/** Plays a step in the engine and in the model. */
export async function play(life: LifeState, step: LifeStep): Promise<void> {
  switch (step.do) {
    case 'CREATE':
      return createSubscription(life, step);
    case 'OVERRIDE':
      return addOverride(life, step);
    case 'END_OVERRIDE':
      return endOverride(life, step);
    case 'CONSUME':
      return consume(life, step);
    case 'RELEASE':
      return release(life, step);
    case 'PAY':
      return pay(life);
    default:
      return playOnSubscription(life, step);
  }
}
