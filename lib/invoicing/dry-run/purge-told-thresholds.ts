import type { Ports } from '../../ports/index.ts';
import { QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds } from '../../values/time/index.ts';

/**
 * Forgets some of the thresholds that were told of in periods which are over for that long: nobody looks at them again
 * (usage §12.1), since what was recorded in them is looked at much sooner.
 */
export async function purgeToldThresholds(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  retentionMs: number,
): Promise<void> {
  await storage.system.purgeToldThresholds(addMilliseconds(clock.now(), -retentionMs), QUEUE_PURGE_SIZE);
}
