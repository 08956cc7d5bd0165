import type { SystemClock } from '../../ports/index.ts';
import { BillingError, InvariantError } from '../../values/errors/index.ts';
import { MAX_SHARED_CALLS } from '../../values/limits.ts';

/** Does what these calls ask for; the results in their order. */
type Work<I, O> = (inputs: readonly I[]) => Promise<readonly O[]>;

interface Group<I, O> {
  readonly inputs: I[];
  readonly results: Promise<readonly O[]>;
}

/**
 * Calls that, where they come in the same turn of the event loop, are done together: a busy server then costs its database
 * a statement or transaction per turn and not per call. The work begins after every call that it serves, so each sees what
 * has been committed before it. What is refused together is done again for each call alone, so that no call fails for the
 * sake of another; a refusal therefore has to leave nothing behind.
 */
export class SharedCalls<I, O> {
  readonly #systemClock: Pick<SystemClock, 'nextTurn' | 'after'>;
  readonly #gatherMs: number;
  readonly #open = new Map<string, Group<I, O>>();
  /** The end of the work that was begun last, until it has come. */
  readonly #running = new Map<string, Promise<void>>();

  /**
   * @param gatherMs how long calls may wait for work that is under way, and so gather more of their kind; default 0. For
   * work whose cost is mostly that of the transaction around it.
   */
  constructor(systemClock: Pick<SystemClock, 'nextTurn' | 'after'>, { gatherMs = 0 } = {}) {
    this.#systemClock = systemClock;
    this.#gatherMs = gatherMs;
  }

  /**
   * The result of this call.
   * @param alike calls with the same text may be done together: it names the tenant and all else that `work` depends on.
   * null: this one is done alone, as inside a transaction of the host.
   */
  async run(alike: string | null, input: I, work: Work<I, O>): Promise<O> {
    if (alike === null) return resultAt(await work([input]), 0);
    const group = this.#groupOf(alike, work);
    const index = group.inputs.push(input) - 1;
    try {
      return resultAt(await group.results, index);
    } catch (error) {
      if (group.inputs.length === 1 || !isRefusal(error)) throw error;
      return resultAt(await work([input]), 0);
    }
  }

  #groupOf(alike: string, work: Work<I, O>): Group<I, O> {
    const open = this.#open.get(alike);
    if (open !== undefined && open.inputs.length < MAX_SHARED_CALLS) return open;
    const inputs: I[] = [];
    const together = async (): Promise<readonly O[]> => {
      await this.#systemClock.nextTurn();
      await this.#gather(alike);
      if (this.#open.get(alike) === group) this.#open.delete(alike);
      const results = work(inputs);
      this.#follow(alike, results);
      return results;
    };
    const group: Group<I, O> = { inputs, results: together() };
    this.#open.set(alike, group);
    return group;
  }

  /** Until the work under way has ended, and no longer than calls may wait for it: it may wait for something itself. */
  async #gather(alike: string): Promise<void> {
    const running = this.#running.get(alike);
    if (running === undefined) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#systemClock.after(this.#gatherMs, resolve, { keepAlive: true });
      void running.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #follow(alike: string, results: Promise<unknown>): void {
    if (this.#gatherMs === 0) return;
    const end = results.then(nothing, nothing);
    this.#running.set(alike, end);
    void end.then(() => {
      if (this.#running.get(alike) === end) this.#running.delete(alike);
    });
  }
}

const nothing = (): void => undefined;

/** Of what was asked for, not of a database that is down or a connection that broke while it committed. */
function isRefusal(error: unknown): boolean {
  return error instanceof BillingError || error instanceof InvariantError;
}

function resultAt<O>(results: readonly O[], index: number): O {
  if (index < results.length) return results[index] as O;
  throw new InvariantError('A call that was done together with others has no result', { index });
}
