import { addDays, durationEnd, type LocalDate, minDate } from '../../values/time/index.ts';
import { enterableStates, type OverdueConfig, type OverdueState } from '../config/overdue-config.ts';
import type { BillingSnapshot } from './billing-snapshot.ts';
import { thresholdDate } from './criteria.ts';

export interface CheckedAccount {
  readonly config: OverdueConfig;
  readonly snapshot: BillingSnapshot;
  /** What the evaluation came to; null = clear. */
  readonly next: OverdueState | null;
  /** Local date of the evaluation. */
  readonly today: LocalDate;
}

/** The date on which the account is looked at again (§6), always later than today; null: no new check. */
export function nextCheckDate({ config, snapshot, next, today }: CheckedAccount): LocalDate | null {
  // Such a configuration asks for nothing, so whoever owes something keeps a check to meet another one by (§6 rule 6).
  if (enterableStates(config).length === 0) return owes(snapshot) ? addDays(today, 1) : null;
  const turn = nextTurn(config, snapshot, today);
  const initial = snapshot.anchor === null ? null : config.initialReevaluationInterval;
  const interval = next === null ? initial : next.reevaluationInterval;
  const again = interval === null ? undefined : durationEnd(today, interval);
  if (again === undefined) return turn;
  return turn === null ? again : minDate(turn, again);
}

/** The first later date on which the passing of time alone can change the state; null: none. */
export function nextTurn(
  config: OverdueConfig,
  { anchor, nextUnpaidDate }: BillingSnapshot,
  today: LocalDate,
): LocalDate | null {
  const thresholds = enterableStates(config).flatMap(({ condition }) =>
    condition.unpaidFor === null ? [] : (thresholdDate(anchor, condition.unpaidFor) ?? []),
  );
  const [first, ...others] = [...thresholds, nextUnpaidDate ?? today].filter((date) => date > today);
  return first === undefined ? null : minDate(first, ...others);
}

/** True: there is nothing to wait for, so that pending checks are removed (§6 rule 3). */
export function needsNoCheck({ snapshot, next }: Pick<CheckedAccount, 'snapshot' | 'next'>): boolean {
  return next === null && !owes(snapshot);
}

function owes({ anchor, nextUnpaidDate }: BillingSnapshot): boolean {
  return anchor !== null || nextUnpaidDate !== null;
}
