import type { HealthChecks, Measured } from '../../koa/index.ts';

/** Data that the primary process passes to a worker when it starts. */
export interface Seat {
  /**
   * Number that identifies the worker in the log. After the worker has ended, another worker may get the same number.
   */
  readonly number: number;
  readonly port: number;
  /** Name of the node. If undefined, the worker generates a name. */
  readonly nodeName?: string;
  readonly isInRotation: boolean;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Functions that the primary process offers to workers. */
export interface PrimaryCalls {
  ready(at: Address): void;
  /** The combined metrics, health and rotation state of all workers. */
  metrics(): Promise<Measured>;
  health(): Promise<HealthChecks>;
  setInRotation(isInRotation: boolean): Promise<void>;
  /** The final metrics of an ending worker. */
  leave(metrics: Measured): void;
}

/** Functions that a worker offers to the primary process. */
export interface WorkerCalls {
  metrics(): Promise<Measured>;
  health(): Promise<HealthChecks>;
  setInRotation(isInRotation: boolean): Promise<void>;
  /** Responds immediately, then ends the process. */
  stop(how: { readonly drain: boolean }): void;
}

/** Environment variable in which the primary process passes the seat. */
export const SEAT_VARIABLE = 'BILLWRIGHT_WORKER';

/**
 * Returns the seat of a worker and removes the variable. Returns null if the process was not started by a primary
 * process.
 */
export function takeSeat(environment: NodeJS.ProcessEnv): Seat | null {
  const text = environment[SEAT_VARIABLE];
  if (text === undefined) return null;
  delete environment[SEAT_VARIABLE];
  return JSON.parse(text) as Seat;
}
