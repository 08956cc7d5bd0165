import type { BilledRecord } from './billed-record.ts';
import type { OracleInterval, OracleRun } from './oracle-intervals.ts';
import type { DueItem } from './settled-items.ts';
import type { OraclePoint } from './usage-facts.ts';

/** An interval with what a run would do about it. */
export interface OwedInterval {
  readonly run: OracleRun;
  readonly interval: OracleInterval;
  readonly previous: readonly BilledRecord[];
  readonly items: readonly DueItem[];
  /** The days that its credits tell, where these are not its own. */
  readonly credited?: Pick<OracleInterval, 'start' | 'end'> | undefined;
  /** What no later run charges again. */
  readonly points: ReadonlySet<OraclePoint>;
}
