import { BillingError, InvariantError } from '../errors/index.ts';
import { MAX_SHARED_CALLS } from '../limits.ts';
import type { SystemClock } from '../ports/clock.ts';

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
  readonly #systemClock: Pick<SystemClock, 'nextTurn'>;
  readonly #open = new Map<string, Group<I, O>>();

  constructor(systemClock: Pick<SystemClock, 'nextTurn'>) {
    this.#systemClock = systemClock;
  }

  /**
   * The result of this call.
   * @param alike calls with the same text may be done together: it names the tenant and all else that `work` depends on.
   */
  async run(alike: string, input: I, work: Work<I, O>): Promise<O> {
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
      if (this.#open.get(alike) === group) this.#open.delete(alike);
      return work(inputs);
    };
    const group: Group<I, O> = { inputs, results: together() };
    this.#open.set(alike, group);
    return group;
  }
}

/** Of what was asked for, not of a database that is down or a connection that broke while it committed. */
function isRefusal(error: unknown): boolean {
  return error instanceof BillingError || error instanceof InvariantError;
}

function resultAt<O>(results: readonly O[], index: number): O {
  if (index < results.length) return results[index] as O;
  throw new InvariantError('A call that was done together with others has no result', { index });
}
