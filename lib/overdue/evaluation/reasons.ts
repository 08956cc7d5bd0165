import { type Currency, type Decimal, formatDecimal, moneyText } from '../../values/money/index.ts';
import { plural } from '../../values/text/index.ts';
import {
  type Duration,
  daysBetween,
  formatLocalDate,
  type LocalDate,
  TimeUnit,
} from '../../values/time/index.ts';
import { enterableStates, type OverdueConfig } from '../config/overdue-config.ts';
import type { BillingSnapshot } from './billing-snapshot.ts';
import { type Criterion, criteriaOf, criterionHolds, thresholdDate } from './criteria.ts';
import { holds } from './evaluate.ts';

/** Why an account is, or is not, in a state that it could be in. */
export interface StateReasons {
  readonly state: string;
  /** Whether the whole condition holds. */
  readonly holds: boolean;
  readonly criteria: readonly CriterionReason[];
  /** All of it in one sentence. */
  readonly text: string;
}

export interface CriterionReason {
  readonly kind: Criterion['kind'];
  readonly holds: boolean;
  /** What was compared: `unpaid since 2012-05-31, 30 days of 30`. */
  readonly text: string;
}

export interface ReasonsInput {
  readonly config: OverdueConfig;
  /** Of the date that the reasons are asked for. */
  readonly snapshot: BillingSnapshot;
  readonly date: LocalDate;
  /** Null: the account has none, and owes nothing. */
  readonly currency: Currency | null;
}

/** For each state that can be entered, from the most severe on, what its condition finds on that date. */
export function stateReasons({ config, snapshot, date, currency }: ReasonsInput): readonly StateReasons[] {
  return enterableStates(config).map((state) => {
    const criteria = criteriaOf(state.condition).map((criterion) => ({
      kind: criterion.kind,
      holds: criterionHolds(criterion, snapshot, date),
      text: criterionText(criterion, { snapshot, date, currency }),
    }));
    const isHeld = holds(state, snapshot, date);
    const found =
      criteria.length === 0 ? 'its condition asks for nothing' : criteria.map(({ text }) => text).join('; ');
    return {
      state: state.name,
      holds: isHeld,
      criteria,
      text: `${state.name} ${isHeld ? 'holds' : 'does not hold'} on ${formatLocalDate(date)}: ${found}.`,
    };
  });
}

type Facts = Pick<ReasonsInput, 'snapshot' | 'date' | 'currency'>;

function criterionText(criterion: Criterion, facts: Facts): string {
  const { snapshot, date, currency } = facts;
  switch (criterion.kind) {
    case 'TIME':
      return timeText(criterion.duration, snapshot.anchor, date);
    case 'COUNT':
      return `${plural(snapshot.unpaidCount, 'unpaid invoice')} of ${criterion.count}`;
    case 'TOTAL':
      return `${amountText(snapshot.unpaidTotal, currency)} unpaid of ${amountText(criterion.total, currency)}`;
    case 'RESPONSE':
      return `${responseText(snapshot)}, asked for is ${criterion.responses.join(' or ')}`;
    case 'TAG_CARRIED':
      return `the account ${carries(criterion.tag, snapshot)}, which it has to`;
    case 'TAG_MISSING':
      return `the account ${carries(criterion.tag, snapshot)}, which it must not`;
  }
}

function responseText({ lastPaymentResponse }: BillingSnapshot): string {
  if (lastPaymentResponse === null) return 'no payment of what is unpaid has failed';
  return `the last payment response is ${lastPaymentResponse}`;
}

/** `unpaid since 2012-01-31, 12 days of 29 (1 month, on 2012-02-29)`. */
function timeText(duration: Duration, anchor: LocalDate | null, date: LocalDate): string {
  if (anchor === null) return `nothing is unpaid, asked for is a debt of ${durationText(duration)}`;
  const since = `unpaid since ${formatLocalDate(anchor)}`;
  const reached = thresholdDate(anchor, duration);
  if (reached === null) return `${since}, asked for is a debt of ${durationText(duration)}`;
  const more = [
    ...(duration.unit === TimeUnit.DAYS ? [] : [durationText(duration)]),
    ...(reached > date ? [`on ${formatLocalDate(reached)}`] : []),
  ];
  const days = `${plural(daysBetween(anchor, date), 'day')} of ${daysBetween(anchor, reached)}`;
  return `${since}, ${days}${more.length === 0 ? '' : ` (${more.join(', ')})`}`;
}

function durationText({ unit, number }: Duration): string {
  if (unit === TimeUnit.UNLIMITED) return 'unlimited time';
  return plural(number, unit.toLowerCase().slice(0, -1));
}

function carries(tag: string, { tags }: BillingSnapshot): string {
  return `${tags.has(tag) ? 'carries' : 'does not carry'} the tag ${tag}`;
}

function amountText(amount: Decimal, currency: Currency | null): string {
  return currency === null ? formatDecimal(amount) : moneyText(amount, currency);
}
