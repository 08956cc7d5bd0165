import type { HealthChecks, Measured } from '../../koa/index.ts';

/** Data that the primary passes to a worker at its start. */
export interface Seat {
  /** Identifies the worker in the log. The number of an ended worker is reused. */
  readonly number: number;
  readonly port: number;
  /** If undefined, the worker generates a name. */
  readonly nodeName?: string;
  readonly isInRotation: boolean;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Functions that the primary offers to workers. */
export interface PrimaryCalls {
  ready(at: Address): void;
  /** The metrics, health and rotation of all workers. */
  metrics(): Promise<Measured>;
  health(): Promise<HealthChecks>;
  setInRotation(isInRotation: boolean): Promise<void>;
  /** The final metrics of an ending worker. */
  leave(metrics: Measured): void;
}

/** Functions that a worker offers to the primary. */
export interface WorkerCalls {
  metrics(): Promise<Measured>;
  health(): Promise<HealthChecks>;
  setInRotation(isInRotation: boolean): Promise<void>;
  /** Answers immediately, then ends the process. */
  stop(how: { readonly drain: boolean }): void;
}

/** Variable in which the primary passes the seat. */
export const SEAT_VARIABLE = 'BILLWRIGHT_WORKER';

/** Returns the seat of a worker and removes the variable. Returns null for a process that no primary has started. */
export function takeSeat(environment: NodeJS.ProcessEnv): Seat | null {
  const text = environment[SEAT_VARIABLE];
  if (text === undefined || process.send === undefined) return null;
  delete environment[SEAT_VARIABLE];
  return JSON.parse(text) as Seat;
}
