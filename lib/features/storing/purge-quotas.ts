import type { Ports } from '../../ports/index.ts';
import { QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { keysSince } from './quota-limits.ts';

/** Deletes some of the expired keys, and some of the counters of past periods (§4). */
export async function purgeQuotas({ storage, clock }: Pick<Ports, 'storage' | 'clock'>): Promise<void> {
  const now = clock.now();
  const before = { uses: keysSince(now), counters: now };
  await storage.system.purgeQuotas(before, QUEUE_PURGE_SIZE);
}
