import type { LiveEntry, ReadSession } from '../../ports/storage/index.ts';
import type { Account } from '../../records/index.ts';
import { QueueKind } from '../../records/index.ts';
import { MAX_PERIODS_PER_RUN } from '../../values/limits.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { RUN_TOPICS, runTrigger } from '../evaluation/run-trigger.ts';

/** The automatic runs that an account waits for. */
export interface AwaitedRuns {
  /** Dates of the runs that bus events have asked for, in their order; they come before the due entries. */
  readonly runDates: readonly LocalDate[];
  /** Dates of the pending due entries. */
  readonly dueDates: readonly LocalDate[];
}

export interface AwaitedRunsInput {
  readonly account: Account;
  /** Local date of the account. */
  readonly today: LocalDate;
  /** Whether automatic runs pass the account over: entries that fall due then make no run. */
  readonly isPassedOver: boolean;
}

/** The runs that the queue holds for each of these accounts, as many as a walk can take. */
export async function loadAwaitedRuns(
  session: ReadSession,
  inputs: readonly AwaitedRunsInput[],
): Promise<(input: AwaitedRunsInput) => AwaitedRuns> {
  const found = await session.notifications.findLive({
    accountRecordIds: inputs.map(({ account }) => account.recordId),
    topics: RUN_TOPICS,
    limit: MAX_PERIODS_PER_RUN,
  });
  const byAccount = Map.groupBy(found, ({ accountRecordId }) => accountRecordId);
  return (input) => awaitedRuns(byAccount.get(input.account.recordId) ?? [], input);
}

function awaitedRuns(
  entries: readonly LiveEntry[],
  { today, isPassedOver }: Pick<AwaitedRunsInput, 'today' | 'isPassedOver'>,
): AwaitedRuns {
  const datesOf = (kind: QueueKind): readonly LocalDate[] =>
    entries.filter((entry) => entry.kind === kind).flatMap((entry) => runDateOf(entry, today));
  const dueDates = datesOf(QueueKind.NOTIFICATION);
  if (isPassedOver) return { runDates: [], dueDates: dueDates.filter((date) => date > today) };
  return { runDates: datesOf(QueueKind.BUS), dueDates };
}

function runDateOf(entry: LiveEntry, today: LocalDate): readonly LocalDate[] {
  const trigger = runTrigger(entry);
  return trigger.kind === 'none' ? [] : [trigger.targetDate ?? today];
}
