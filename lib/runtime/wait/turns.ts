import type { SystemClock } from '../../ports/index.ts';
import { type ActivityPorts, throwIfUnwanted } from '../activity.ts';

interface Waiting {
  readonly size: number;
  readonly begin: () => void;
}

/** Limits the total size of running work. Owners that wait take turns. */
export class FairTurns {
  readonly #capacity: number;
  #free: number;
  /** Work that is waiting, by owner. Owners are in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** Runs the work when it is the owner's turn. Work that exceeds the capacity runs alone. */
  async run<T>(owner: string, size: number, work: () => Promise<T>): Promise<T> {
    const taken = Math.min(size, this.#capacity);
    await this.#turn(owner, taken);
    try {
      return await work();
    } finally {
      this.#free += taken;
      this.#admit();
    }
  }

  #turn(owner: string, size: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = this.#waiting.get(owner) ?? [];
    own.push({ size, begin: resolve });
    this.#waiting.set(owner, own);
    this.#admit();
    return promise;
  }

  #admit(): void {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const [owner, own] = first;
      const [next] = own;
      if (next === undefined || next.size > this.#free) return;
      this.#free -= next.size;
      own.shift();
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      next.begin();
    }
  }
}

/** Maximum processor time in milliseconds that a computation uses before other work can run. */
const MAX_SLICE_MS = 20;

/** A long computation. After each step, other work may run. */
export type Steps<T> = Generator<void, T, void>;

/** Runs all steps in one turn. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs the steps of a computation. Other work can run in between. */
export type TimeSlices = <T>(steps: Steps<T>) => Promise<T>;

export const inOneTurn: TimeSlices = async (steps) => atOnce(steps);

type TurnPorts<Clock extends keyof SystemClock> = Pick<ActivityPorts, 'scopes'> & {
  readonly systemClock: Pick<SystemClock, Clock>;
};

/** Yields to other work. */
export type NextTurn = () => Promise<void>;

/**
 * Returns a function that lets other work run. The function throws if the signal of the current work has been aborted
 * (`whileWanted`).
 */
export function turnsOf({ systemClock, scopes }: TurnPorts<'nextTurn'>): NextTurn {
  return async () => {
    await systemClock.nextTurn();
    throwIfUnwanted({ scopes });
  };
}

/**
 * Returns a function that runs a computation in time slices, and throws if the signal of the current work is aborted.
 * Each slice lasts at most the maximum time plus one step.
 */
export function timeSlices(ports: TurnPorts<'nowMs' | 'nextTurn'>): TimeSlices {
  const { systemClock } = ports;
  const nextTurn = turnsOf(ports);
  let turnBegan = 0;
  return async (steps) => {
    for (;;) {
      const step = steps.next();
      if (systemClock.nowMs() - turnBegan >= MAX_SLICE_MS) {
        await nextTurn();
        turnBegan = systemClock.nowMs();
      }
      if (step.done) return step.value;
    }
  };
}

/** Runs `work` on each item in a separate step. */
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
