import type { FoundAhead } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { endOfDay, type Instant, maxInstant } from '../../values/time/index.ts';
import { OverdueAction, type OverdueJob } from '../triggers/overdue-jobs.ts';

/**
 * Up to when other work of the account goes first (§5.2): all that is due by now, since the account is looked at as of
 * today, and for a check all of its local date, later today included, so that a retry of a payment may still prevent the
 * state. Null for a clear.
 */
export function dueAhead(
  { action, asked }: OverdueJob,
  { timeZone }: Pick<Account, 'timeZone'>,
  now: Instant,
): Instant | null {
  if (action === OverdueAction.CLEAR) return null;
  return action === OverdueAction.CHECK ? maxInstant(endOfDay(asked, timeZone), now) : now;
}

/** When a job comes again whose account, or the parent that pays for it, has other work to do first. */
export type ComesAgain =
  /** Behind that work. */
  | { readonly kind: 'DUE'; readonly at: Instant }
  /** That work is in a pause so long. */
  | { readonly kind: 'PAUSE'; readonly delayMs: number }
  /** That work is being done, of the parent: of one account one entry is processed at a time. */
  | { readonly kind: 'UNDER_WAY' };

/** @param due when the job is due by now. */
export function comesAgain(
  { isUnderWay, availableAtMs, lastDue }: FoundAhead,
  { due, systemNowMs }: { readonly due: Instant; readonly systemNowMs: number },
): ComesAgain {
  if (isUnderWay) return { kind: 'UNDER_WAY' };
  const delayMs = (availableAtMs ?? 0) - systemNowMs;
  return delayMs > 0 ? { kind: 'PAUSE', delayMs } : { kind: 'DUE', at: maxInstant(due, lastDue) };
}
