import type { Instant } from '../../values/time/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import type { UsageRun } from '../intervals/usage-runs.ts';
import type { BilledInterval } from './billed-interval.ts';
import type { BilledMatch } from './match-billed.ts';

/** A billed interval of any section of a subscription. */
export interface BilledOfSection extends BilledInterval {
  readonly usageName: string;
  /** With the price identity, what its section was; absent = not known. */
  readonly versionDate?: Instant;
  readonly priceIdentity?: string;
}

/** An interval to be rated. */
export interface PlannedInterval<Billed extends BilledOfSection = BilledOfSection> {
  readonly run: UsageRun;
  readonly interval: UsageInterval;
  readonly match: Extract<BilledMatch<Billed>, { kind: 'OPEN' }>;
}
