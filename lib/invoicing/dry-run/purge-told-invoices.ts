import type { Ports } from '../../ports/index.ts';
import { QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds, localDateOf, UTC } from '../../values/time/index.ts';

/** A date is not over everywhere when it is in UTC, and its run may be some hours late. */
const OVER_AFTER_MS = 2 * 24 * 3_600_000;

/** Forgets some of the dates that were told of and are over for that long: no run to come asks for them again (§8.1). */
export async function purgeToldInvoices(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  retentionMs: number,
): Promise<void> {
  const before = localDateOf(addMilliseconds(clock.now(), -retentionMs - OVER_AFTER_MS), UTC);
  await storage.system.purgeToldInvoices(before, QUEUE_PURGE_SIZE);
}
