import { by, is, type StoredRow } from './books.ts';
import type { Invariant } from './invariant.ts';

/** Invariant 11; subscriptions §4.3, from stored events and states alone. */
export const derivableState: Invariant = {
  name: 'entitlement state is derivable from events alone',
  breaches: ({ books, observed }) => {
    const eventsOf = by(
      books.subscription_events.filter((row) => is(row, 'is_active')),
      'subscription_id',
    );
    const statesOf = by(
      books.blocking_states.filter((row) => is(row, 'is_active')),
      'blocked_id',
    );
    const past = (row: StoredRow): boolean => Number(row.effective) <= books.nowMs;
    return books.subscriptions.flatMap((subscription) => {
      const found = observed.states.get(subscription.id ?? '');
      if (found === undefined) return [];
      const own = statesOf(subscription.id);
      const shared = [subscription.bundle_id, subscription.account_id].flatMap((id) => statesOf(id));
      const derived = stateOf({
        isCancelled: own.some((row) => row.state_name === 'ENT_CANCELLED' && past(row)),
        isExpired: hasExpired(eventsOf(subscription.id).filter(past)),
        hasStarted: own.some((row) => row.state_name === 'ENT_STARTED' && past(row)),
        isBlocked: isBlocked([...own, ...shared].filter(past)),
      });
      return derived === found
        ? []
        : [`subscription ${subscription.id} is ${found}, its events imply ${derived}`];
    });
  },
};

interface Signs {
  readonly isCancelled: boolean;
  readonly isExpired: boolean;
  readonly hasStarted: boolean;
  readonly isBlocked: boolean;
}

function stateOf({ isCancelled, isExpired, hasStarted, isBlocked: blocked }: Signs): string {
  if (isCancelled) return 'CANCELLED';
  if (isExpired) return 'EXPIRED';
  if (!hasStarted) return 'PENDING';
  return blocked ? 'BLOCKED' : 'ACTIVE';
}

function hasExpired(events: readonly StoredRow[]): boolean {
  const ends = events.filter(({ type }) => type === 'CANCEL' || type === 'EXPIRED').toSorted(inTime);
  return ends[0]?.type === 'EXPIRED';
}

/** Uses the latest state of each service and object. */
function isBlocked(states: readonly StoredRow[]): boolean {
  const latest = new Map(
    states.toSorted(inTime).map((row) => [`${row.blocked_id} ${row.service}`, row] as const),
  );
  return [...latest.values()].some((row) => is(row, 'is_block_entitlement'));
}

function inTime(a: StoredRow, b: StoredRow): number {
  return Number(a.effective) - Number(b.effective) || Number(a.sequence) - Number(b.sequence);
}

/** Invariant 12. */
export const foreseenRuns: Invariant = {
  name: 'a dry run equals the next real run if nothing changes in between',
  breaches: ({ observed }) =>
    observed.foreseen.flatMap(({ accountId, date, dryRun, run }) =>
      dryRun.join() === run.join()
        ? []
        : [`account ${accountId} on ${date}: foreseen ${dryRun.join(', ')}; made ${run.join(', ')}`],
    ),
};

/** Invariant 13. */
export const repeatable: Invariant = {
  name: 're-running a completed operation or run changes nothing',
  breaches: ({ observed }) => observed.changedByRepetition,
};
