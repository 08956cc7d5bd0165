import type { SystemClock } from '../../ports/index.ts';
import { type ActivityPorts, endUnwanted } from '../activity.ts';

interface Waiting {
  readonly size: number;
  readonly begin: () => void;
}

/** Lets work of so much size run at once. The owners of what waits come in turn, however much one of them has. */
export class FairTurns {
  readonly #capacity: number;
  #free: number;
  /** By owner, in the order in which they come. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#free = capacity;
  }

  /** Work that is larger than the capacity runs alone. */
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

/** Processor time that a long computation takes in one turn before others get theirs. */
const MAX_SLICE_MS = 20;

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

type TurnPorts<Clock extends keyof SystemClock> = Pick<ActivityPorts, 'scopes'> & {
  readonly systemClock: Pick<SystemClock, Clock>;
};

/** Lets others have their turn between two parts of a long read. */
export type NextTurn = () => Promise<void>;

/** Returns the turns of work that ends at the next one once nobody needs its result (`whileWanted`). */
export function turnsOf({ systemClock, scopes }: TurnPorts<'nextTurn'>): NextTurn {
  return async () => {
    await systemClock.nextTurn();
    endUnwanted({ scopes });
  };
}

/** Slices that end at the next turn once nobody needs their result. A turn takes at most a slice plus one step. */
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
