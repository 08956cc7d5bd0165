import { type Currency, type Decimal, formatDecimal, moneyText } from '../../values/money/index.ts';
import { plural } from '../../values/text/index.ts';
import {
  type Duration,
  daysBetween,
  formatLocalDate,
  type LocalDate,
  maxDate,
} from '../../values/time/index.ts';
import {
  CLEAR_STATE_NAME,
  enterableStates,
  type OverdueConfig,
  type OverdueState,
} from '../config/overdue-config.ts';
import {
  type BillingSnapshot,
  billingSnapshot,
  type Criterion,
  criteriaOf,
  criterionHolds,
  evaluateOverdue,
  holds,
  nextTurn,
  type SnapshotFacts,
  thresholdDate,
  type UnpaidInvoice,
} from './evaluate.ts';

export interface ExplainedState {
  readonly state: string;
  /** The local date on which the state began, or null if the account was never in another state. */
  readonly since: LocalDate | null;
  /** The name of the first state whose condition is met, or null if no condition is met. */
  readonly matched: string | null;
  readonly exempt: 'SELF' | 'PARENT' | null;
  readonly isPaidByParent: boolean;
  readonly reasons: readonly StateReasons[];
  readonly nextCheck: LocalDate | null;
}

/** Returns a description of an account's state in a few sentences. */
export function explanationText(explained: ExplainedState): string {
  const { matched, exempt, isPaidByParent, reasons, nextCheck } = explained;
  const sentences = [stateSentence(explained)];
  if (exempt !== null) {
    const whose = exempt === 'SELF' ? 'it has' : 'the parent that pays for it has';
    sentences.push(`No overdue state applies, because ${whose} the tag OVERDUE_ENFORCEMENT_OFF.`);
  }
  if (reasons.length === 0) sentences.push('The configuration has no state that an account can enter.');
  if (isPaidByParent && reasons.length > 0) sentences.push('The debt of the parent that pays for it counts.');
  sentences.push(...reasonsUpTo(matched, reasons));
  if (exempt === null && (matched ?? CLEAR_STATE_NAME) !== explained.state && reasons.length > 0) {
    sentences.push(`It will move to ${describeState(matched)} at the next check.`);
    if (nextCheck === null) sentences.push('No check is scheduled; the next change triggers one.');
  }
  if (nextCheck !== null) sentences.push(`The next check is on ${formatLocalDate(nextCheck)}.`);
  return sentences.join(' ');
}

function stateSentence({ state, since }: ExplainedState) {
  const from = since === null ? '' : ` since ${formatLocalDate(since)}`;
  const verb = since === null ? 'is' : 'has been';
  if (state !== CLEAR_STATE_NAME) return `The account ${verb} in ${state}${from}.`;
  return since === null ? 'The account is not overdue.' : `The account has not been overdue${from}.`;
}

/**
 * Returns the reasons for all states up to the first state that applies, including why the more severe states do not
 * apply.
 */
function reasonsUpTo(matched: string | null, reasons: readonly StateReasons[]) {
  const last = reasons.findIndex(({ state }) => state === matched);
  return (last < 0 ? reasons : reasons.slice(0, last + 1)).map(({ text }) => text);
}

function describeState(state: string | null) {
  return state ?? 'no state';
}

export interface StateReasons {
  readonly state: string;
  readonly holds: boolean;
  readonly criteria: readonly CriterionReason[];
  readonly text: string;
}

export interface CriterionReason {
  readonly kind: Criterion['kind'];
  readonly holds: boolean;
  /** Text such as `unpaid since 2012-05-31, 30 days of 30`. */
  readonly text: string;
}

export interface ReasonsInput {
  readonly config: OverdueConfig;
  readonly snapshot: BillingSnapshot;
  readonly date: LocalDate;
  /** The currency of the account, or null if the account has no currency and owes nothing. */
  readonly currency: Currency | null;
}

/** Returns the findings for each state, starting with the most severe state. */
export function stateReasons({ config, snapshot, date, currency }: ReasonsInput): readonly StateReasons[] {
  return enterableStates(config).map((state) => {
    const criteria = criteriaOf(state.condition).map((criterion) => ({
      kind: criterion.kind,
      holds: criterionHolds(criterion, snapshot, date),
      text: criterionText(criterion, { snapshot, date, currency }),
    }));
    const isHeld = holds(state, snapshot, date);
    const found =
      criteria.length === 0 ? 'its condition is empty' : criteria.map(({ text }) => text).join('; ');
    return {
      state: state.name,
      holds: isHeld,
      criteria,
      text: `${state.name} ${isHeld ? 'holds' : 'does not hold'} on ${formatLocalDate(date)}: ${found}.`,
    };
  });
}

type Facts = Pick<ReasonsInput, 'snapshot' | 'date' | 'currency'>;

function criterionText(criterion: Criterion, facts: Facts) {
  const { snapshot, date, currency } = facts;
  switch (criterion.kind) {
    case 'TIME':
      return timeText(criterion.duration, snapshot.anchor, date);
    case 'COUNT':
      return `${plural(snapshot.unpaidCount, 'unpaid invoice')} of ${criterion.count}`;
    case 'TOTAL':
      return `${amountText(snapshot.unpaidTotal, currency)} unpaid of ${amountText(criterion.total, currency)}`;
    case 'RESPONSE':
      return `${responseText(snapshot)}, required is ${criterion.responses.join(' or ')}`;
    case 'TAG_CARRIED':
      return `the account ${has(criterion.tag, snapshot)}, which is required`;
    case 'TAG_MISSING':
      return `the account ${has(criterion.tag, snapshot)}, which is excluded`;
  }
}

function responseText({ lastPaymentResponse }: BillingSnapshot) {
  if (lastPaymentResponse === null) return 'no payment of an unpaid invoice has failed';
  return `the last payment response is ${lastPaymentResponse}`;
}

/** Returns text such as `unpaid since 2012-01-31, 12 days of 29 (1 month, on 2012-02-29)`. */
function timeText(duration: Duration, anchor: LocalDate | null, date: LocalDate) {
  if (anchor === null) return `nothing is unpaid, required is a debt of ${durationText(duration)}`;
  const since = `unpaid since ${formatLocalDate(anchor)}`;
  const reached = thresholdDate(anchor, duration);
  if (reached === null) return `${since}, required is a debt of ${durationText(duration)}`;
  const more = [
    ...(duration.unit === 'DAYS' ? [] : [durationText(duration)]),
    ...(reached > date ? [`on ${formatLocalDate(reached)}`] : []),
  ];
  const days = `${plural(daysBetween(anchor, date), 'day')} of ${daysBetween(anchor, reached)}`;
  return `${since}, ${days}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

function durationText({ unit, number }: Duration) {
  if (unit === 'UNLIMITED') return 'unlimited time';
  return plural(number, unit.toLowerCase().slice(0, -1));
}

function has(tag: string, { tags }: BillingSnapshot) {
  return `${tags.has(tag) ? 'has' : 'does not have'} the tag ${tag}`;
}

function amountText(amount: Decimal, currency: Currency | null) {
  return currency === null ? formatDecimal(amount) : moneyText(amount, currency);
}

export interface CalendarInput {
  readonly config: OverdueConfig;
  /** The owed invoices. They include invoices whose target date is in the future. */
  readonly owed: readonly UnpaidInvoice[];
  readonly facts: SnapshotFacts;
  readonly current: string;
  /** The local date of the pending check, or null if the state cannot change without other events. */
  readonly check: LocalDate | null;
  readonly today: LocalDate;
  readonly until: LocalDate;
}

/** A date and the state that starts on that date. A null state means clear. */
export interface CalendarStep {
  readonly date: LocalDate;
  readonly state: OverdueState | null;
}

/**
 * Returns the states that the account reaches by checks (§6) from today to `until`, in order, if there are no payments
 * or new invoices. Checks between the pending check and the next threshold or target date are omitted, because they
 * find no change.
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
