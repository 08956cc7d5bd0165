import type { Plan, PlanPhase } from '../../catalog/index.ts';
import {
  type Account,
  type PhaseType,
  PlanAlignmentChange,
  PlanAlignmentCreate,
  type Subscription,
} from '../../records/index.ts';
import { billingError, ErrorCode, invalidParameter } from '../../values/errors/index.ts';
import { MAX_REQUESTED_DATE_YEARS } from '../../values/limits.ts';
import {
  type DatedInstant,
  durationEnd,
  formatLocalDate,
  type Instant,
  instantAt,
  type LocalDate,
  localDateOf,
  localTimeOf,
  maxDate,
  type RequestedDate,
  type TimeZone,
  truncateToSecond,
  UTC,
  yearOf,
} from '../../values/time/index.ts';
import { isPlanChoice } from './lifecycle-events.ts';
import type { Transition } from './transitions.ts';

export interface PhaseStart {
  readonly phase: PlanPhase;
  readonly start: DatedInstant;
}

interface PhaseTimelineInput {
  readonly plan: Plan;
  readonly anchor: DatedInstant;
  /** Type of the first phase. Earlier phases are skipped. Null means the plan's first phase. */
  readonly firstPhaseType: PhaseType | null;
  readonly zone: TimeZone;
}

/**
 * Returns the consecutive phases of a plan from `anchor` on (§5 rule 1). They start on local dates at the anchor's time
 * of day (§2 rule 6).
 * @throws BillingError SUBSCRIPTION_CREATE_BAD_PHASE (1011) if the plan has no phase of `firstPhaseType`.
 */
export function phaseTimeline(input: PhaseTimelineInput): readonly PhaseStart[] {
  const timeline: PhaseStart[] = [];
  let start: DatedInstant | undefined = input.anchor;
  for (const phase of phasesFrom(input.plan, input.firstPhaseType)) {
    if (start === undefined) break;
    timeline.push({ phase, start });
    start = phaseEnd({ phase, start }, input.anchor, input.zone);
  }
  return timeline;
}

export function phaseEnd(entry: PhaseStart, anchor: DatedInstant, zone: TimeZone): DatedInstant | undefined {
  const date = durationEnd(entry.start.date, entry.phase.duration);
  if (date === undefined) return undefined;
  return { date, at: instantAt(date, localTimeOf(anchor.at, zone), zone) };
}

/**
 * Returns the last phase that has begun at `at`. After the end of a final FIXEDTERM phase, this is still that phase (§5
 * rule 2).
 */
export function currentPhase(timeline: readonly PhaseStart[], at: Instant): PhaseStart | undefined {
  return timeline.findLast((entry) => entry.start.at <= at);
}

/** Returns the first phase that begins after `at` (§5 rule 2). */
export function nextPhase(timeline: readonly PhaseStart[], at: Instant): PhaseStart | undefined {
  return timeline.find((entry) => entry.start.at > at);
}

function phasesFrom(plan: Plan, firstPhaseType: PhaseType | null): readonly PlanPhase[] {
  if (firstPhaseType === null) return plan.phases;
  const index = plan.phases.findIndex((phase) => phase.type === firstPhaseType);
  if (index >= 0) return plan.phases.slice(index);
  throw billingError(
    ErrorCode.SUBSCRIPTION_CREATE_BAD_PHASE,
    `Plan ${plan.name} has no phase of type ${firstPhaseType}; it has ${plan.phases.map((phase) => phase.type).join(', ')}`,
    { planName: plan.name, phaseType: firstPhaseType },
  );
}

/** Returns the date from which the phases of a new subscription are measured (§5 rule 3). */
export function createAnchor(
  alignment: PlanAlignmentCreate,
  origins: Pick<Subscription, 'alignStart' | 'bundleStart'>,
): DatedInstant {
  switch (alignment) {
    case PlanAlignmentCreate.START_OF_SUBSCRIPTION:
      return origins.alignStart;
    case PlanAlignmentCreate.START_OF_BUNDLE:
      return origins.bundleStart;
    default:
      return neverAlignment(alignment);
  }
}

interface ChangeOriginInput {
  readonly alignment: PlanAlignmentChange;
  readonly origins: Pick<Subscription, 'alignStart' | 'bundleStart'>;
  readonly transitions: readonly Transition[];
  readonly effective: DatedInstant;
  readonly plan: Plan;
  readonly priceListName: string;
  readonly phaseType: PhaseType | null;
}

/**
 * Returns the date from which phases are measured after a change of plan (§5 rule 4). A null `firstPhaseType` means
 * the plan's first phase.
 */
export function changeOrigin(
  input: ChangeOriginInput,
): Pick<PhaseTimelineInput, 'anchor' | 'firstPhaseType'> {
  const { alignment, origins, effective, phaseType } = input;
  switch (alignment) {
    case PlanAlignmentChange.START_OF_SUBSCRIPTION:
      return { anchor: origins.alignStart, firstPhaseType: phaseType ?? startingPhaseType(input) };
    case PlanAlignmentChange.START_OF_BUNDLE:
      return { anchor: origins.bundleStart, firstPhaseType: phaseType ?? startingPhaseType(input) };
    case PlanAlignmentChange.CHANGE_OF_PLAN:
      return { anchor: effective, firstPhaseType: phaseType };
    case PlanAlignmentChange.CHANGE_OF_PRICELIST:
      return { anchor: priceListStart(input), firstPhaseType: phaseType };
    default:
      return neverAlignment(alignment);
  }
}

/** Returns the type of the subscription's first phase, or null if the new plan has no phase of that type. */
function startingPhaseType({ transitions, plan }: ChangeOriginInput): PhaseType | null {
  const first = transitions[0]?.next?.phase.type ?? null;
  return plan.phases.some(({ type }) => type === first) ? first : null;
}

/**
 * Returns the date since which the subscription has had the target price list. This is the date of the current change,
 * or of an earlier choice of plan.
 */
function priceListStart({ transitions, effective, priceListName }: ChangeOriginInput): DatedInstant {
  const choices = transitions.filter(
    ({ event }, index) => isPlanChoice(event) && (index === 0 || event.effective.at < effective.at),
  );
  let start = effective;
  for (const choice of choices.toReversed()) {
    if (choice.event.priceListName !== priceListName) break;
    start = choice.event.effective;
  }
  return start;
}

function neverAlignment(alignment: never): never {
  throw new Error(`Unknown plan alignment ${String(alignment)}`);
}

type Calendar = Pick<Account, 'timeZone' | 'referenceTime'>;

/**
 * Returns the instant of a requested date (§2 rules 2 to 5). A local date means the reference time of that day. No date
 * means now. Instants are truncated to seconds.
 * @throws BillingError INVALID_PARAMETER (60002) for a date too far from today.
 */
export function datedInstant(
  requested: RequestedDate | null | undefined,
  now: Instant,
  account: Calendar,
): DatedInstant {
  const today = localDateOf(now, account.timeZone);
  if (requested && 'date' in requested) {
    checkReach(requested.date, today);
    return atReferenceTime(requested.date, account);
  }
  const at = truncateToSecond(requested?.at ?? now);
  // Use the UTC day, because at the end of the calendar an instant has no day in some zones.
  checkReach(localDateOf(at, UTC), today);
  return { at, date: localDateOf(at, account.timeZone) };
}

function checkReach(date: LocalDate, today: LocalDate): void {
  if (Math.abs(yearOf(date) - yearOf(today)) <= MAX_REQUESTED_DATE_YEARS) return;
  throw invalidParameter(
    `${formatLocalDate(date)} is more than ${MAX_REQUESTED_DATE_YEARS} years from today, ${formatLocalDate(today)}`,
    { date: formatLocalDate(date) },
  );
}

/** Returns the instant on `date` at the time of day of the account's reference time (§2 rule 2, `toInstant`). */
export function atReferenceTime(date: LocalDate, account: Calendar): DatedInstant {
  const time = localTimeOf(account.referenceTime, account.timeZone);
  return { date, at: instantAt(date, time, account.timeZone) };
}

/**
 * Returns the later of `dated` and `bound`. The local date of the result is never before the local date of `bound` (§2
 * rule 8).
 */
export function raiseTo(dated: DatedInstant, bound: DatedInstant): DatedInstant {
  if (dated.at < bound.at) return bound;
  return { at: dated.at, date: maxDate(dated.date, bound.date) };
}
