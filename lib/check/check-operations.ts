import type { TenantRef } from '../records/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { Breach } from './model.ts';

/** Looks in the stored data for what cannot be. */
export interface CheckOperations {
  /**
   * The time up to which stored work was done, if the clock lies before it by more than clocks differ (a test clock that
   * was moved back); else null. What is due and what is billed by now cannot be checked then.
   */
  aheadOfClock(): Promise<Instant | null>;

  /**
   * What is wrong, in one tenant or in all (null), as it is found; nothing = all is well. If the clock lies before what
   * is stored (see `aheadOfClock`), only what holds at any time is checked.
   */
  breaches(tenant?: TenantRef | null): AsyncIterable<Breach>;
}
