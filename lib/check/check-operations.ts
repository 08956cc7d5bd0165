import type { TenantRef } from '../records/index.ts';
import type { Instant } from '../values/time/index.ts';
import type { Breach } from './model.ts';

/** Looks for what cannot be in the stored data. */
export interface CheckOperations {
  /**
   * The time that the stored work has come to, where the clock lies before it by more than clocks differ (a test clock that
   * was moved back); else null. What is due and what is billed by now cannot be told then.
   */
  aheadOfClock(): Promise<Instant | null>;

  /**
   * What is wrong, of one tenant or of all (null), as it is found; nothing = all is as it should be. Where the clock lies
   * before what is stored (see `aheadOfClock`), only what holds at any time is looked at.
   */
  breaches(tenant?: TenantRef | null): AsyncIterable<Breach>;
}
