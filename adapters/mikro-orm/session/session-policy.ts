import type { StoragePolicy } from '../../../lib/ports/storage/index.ts';
import { MAX_COUNTED_RECORDS, QUEUE_POLL_MS } from '../../../lib/values/limits.ts';

/** How long a call waits for a busy account when the storage's policy does not specify it. */
const ACCOUNT_LOCK_WAIT_MS = 5_000;

/** The policy that sessions follow; if no topics are named, every event may have a handler. */
export type SessionPolicy = Required<
  Omit<StoragePolicy, 'consumedTopics' | 'traceParentOf' | 'aroundWrite'>
> &
  Pick<StoragePolicy, 'consumedTopics' | 'traceParentOf' | 'aroundWrite'>;

/** In force until an engine sets another. */
export const defaultPolicy: SessionPolicy = {
  countThreshold: MAX_COUNTED_RECORDS,
  lockWaitOf: async () => ACCOUNT_LOCK_WAIT_MS,
  skippedEventsOf: async () => ({ notStored: [], notDispatched: [] }),
  askedByEvents: async () => [],
  eventIdOf: () => null,
  onEvents: () => undefined,
  writesCreditNotesOf: async () => false,
  pollMs: QUEUE_POLL_MS,
};
