import type { Account } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import {
  type DatedInstant,
  type Instant,
  type LocalDate,
  localDateOf,
  maxDate,
  truncateToSecond,
} from '../../values/time/index.ts';
import type { OverdueState } from '../config/overdue-config.ts';

export interface EffectiveInput {
  /** The instant that the check was scheduled for, however late it runs; null for a refresh. */
  readonly scheduled: Instant | null;
  /** What the evaluation came to; null = clear. */
  readonly next: OverdueState | null;
  /** Whether the account is worse off by it. */
  readonly isWorse: boolean;
  /** The first date on which the unpaid invoices were enough for it; null: it does not ask for such. */
  readonly reached: LocalDate | null;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  readonly now: Instant;
  /** From when on the state that it follows is in effect; null = clear from the beginning. */
  readonly prevEffective: DatedInstant | null;
}

/**
 * From when on the account is in the state that an evaluation came to (§5.3): now, except that a check finds a worse state
 * as of when it was due, or when the state was reached. Never in the future, and never before the state that
 * it follows.
 */
export function effectiveOf(input: EffectiveInput): DatedInstant {
  const { account, prevEffective } = input;
  const now = dated(input.now, account);
  const due = dueOf(input);
  const effective = due !== null && due.at < now.at ? due : now;
  if (prevEffective === null) return effective;
  if (effective.at < prevEffective.at) return prevEffective;
  return { at: effective.at, date: maxDate(effective.date, prevEffective.date) };
}

/** When a worse state was due; null: what was found was not to be expected earlier. */
function dueOf({ scheduled, next, isWorse, reached, account }: EffectiveInput): DatedInstant | null {
  if (scheduled === null || next === null || !isWorse) return null;
  const asked = dated(scheduled, account);
  return reached !== null && reached > asked.date ? atReferenceTime(reached, account) : asked;
}

function dated(instant: Instant, { timeZone }: Pick<Account, 'timeZone'>): DatedInstant {
  const at = truncateToSecond(instant);
  return { at, date: localDateOf(at, timeZone) };
}
