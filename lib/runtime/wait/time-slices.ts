import type { SystemClock } from '../../ports/index.ts';
import { MAX_SLICE_MS } from '../../values/limits.ts';

/** A long computation; after each step others may have their turn. */
export type Steps<T> = Generator<void, T, void>;

/** Takes all steps in one turn. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Takes the steps of a computation while others have their turns too. */
export type TimeSlices = <T>(steps: Steps<T>) => Promise<T>;

/** For when nobody waits. */
export const inOneTurn: TimeSlices = async (steps) => atOnce(steps);

/**
 * @param systemClock gives the turns; no turn takes longer than a slice plus one step, however many computations an
 * operation does in a row.
 */
export function timeSlices(systemClock: Pick<SystemClock, 'nowMs' | 'nextTurn'>): TimeSlices {
  let turnBegan = 0;
  return async (steps) => {
    for (;;) {
      const step = steps.next();
      if (systemClock.nowMs() - turnBegan >= MAX_SLICE_MS) {
        await systemClock.nextTurn();
        turnBegan = systemClock.nowMs();
      }
      if (step.done) return step.value;
    }
  };
}

/** The results of `work` on each item, one step each. */
export function* eachStep<T, R>(items: Iterable<T>, work: (item: T) => R): Steps<R[]> {
  const results: R[] = [];
  for (const item of items) {
    results.push(work(item));
    yield;
  }
  return results;
}

export function* oneStep<T>(work: () => T): Steps<T> {
  const result = work();
  yield;
  return result;
}
