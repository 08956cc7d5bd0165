import type { FoundAhead, WorkAhead } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import {
  addDays,
  addMilliseconds,
  type Instant,
  localDateOf,
  maxInstant,
  minInstant,
  startOfDay,
} from '../../values/time/index.ts';
import { OverdueAction, type OverdueJob } from '../triggers/overdue-jobs.ts';

/**
 * Up to when other work of the account goes first (§5.2): for a check all that is due on its local date, later today
 * included, so that a retry of a payment may still prevent the state; for a refresh what is due by now. Null for a clear.
 */
export function aheadOf(
  { action, asked }: OverdueJob,
  { recordId, timeZone }: Pick<Account, 'recordId' | 'timeZone'>,
  now: Instant,
): WorkAhead | null {
  if (action === OverdueAction.CLEAR) return null;
  const nextDay = startOfDay(addDays(localDateOf(asked, timeZone), 1), timeZone);
  const endOfDay = addMilliseconds(nextDay, -1);
  const dueBy = action === OverdueAction.CHECK ? endOfDay : minInstant(endOfDay, now);
  return { accountRecordId: recordId, dueBy };
}

/** When the job comes again: behind the work that goes first, or once that has come out of its pause. */
export type ComesAgain =
  | { readonly kind: 'DUE'; readonly at: Instant }
  | { readonly kind: 'PAUSE'; readonly delayMs: number };

/** @param due when the job is due by now. */
export function comesAgain(ahead: FoundAhead, due: Instant, systemNowMs: number): ComesAgain {
  const { lastDue, availableAtMs } = ahead;
  if (availableAtMs !== null && availableAtMs > systemNowMs)
    return { kind: 'PAUSE', delayMs: availableAtMs - systemNowMs };
  return { kind: 'DUE', at: maxInstant(due, lastDue) };
}
