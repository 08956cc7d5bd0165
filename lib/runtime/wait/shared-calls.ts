import type { SystemClock } from '../../ports/index.ts';
import { BillingError, InvariantError } from '../../values/errors/index.ts';
import { atMost } from './bounded-waits.ts';

/** Calls of one kind that are done together. */
export const MAX_SHARED_CALLS = 100;

/** How long calls may wait for an earlier one like them to end, to be done together afterwards. */
const SHARED_CALL_WAIT_MS = 10;

/** Does what these calls ask for; the results in their order. */
type Work<I, O> = (inputs: readonly I[]) => Promise<readonly O[]>;

interface Group<I, O> {
  readonly inputs: I[];
  readonly results: Promise<readonly O[]>;
}

/**
 * Groups calls that arrive while one of their kind runs, so that a busy server makes one statement per group; a lone
 * call does not wait. The work begins after every call that it serves. A refused group is repeated call by call, so a
 * refusal must leave nothing behind.
 */
export class SharedCalls<I, O> {
  readonly #systemClock: Pick<SystemClock, 'nextTurn' | 'after'>;
  /** Until when calls wait, and so gather more of their kind. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Group<I, O>>();

  constructor(systemClock: Pick<SystemClock, 'nextTurn' | 'after'>) {
    this.#systemClock = systemClock;
  }

  /**
   * The result of this call.
   * @param alike calls with the same text may be done together: it names the tenant and all else that `work` depends on.
   * null: this one is done alone, as inside a transaction of the host.
   */
  async run(alike: string | null, input: I, work: Work<I, O>): Promise<O> {
    if (alike === null) return resultAt(await work([input]), 0);
    const underWay = this.#underWay.get(alike);
    if (underWay === undefined) return resultAt(await this.#begin(alike, [input], work), 0);
    const group = this.#groupBehind(underWay, alike, work);
    const index = group.inputs.push(input) - 1;
    try {
      return resultAt(await group.results, index);
    } catch (error) {
      if (group.inputs.length === 1 || !isRefusal(error)) throw error;
      return resultAt(await work([input]), 0);
    }
  }

  #groupBehind(underWay: Promise<unknown>, alike: string, work: Work<I, O>): Group<I, O> {
    const waiting = this.#waiting.get(alike);
    if (waiting !== undefined && waiting.inputs.length < MAX_SHARED_CALLS) return waiting;
    const inputs: I[] = [];
    const results = underWay.then(() => {
      if (this.#waiting.get(alike) === group) this.#waiting.delete(alike);
      return this.#begin(alike, inputs, work);
    });
    const group: Group<I, O> = { inputs, results };
    this.#waiting.set(alike, group);
    return group;
  }

  #begin(alike: string, inputs: readonly I[], work: Work<I, O>): Promise<readonly O[]> {
    const results = work(inputs);
    const underWay = this.#end(results).then(() => {
      if (this.#underWay.get(alike) === underWay) this.#underWay.delete(alike);
    });
    this.#underWay.set(alike, underWay);
    return results;
  }

  /** The end of the work and of the turn in which it began. Waits no longer than calls may. */
  async #end(results: Promise<unknown>): Promise<void> {
    let hasEnded = false;
    const note = (): void => {
      hasEnded = true;
    };
    const ended = results.then(note, note);
    await this.#systemClock.nextTurn();
    if (!hasEnded) await atMost(this.#systemClock, SHARED_CALL_WAIT_MS, ended);
  }
}

/** True if the work itself was refused; false if the database is down or the connection broke during the commit. */
function isRefusal(error: unknown): boolean {
  return error instanceof BillingError || error instanceof InvariantError;
}

function resultAt<O>(results: readonly O[], index: number): O {
  if (index < results.length) return results[index] as O;
  throw new InvariantError('A call that was done together with others has no result', { index });
}

interface Places {
  /** For all owners together. */
  readonly all: number;
  /** For one owner. */
  readonly each: number;
}

/** A bounded number of places, of which one owner cannot take all. */
export class SharedPlaces {
  readonly #places: Places;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Takes a place for the owner; false if it has its share, or no place is left. */
  take(owner: string): boolean {
    const own = this.#taken.get(owner) ?? 0;
    if (own >= this.#places.each || this.#all >= this.#places.all) return false;
    this.#taken.set(owner, own + 1);
    this.#all += 1;
    return true;
  }

  leave(owner: string): void {
    const own = this.#taken.get(owner) ?? 0;
    if (own > 1) this.#taken.set(owner, own - 1);
    else this.#taken.delete(owner);
    this.#all -= 1;
  }
}
