import { type NewNotification, QueueName } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { addMilliseconds, type Instant, localDateOf, startOfDay, UTC } from '../../values/time/index.ts';

const DAY_MS = 86_400_000;

/** The next time at that UTC time of day (milliseconds since midnight): today, or tomorrow if it is past. */
export function parentCommitTime(now: Instant, timeOfDayMs: number): Instant {
  const today = addMilliseconds(startOfDay(localDateOf(now, UTC), UTC), timeOfDayMs);
  return today > now ? today : addMilliseconds(today, DAY_MS);
}

/** The entry that commits a summary invoice (§12 rule 3). */
export function parentCommitEntry(
  summary: { readonly id: Uuid; readonly accountRecordId: number },
  effectiveDate: Instant,
): NewNotification {
  return {
    queueName: QueueName.PARENT_INVOICE_COMMIT,
    accountRecordId: summary.accountRecordId,
    effectiveDate,
    payload: { invoiceId: summary.id },
    uniqueKey: `parent-commit:${summary.id}`,
  };
}
