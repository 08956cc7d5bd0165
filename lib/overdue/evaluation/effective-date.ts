import type { Account } from '../../records/index.ts';
import { atReferenceTime } from '../../subscriptions/index.ts';
import {
  type DatedInstant,
  type Instant,
  type LocalDate,
  localDateOf,
  maxDate,
  minInstant,
  truncateToSecond,
} from '../../values/time/index.ts';
import type { OverdueState } from '../config/overdue-config.ts';
import { thresholdDate } from './criteria.ts';

export interface EffectiveInput {
  /** The instant that the check was scheduled for, or that of the event that asked for a refresh. */
  readonly asked: Instant;
  /** What the evaluation came to; null = clear. */
  readonly next: OverdueState | null;
  readonly anchor: LocalDate | null;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  readonly now: Instant;
  /** From when on the state that it follows is in effect; null = clear from the beginning. */
  readonly prevEffective: DatedInstant | null;
}

/**
 * From when on the account is in the state that an evaluation came to (§5.3): when it was asked for, or later, when the
 * time of the state was reached; never in the future, and never before the state that it follows.
 */
export function effectiveOf(input: EffectiveInput): DatedInstant {
  const { next, anchor, account, now, prevEffective } = input;
  const asked = dated(input.asked, account);
  const time = next?.condition?.unpaidFor ?? null;
  const reached = time === null ? null : thresholdDate(anchor, time);
  const due = reached !== null && reached > asked.date ? atReferenceTime(reached, account) : asked;
  const latest = minInstant(due.at, truncateToSecond(now));
  const effective = latest === due.at ? due : dated(latest, account);
  if (prevEffective === null) return effective;
  if (effective.at < prevEffective.at) return prevEffective;
  return { at: effective.at, date: maxDate(effective.date, prevEffective.date) };
}

function dated(instant: Instant, { timeZone }: Pick<Account, 'timeZone'>): DatedInstant {
  const at = truncateToSecond(instant);
  return { at, date: localDateOf(at, timeZone) };
}
