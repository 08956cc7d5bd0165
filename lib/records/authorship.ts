import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/**
 * Who stands in the audit rows of a write. One write may serve many accounts at once (a batch of due work), each with
 * the token of the call that caused its work; hence a function.
 */
export interface Authorship {
  readonly userName: string;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly createdDate: Instant;
  userTokenOf(accountRecordId: number | null): Uuid;
}
