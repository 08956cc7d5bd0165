import type { Ports } from '../../ports/index.ts';
import { DAY_MS, QUEUE_PURGE_SIZE } from '../../values/limits.ts';
import { addMilliseconds, localDateOf, UTC } from '../../values/time/index.ts';

/** A date is not over everywhere when it is in UTC, and its run may be some hours late (invoicing §8.1). */
const TOLD_INVOICE_OVER_MS = 2 * DAY_MS;

/** Forgets some of the dates that were told of and are over for that long: no run to come asks for them again (§8.1). */
export async function purgeToldInvoices(
  { storage, clock }: Pick<Ports, 'storage' | 'clock'>,
  retentionMs: number,
): Promise<void> {
  const before = localDateOf(addMilliseconds(clock.now(), -retentionMs - TOLD_INVOICE_OVER_MS), UTC);
  await storage.system.purgeToldInvoices(before, QUEUE_PURGE_SIZE);
}
