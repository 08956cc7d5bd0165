import { dueEntry } from '../invoicing/index.ts';
import type { Account, BlockingState, InvoicingCursor, LifecycleEvent } from '../records/index.ts';
import { blockingStateNotification, eventNotification } from '../subscriptions/index.ts';
import { formatInstant, formatLocalDate, type Instant, localDateOf } from '../values/time/index.ts';

/** An entry that the queue must hold, and what it is for. */
export interface ExpectedEntry {
  readonly uniqueKey: string;
  readonly purpose: string;
}

export interface FutureOfAccount {
  readonly account: Account;
  readonly cursors: readonly InvoicingCursor[];
  /** Active ones. */
  readonly events: readonly LifecycleEvent[];
  readonly states: readonly BlockingState[];
  readonly now: Instant;
}

/**
 * The entries for what is to happen to an account after now. Runs count only from the next day on: a run that has fallen
 * due and must not be made at present leaves no entry.
 */
export function expectedEntries(of: FutureOfAccount): readonly ExpectedEntry[] {
  const { account, cursors, events, states, now } = of;
  const today = localDateOf(now, account.timeZone);
  return [
    ...events
      .filter(({ effective }) => effective.at > now)
      .map((event) => ({
        uniqueKey: eventNotification(event).uniqueKey ?? '',
        purpose: `${event.type} ${event.id} at ${formatInstant(event.effective.at)}`,
      })),
    ...states
      .filter(({ effective }) => effective.at > now)
      .map((state) => ({
        uniqueKey: blockingStateNotification(state).uniqueKey ?? '',
        purpose: `${state.stateName} ${state.id} at ${formatInstant(state.effective.at)}`,
      })),
    ...cursors.flatMap(({ subscriptionId, nextDueDate }) =>
      nextDueDate === null || nextDueDate <= today
        ? []
        : [
            {
              uniqueKey: dueEntry(account, nextDueDate).uniqueKey ?? '',
              purpose: `invoice run of subscription ${subscriptionId} on ${formatLocalDate(nextDueDate)}`,
            },
          ],
    ),
  ];
}
