import { type LocalDate, maxDate } from '../../values/time/index.ts';
import { CLEAR_STATE_NAME, type OverdueConfig, type OverdueState } from '../config/overdue-config.ts';
import { billingSnapshot, type SnapshotFacts, type UnpaidInvoice } from './billing-snapshot.ts';
import { evaluateOverdue } from './evaluate.ts';
import { nextTurn } from './next-check.ts';

export interface CalendarInput {
  readonly config: OverdueConfig;
  /** All that the account owes, also what counts from a later date on. */
  readonly owed: readonly UnpaidInvoice[];
  readonly facts: SnapshotFacts;
  /** Name of the state that the account is in. */
  readonly current: string;
  /** Local date of the pending check; null: there is none, so nothing changes by itself. */
  readonly check: LocalDate | null;
  readonly today: LocalDate;
  /** Last date that is asked for. */
  readonly until: LocalDate;
}

/** A date on which the account comes to another state; null = clear. */
export interface CalendarStep {
  readonly date: LocalDate;
  readonly state: OverdueState | null;
}

/**
 * The states that the account comes to by its checks (§6) from today to `until`, in order, if nothing is paid and nothing
 * new is invoiced. Between the pending check and the dates on which a time is reached or an invoice begins to count, checks
 * find the same again, so they are left out.
 */
export function overdueCalendar(input: CalendarInput): readonly CalendarStep[] {
  const { config, owed, facts, today, until } = input;
  const steps: CalendarStep[] = [];
  let current = input.current;
  let date = input.check === null ? null : maxDate(input.check, today);
  while (date !== null && date <= until) {
    const snapshot = billingSnapshot(owed, { ...facts, today: date });
    const state = evaluateOverdue(config, snapshot, date);
    const name = state?.name ?? CLEAR_STATE_NAME;
    if (name !== current) steps.push({ date, state });
    current = name;
    date = nextTurn(config, snapshot, date);
  }
  return steps;
}
