import type { UsageInterval } from '../intervals/usage-intervals.ts';
import type { UsageRun } from '../intervals/usage-runs.ts';
import type { BilledOfSection } from './billed-interval.ts';
import type { BilledMatch } from './match-billed.ts';
import type { SupersededInterval } from './superseded-usage.ts';

/** An interval to be rated. */
export interface PlannedInterval<Billed extends BilledOfSection = BilledOfSection> {
  readonly run: UsageRun;
  readonly interval: UsageInterval;
  readonly match: Extract<BilledMatch<Billed>, { kind: 'OPEN' }>;
  /** The superseded interval around it that its section had charged, if it may take over the items of that. Default none. */
  readonly replaces?: SupersededInterval | null;
  /** True if the present history has other intervals there (§7.3 rule 6). Default false. */
  readonly isOutdated?: boolean;
}
