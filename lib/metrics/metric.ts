/** One number of a metric; labels have few values each, never an id of a tenant or account. */
export interface MetricValue {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of this node, counted since it was opened or measured now. */
export interface Metric {
  /** Lower case with underscores, ending in the unit; counters end in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'counter' | 'gauge';
  readonly values: readonly MetricValue[];
}
