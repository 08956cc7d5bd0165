import type { ClaimedEntry } from '../../ports/storage/index.ts';
import type { ActingComponent, Authorship } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** Authorship of work on queue entries: each account's rows carry the token of the call that caused its entry. */
export function batchAuthorship(
  entries: readonly ClaimedEntry[],
  actor: ActingComponent,
  now: Instant,
): Authorship {
  const [first] = entries;
  assertInvariant(first, 'A batch has at least one entry');
  const tokens = new Map(entries.map((entry) => [entry.accountRecordId, entry.userToken]));
  return {
    userName: actor,
    reasonCode: null,
    comments: null,
    createdDate: now,
    userTokenOf: (accountRecordId) => tokens.get(accountRecordId) ?? first.userToken,
  };
}
