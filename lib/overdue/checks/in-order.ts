import type { ClaimedEntry, FoundAhead, WorkAhead, WriteSession } from '../../ports/storage/index.ts';
import type { Account, NewNotification } from '../../records/index.ts';
import { QUEUE_ORDER_WAIT_MS } from '../../values/limits.ts';
import { endOfDay, type Instant, maxInstant } from '../../values/time/index.ts';
import { OverdueAction, type OverdueJob, overdueNotification } from '../triggers/overdue-jobs.ts';

export interface AskedJob {
  readonly entry: ClaimedEntry;
  readonly job: OverdueJob;
}

/** The same, with its account, whose lock is held. */
export interface LockedJob extends AskedJob {
  readonly account: Account;
  /** Null: the account pays by itself. */
  readonly parent: Account | null;
}

/** One whose turn it is. */
export interface OrderedJob extends LockedJob {
  /** When the last other work of today is due, which may still prevent a worse state; null: there is none. */
  readonly workUntil: Instant | null;
}

export interface OrderedJobs {
  readonly first: readonly OrderedJob[];
  /** What puts the entries of others behind the work that goes first: they end now and come again. */
  readonly later: readonly NewNotification[];
  /** Entries that are given back, for so long if it is known. */
  readonly waiting: readonly { readonly entry: ClaimedEntry; readonly delayMs: number | null }[];
}

/**
 * Other work of an account's local date goes first (§5.2), and so does that of the parent that pays for it: a payment of
 * that day may prevent a state. What is due later today holds up nobody, but is told of. One statement.
 * @param topics of the work that goes first.
 */
export async function inOrder(
  session: WriteSession,
  jobs: readonly LockedJob[],
  { topics, systemNowMs }: { readonly topics: readonly string[]; readonly systemNowMs: number },
): Promise<OrderedJobs> {
  const { createdDate: now } = session.authorship;
  const asks = jobs.map((each, index) => asksOf(each, index, now));
  const found = await session.notifications.findAhead({
    work: asks.flat(),
    topics,
    availableByMs: systemNowMs + QUEUE_ORDER_WAIT_MS,
  });
  const foundFor = new Map(found.map((ahead) => [ahead.asker, ahead]));
  const first: OrderedJob[] = [];
  const later: NewNotification[] = [];
  const waiting: { readonly entry: ClaimedEntry; readonly delayMs: number | null }[] = [];
  for (const [index, each] of jobs.entries()) {
    const { entry, job, account } = each;
    const ahead = foundFor.get(askerOf(index, 'FIRST'));
    const again = ahead === undefined ? null : comesAgain(ahead, { due: entry.effectiveDate, systemNowMs });
    if (again === null)
      first.push({ ...each, workUntil: foundFor.get(askerOf(index, 'TODAY'))?.lastDue ?? null });
    else if (again.kind === 'DUE')
      later.push(overdueNotification({ ...job, accountRecordId: account.recordId, due: again.at }));
    else waiting.push({ entry, delayMs: again.kind === 'PAUSE' ? again.delayMs : null });
  }
  return { first, later, waiting };
}

/** What goes before the job, and what else is to be done today, of the account and of the parent that pays for it. */
function asksOf({ job, account, parent }: LockedJob, index: number, now: Instant): readonly WorkAhead[] {
  const dueBy = dueAhead(job, account, now);
  const today = endOfDay(now, account.timeZone);
  const asks = [
    ...(dueBy === null ? [] : [{ asker: askerOf(index, 'FIRST'), dueBy }]),
    ...(dueBy !== null && dueBy >= today ? [] : [{ asker: askerOf(index, 'TODAY'), dueBy: today }]),
  ];
  const whose = parent === null ? [account] : [account, parent];
  return whose.flatMap(({ recordId }) => asks.map((ask) => ({ ...ask, accountRecordId: recordId })));
}

function askerOf(index: number, which: 'FIRST' | 'TODAY'): number {
  return 2 * index + (which === 'FIRST' ? 0 : 1);
}

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
