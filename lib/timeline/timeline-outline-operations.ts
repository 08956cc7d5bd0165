import type { Leading } from '../records/index.ts';
import type { BundleWindow } from '../subscriptions/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { AccountTimeline } from './timeline-operations.ts';

/** The same with outlines of its bundles, whose rows are made while they are read. */
export interface TimelineOutline extends Omit<AccountTimeline, 'bundles'> {
  readonly bundles: BundleWindow;
}

/** The timeline of an account as an outline. */
export interface TimelineOutlineOperations<C extends Leading = []> {
  /**
   * The same, with outlines of the bundles.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020) where it has more rows than
   * `server.limits.rows`.
   */
  timeline(...given: [...C, accountId: Uuid | string]): Promise<TimelineOutline>;
}
