import type { ClaimedEntry, WriteSession } from '../../ports/storage/index.ts';
import type { Account, NewNotification } from '../../records/index.ts';
import { QUEUE_ORDER_WAIT_MS } from '../../values/limits.ts';
import { type OverdueJob, overdueNotification } from '../triggers/overdue-jobs.ts';
import { comesAgain, dueAhead } from './work-ahead.ts';

/** An entry with what it asks for. */
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

export interface OrderedJobs {
  /** Those whose turn it is. */
  readonly first: readonly LockedJob[];
  /** What puts the entries of others behind the work that goes first: they end now and come again. */
  readonly later: readonly NewNotification[];
  /** Entries that are given back, for so long if it is known. */
  readonly waiting: readonly { readonly entry: ClaimedEntry; readonly delayMs: number | null }[];
}

/**
 * Other work of an account's local date goes first (§5.2), and so does that of the parent that pays for it: a payment of
 * that day may prevent a state. One statement.
 * @param topics of the work that goes first.
 */
export async function inOrder(
  session: WriteSession,
  jobs: readonly LockedJob[],
  { topics, systemNowMs }: { readonly topics: readonly string[]; readonly systemNowMs: number },
): Promise<OrderedJobs> {
  const { createdDate: now } = session.authorship;
  const found = await session.notifications.findAhead({
    work: jobs.flatMap(({ job, account, parent }) => {
      const dueBy = dueAhead(job, account, now);
      if (dueBy === null) return [];
      const whose = parent === null ? [account] : [account, parent];
      return whose.map(({ recordId }) => ({ asker: account.recordId, accountRecordId: recordId, dueBy }));
    }),
    topics,
    availableByMs: systemNowMs + QUEUE_ORDER_WAIT_MS,
  });
  const aheadOf = new Map(found.map((ahead) => [ahead.asker, ahead]));
  const first: LockedJob[] = [];
  const later: NewNotification[] = [];
  const waiting: { readonly entry: ClaimedEntry; readonly delayMs: number | null }[] = [];
  for (const each of jobs) {
    const { entry, job, account } = each;
    const ahead = aheadOf.get(account.recordId);
    const again = ahead === undefined ? null : comesAgain(ahead, { due: entry.effectiveDate, systemNowMs });
    if (again === null) first.push(each);
    else if (again.kind === 'DUE')
      later.push(overdueNotification({ ...job, accountRecordId: account.recordId, due: again.at }));
    else waiting.push({ entry, delayMs: again.kind === 'PAUSE' ? again.delayMs : null });
  }
  return { first, later, waiting };
}
