import type { SystemClock } from '../../ports/index.ts';
import { BillingError, ErrorCode, InvariantError } from '../../values/errors/index.ts';
import { atMost } from './bounded-waits.ts';

/** Maximum number of calls in a group, by default. */
export const MAX_SHARED_CALLS = 100;

/** Maximum time in milliseconds that a call waits for a running call of the same kind. */
const SHARED_CALL_WAIT_MS = 10;

type Work<I, O> = (inputs: readonly I[]) => Promise<readonly O[]>;

interface Group<I, O> {
  readonly inputs: I[];
  readonly results: Promise<readonly O[]>;
  /**
   * The repeated first call of a rejected group. It is set after the rejection and settles when the repeated call ends.
   */
  first?: Promise<unknown>;
}

/**
 * Groups calls that arrive at the same time or while a call of the same kind is running, so that a busy server runs one
 * statement per group. A single call does not wait. If a group is rejected, its calls are repeated one by one, so a
 * rejected group must not have any effect.
 */
export class SharedCalls<I, O> {
  readonly #systemClock: Pick<SystemClock, 'nextTurn' | 'after'>;
  readonly #maxCalls: number;
  /** The running calls by kind. Later calls of the same kind wait for the running calls. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #waiting = new Map<string, Group<I, O>>();

  constructor(systemClock: Pick<SystemClock, 'nextTurn' | 'after'>, maxCalls = MAX_SHARED_CALLS) {
    this.#systemClock = systemClock;
    this.#maxCalls = maxCalls;
  }

  /**
   * Returns the result of this call.
   * @param alike Identifies calls that can be grouped. It contains the tenant and everything else on which `work`
   * depends. If the value is null, the call runs on its own, for example in a host transaction.
   */
  async run(alike: string | null, input: I, work: Work<I, O>): Promise<O> {
    if (alike === null) return resultAt(await work([input]), 0);
    // Calls that waited for the same event arrive together, so the work begins after all of them have arrived.
    const group = this.#groupBehind(this.#underWay.get(alike) ?? Promise.resolve(), alike, work);
    const index = group.inputs.push(input) - 1;
    try {
      return resultAt(await group.results, index);
    } catch (error) {
      if (group.inputs.length === 1 || !isRefusal(error)) throw error;
      // The other calls may depend on the first call, as an add-on depends on its base.
      if (index > 0) await group.first;
      const repeated = work([input]);
      if (index === 0) group.first = repeated.catch(() => undefined);
      return resultAt(await repeated, 0);
    }
  }

  #groupBehind(underWay: Promise<unknown>, alike: string, work: Work<I, O>): Group<I, O> {
    const waiting = this.#waiting.get(alike);
    if (waiting !== undefined && waiting.inputs.length < this.#maxCalls) return waiting;
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

  /** Resolves when the work and the turn after it have ended, or at the time limit. */
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

/** Thrown by the work of a group if its calls must run one by one. Callers never see this error. */
export class CallsMustRunAlone extends Error {}

/**
 * Returns true if the work itself was rejected. Returns false for an unreachable or full database, and for a failed
 * commit.
 */
function isRefusal(error: unknown): boolean {
  if (error instanceof BillingError) return error.code !== ErrorCode.BUSY && error.code !== ErrorCode.NO_ROOM;
  return error instanceof InvariantError || error instanceof CallsMustRunAlone;
}

function resultAt<O>(results: readonly O[], index: number): O {
  if (index < results.length) return results[index] as O;
  throw new InvariantError('A batched call returned no result', { index });
}

interface Places {
  /** Limit for all owners together. */
  readonly all: number;
  /** Limit for one owner. */
  readonly each: number;
}

/** A limited number of places. Each owner also has its own limit. */
export class SharedPlaces {
  readonly #places: Places;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Takes a place. Returns false if the limit of the owner or the limit of all owners is reached. */
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
