import { type Instant, instant } from '../../../lib/index.ts';
import type { ClaimedEntry, Storage } from '../../../lib/ports/storage/index.ts';
import type { QueueKind } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';

/** Claims the first due entry of these topics, after so many failures, for a node that dies. */
export async function claimedByDeadNode(
  storage: Storage<never>,
  of: {
    readonly topics: readonly string[];
    readonly kind: QueueKind;
    readonly businessNow: Instant;
    readonly failures: number;
    readonly claimId: () => Uuid;
    /** System time. */
    readonly leaseEndsAtMs: number;
  },
): Promise<ClaimedEntry> {
  const { topics, kind, businessNow, failures, claimId, leaseEndsAtMs } = of;
  const claim = async (): Promise<ClaimedEntry> => {
    const [entry] = await storage.queue.claim({
      node: 'dead',
      claimId: claimId(),
      limit: 1,
      topics,
      kind,
      businessNow,
      systemNowMs: Date.now(),
      leaseEndsAtMs,
    });
    if (entry === undefined) throw new Error(`No ${kind} of ${topics.join()} is due`);
    return entry;
  };
  for (let failed = 0; failed < failures; failed += 1)
    await storage.queue.retry([{ entry: await claim(), reason: 'failed', availableAtMs: instant(1) }]);
  return claim();
}
