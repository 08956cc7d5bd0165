import { type EventPayload, type NewNotification, QueueName } from '../../records/index.ts';
import { InvariantError } from '../../values/errors/index.ts';
import { formatInstant, type Instant, parseWireInstant } from '../../values/time/index.ts';

/** CHECK = it was scheduled; REFRESH = something has changed; CLEAR = the account has become exempt (§7). */
export const OverdueAction = { CHECK: 'CHECK', REFRESH: 'REFRESH', CLEAR: 'CLEAR' } as const;
export type OverdueAction = (typeof OverdueAction)[keyof typeof OverdueAction];

/** What an entry of overdue's queues asks for. */
export interface OverdueJob {
  readonly action: OverdueAction;
  /** The instant for which a check was scheduled (§5.3 rule 1), or that of the event, however late the entry comes. */
  readonly asked: Instant;
  /** Whether the parent that pays and the children that it pays for are looked at next (§8 rule 1). */
  readonly spreads: boolean;
  /** An entry of the transaction that has led to this one, where that was not of the same account. */
  readonly causedBy: number | null;
}

/** A wake-up of one account. */
export interface OverdueWakeUp extends OverdueJob {
  readonly accountRecordId: number;
  /** When the entry is due; default: when it was asked for. */
  readonly due?: Instant;
}

/** One live check per account. */
export function checkKey(accountRecordId: number): string {
  return `overdue-check:${accountRecordId}`;
}

/**
 * One live refresh and one live clear per account, into which others collapse: whoever asks for one has the account's
 * lock, so that an entry which is being processed has not read the account yet, or waits. Who looks after a relative does
 * not have that one's lock, and so has a key of its own.
 */
function keyOf({ action, accountRecordId, causedBy }: OverdueWakeUp): string {
  switch (action) {
    case OverdueAction.CHECK:
      return checkKey(accountRecordId);
    case OverdueAction.CLEAR:
      return `overdue-clear:${accountRecordId}`;
    case OverdueAction.REFRESH:
      return `overdue-refresh:${accountRecordId}${causedBy === null ? '' : `:${causedBy}`}`;
  }
}

export function overdueNotification(wakeUp: OverdueWakeUp): NewNotification {
  const { action, asked, spreads, causedBy, accountRecordId, due } = wakeUp;
  return {
    queueName: action === OverdueAction.CHECK ? QueueName.OVERDUE_CHECK : QueueName.OVERDUE_REFRESH,
    accountRecordId,
    effectiveDate: due ?? asked,
    payload: { action, asked: formatInstant(asked), spreads, causedBy },
    uniqueKey: keyOf(wakeUp),
  };
}

/** A check of that account at an instant. */
export function scheduledCheck(accountRecordId: number, at: Instant): OverdueWakeUp {
  return { accountRecordId, action: OverdueAction.CHECK, asked: at, spreads: false, causedBy: null };
}

/** @throws InvariantError if the payload is not one of ours. */
export function readOverdueJob(payload: EventPayload): OverdueJob {
  const { action, asked, spreads, causedBy } = payload;
  const at = typeof asked === 'string' ? parseWireInstant(asked) : undefined;
  if (!isOneOf(OverdueAction, action) || at === undefined)
    throw new InvariantError('An entry of overdue must name an action and an instant', { payload });
  return {
    action,
    asked: at,
    spreads: spreads === true,
    causedBy: typeof causedBy === 'number' ? causedBy : null,
  };
}

function isOneOf<T extends string>(all: Readonly<Record<string, T>>, value: unknown): value is T {
  return Object.values(all).some((each) => each === value);
}
