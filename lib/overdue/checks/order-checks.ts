import type { ClaimedEntry, EarlierWork, WriteSession } from '../../ports/storage/index.ts';
import type { Account, NewNotification } from '../../records/index.ts';
import { QUEUE_ORDER_WAIT_MS } from '../../values/limits.ts';
import { endOfDay, type Instant, maxInstant } from '../../values/time/index.ts';
import { OverdueAction, type OverdueJob, overdueNotification } from '../triggers/overdue-jobs.ts';

export interface ClaimedJob {
  readonly entry: ClaimedEntry;
  readonly job: OverdueJob;
}

export interface LockedJob extends ClaimedJob {
  readonly account: Account;
  /** The parent that pays, or null if the account pays its own invoices. */
  readonly parent: Account | null;
}

export interface OrderedJob extends LockedJob {
  /**
   * The latest due time of today's other work that may still prevent a worse state, or null if there is no such work.
   */
  readonly workUntil: Instant | null;
}

interface OrderedJobs {
  readonly first: readonly OrderedJob[];
  /** New entries that run after the other work of the account. They replace the current entries. */
  readonly later: readonly NewNotification[];
  readonly waiting: readonly WaitingEntry[];
}

/** A queue entry to release, with the delay if the delay is known. */
export interface WaitingEntry {
  readonly entry: ClaimedEntry;
  readonly delayMs: number | null;
}

/**
 * Finds other work of the account or its paying parent that is due on the same local date and must run first (§5.2),
 * because a payment on that day may prevent a state. Work that is due later today does not block the job, but is
 * reported. Takes one statement.
 * @param topics topics of the work that comes first.
 */
export async function orderChecks(
  session: WriteSession,
  jobs: readonly LockedJob[],
  { topics, systemNowMs }: { readonly topics: readonly string[]; readonly systemNowMs: number },
): Promise<OrderedJobs> {
  const { createdDate: now } = session.authorship;
  const asks = jobs.map((each, index) => asksOf(each, index, now));
  const availableByMs = systemNowMs + QUEUE_ORDER_WAIT_MS;
  const found = await session.notifications.findEarlierWork({ work: asks.flat(), topics, availableByMs });
  const foundFor = new Map(found.map((ahead) => [ahead.asker, ahead]));
  const first: OrderedJob[] = [];
  const later: NewNotification[] = [];
  const waiting: WaitingEntry[] = [];
  for (const [index, each] of jobs.entries()) {
    const { entry, job, account } = each;
    const ahead = foundFor.get(askerOf(index, 'FIRST'));
    const again = ahead === undefined ? null : retryTiming(ahead, { due: entry.effectiveDate, systemNowMs });
    if (again === null)
      first.push({ ...each, workUntil: foundFor.get(askerOf(index, 'TODAY'))?.lastDue ?? null });
    else if (again.kind === 'DUE')
      later.push(overdueNotification({ ...job, accountRecordId: account.recordId, due: again.at }));
    else waiting.push({ entry, delayMs: again.kind === 'PAUSE' ? again.delayMs : null });
  }
  return { first, later, waiting };
}

/**
 * Returns the queries for pending work of the account and its paying parent. They find work that was due before the
 * job, and work that becomes due later today.
 */
function asksOf({ job, account, parent }: LockedJob, index: number, now: Instant) {
  const dueBy = dueAhead(job, account, now);
  const today = endOfDay(now, account.timeZone);
  const asks = [
    ...(dueBy === null ? [] : [{ asker: askerOf(index, 'FIRST'), dueBy }]),
    ...(dueBy !== null && dueBy >= today ? [] : [{ asker: askerOf(index, 'TODAY'), dueBy: today }]),
  ];
  const whose = parent === null ? [account] : [account, parent];
  return whose.flatMap(({ recordId }) => asks.map((ask) => ({ ...ask, accountRecordId: recordId })));
}

function askerOf(index: number, which: 'FIRST' | 'TODAY') {
  return 2 * index + (which === 'FIRST' ? 0 : 1);
}

/**
 * Returns the instant up to which other work must run first (§5.2). This is the current time or, for a check, the end
 * of its local date. Returns null for a CLEAR job.
 */
export function dueAhead(
  { action, asked }: OverdueJob,
  { timeZone }: Pick<Account, 'timeZone'>,
  now: Instant,
): Instant | null {
  if (action === OverdueAction.CLEAR) return null;
  return action === OverdueAction.CHECK ? maxInstant(endOfDay(asked, timeZone), now) : now;
}

export type RetryTiming =
  /** The job runs when the other work is due. */
  | { readonly kind: 'DUE'; readonly at: Instant }
  /** The job runs after the pause of the other work has ended. */
  | { readonly kind: 'PAUSE'; readonly delayMs: number }
  /**
   * The other work is running. It must be work of the parent, because entries of the same account never run at the same
   * time.
   */
  | { readonly kind: 'UNDER_WAY' };

/**
 * Returns the time at which a job that waits for other work is retried.
 * @param due Time at which the job is due, if that time has come.
 */
export function retryTiming(
  { isUnderWay, availableAtMs, lastDue }: EarlierWork,
  { due, systemNowMs }: { readonly due: Instant; readonly systemNowMs: number },
): RetryTiming {
  if (isUnderWay) return { kind: 'UNDER_WAY' };
  const delayMs = (availableAtMs ?? 0) - systemNowMs;
  return delayMs > 0 ? { kind: 'PAUSE', delayMs } : { kind: 'DUE', at: maxInstant(due, lastDue) };
}
