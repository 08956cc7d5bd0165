import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** A group of subscriptions of one account (subscriptions §3). */
export interface Bundle {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly externalKey: string;
  /**
   * The form in which the key is kept since another bundle may have it (subscriptions §17.1); null while the bundle holds
   * it.
   */
  readonly retiredKey: string | null;
  /** That of the oldest bundle that carried the key before. */
  readonly originalCreatedDate: Instant;
  readonly createdDate: Instant;
}
