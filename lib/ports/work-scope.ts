import type { TraceParent } from './tracer.ts';

/** On whose behalf something is done. */
export interface WorkScope {
  /** Id of the request or call, which log lines carry; null: of none, or of several. */
  readonly requestId: string | null;
  /** The span in which it is done; null: in none. */
  readonly traceParent: TraceParent | null;
  /**
   * Aborted once nobody needs the result, such as when a caller has hung up: work that computes in turns ends then. Absent:
   * the work goes on to its end.
   */
  readonly wanted?: AbortSignal | undefined;
  /** By record id, the accounts that are worked on together, each on behalf of another request. */
  readonly accounts?: ReadonlyMap<number, WorkScope>;
}

/**
 * Carries the scope of work along with it, from call to call, without being passed. `workScopes()` does it with Node's
 * `AsyncLocalStorage`.
 */
export interface WorkScopes {
  /** Runs the work, and all that it starts, in the scope; undefined: in none. */
  run<T>(scope: WorkScope | undefined, work: () => T): T;
  current(): WorkScope | undefined;
}
