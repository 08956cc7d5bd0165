import type { Aggregator } from 'prom-client';

/** The health checks of a process or a group, by name (platform §13). */
export type HealthChecks = Readonly<
  Record<string, { readonly healthy: boolean; readonly message: string | null }>
>;

/** A metric with its values. It is plain data and can be sent to another process. */
export interface MetricSeries {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** Combines the values of several processes. */
  readonly aggregator: Aggregator;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number | undefined>>;
    /** Name of one histogram series, such as `…_bucket`. */
    readonly metricName?: string;
  }[];
}

/** Metrics of one process, or of a group. */
export interface Measured {
  readonly series: readonly MetricSeries[];
  /** Duration in seconds of the longest request, by method and route. */
  readonly maxSeconds: Readonly<Record<string, number>>;
}

/** The reports of one process of a group, and the rotation state that the group sets on it. */
export interface GroupMember {
  metrics(): Promise<Measured>;
  health(): Promise<HealthChecks>;
  setInRotation(isInRotation: boolean): void;
}

/**
 * The processes that serve one port together, such as the workers of `billwright serve --workers`. A client cannot
 * choose a process, so metrics, health and rotation describe the group as a whole.
 */
export interface ServerGroup {
  /** Adds this process. */
  join(member: GroupMember): void;
  metrics(): Promise<Measured>;
  health(): Promise<HealthChecks>;
  /** Sets the rotation state. Resolves when all processes have applied it. */
  setInRotation(isInRotation: boolean): Promise<void>;
}

/** Returns a group of one process. */
export function groupOfOne(): ServerGroup {
  const joined = Promise.withResolvers<GroupMember>();
  return {
    join: joined.resolve,
    metrics: async () => (await joined.promise).metrics(),
    health: async () => (await joined.promise).health(),
    setInRotation: async (isInRotation) => (await joined.promise).setInRotation(isInRotation),
  };
}
