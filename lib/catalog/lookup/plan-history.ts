import { MAX_YEAR } from '../../values/limits.ts';
import { Decimal } from '../../values/money/index.ts';
import {
  addDays,
  BillingPeriod,
  calendarDayOf,
  type DatedInstant,
  type Instant,
  instant,
  type LocalDate,
  localDateOf,
  maxDate,
  periodLength,
  type TimeZone,
} from '../../values/time/index.ts';
import type { Plan, PlanPhase } from '../model/catalog-model.ts';
import type { Part } from '../model/part.ts';
import type { CatalogVersion } from './catalog-version.ts';

/** Consecutive versions with the same plan, by version index. */
interface Run {
  readonly part: Part<Plan>;
  readonly first: number;
  last: number;
}

/** The runs of one plan, sorted. Their start indexes are next to each other in memory, which makes searches fast. */
interface PlanRunList {
  readonly runs: Run[];
  readonly firsts: number[];
}

const none: PlanRunList = Object.freeze({ runs: [], firsts: [] });

/** The versions of each plan. Searching them does not decode plans. */
export class PlanRuns {
  readonly #runs = new Map<string, PlanRunList>();
  readonly #dated = new Map<string, PlanRunList>();

  constructor(versions: readonly CatalogVersion[]) {
    versions.forEach((version, index) => {
      for (const part of version.planParts.parts) this.#add(part, index);
    });
  }

  has(planName: string): boolean {
    return this.#runs.has(planName);
  }

  /**
   * Returns the index of the version that supplies a plan according to §6.2, or undefined if none exists.
   * @param at Index of the version in force at the instant.
   * @param anchor Index of the version in force at the last plan change, or of the first version.
   */
  indexFor(planName: string, time: { at: number; anchor: number; instant: Instant }): number | undefined {
    return (
      this.#findChangeForExisting(planName, time) ??
      this.#findUpToAnchor(planName, Math.min(time.at, time.anchor)) ??
      this.#fallback(planName, time.at)
    );
  }

  /**
   * Returns the later versions that change a plan for existing subscriptions, without duplicates. Stops at the first
   * version without the plan (§6.4 rule 2).
   */
  changedAfter(planName: string, index: number): readonly number[] {
    if (!this.#dated.has(planName)) return [];
    const { runs, firsts } = this.#runs.get(planName) ?? none;
    const changed: number[] = [];
    let position = latestBy(firsts, index);
    let end = Math.max(index, runs[position]?.last ?? index);
    for (position += 1; runs[position]?.first === end + 1; position += 1) {
      const run = runs[position];
      if (run === undefined) break;
      if (run.part.forExisting !== null) changed.push(run.first);
      end = run.last;
    }
    return changed;
  }

  #add(part: Part<Plan>, index: number): void {
    const list = listIn(this.#runs, part.name);
    const latest = list.runs.at(-1);
    if (latest?.part === part && latest.last >= index - 1) {
      latest.last = index;
      return;
    }
    const run = { part, first: index, last: index };
    add(list, run);
    if (part.forExisting !== null) add(listIn(this.#dated, part.name), run);
  }

  /** Returns the latest version after the anchor whose date for existing subscriptions has passed (rule 4). */
  #findChangeForExisting(
    planName: string,
    { at, anchor, instant }: { at: number; anchor: number; instant: Instant },
  ): number | undefined {
    const { runs, firsts } = this.#dated.get(planName) ?? none;
    for (let position = latestBy(firsts, at); position >= 0; position -= 1) {
      const run = runs[position];
      if (run === undefined || Math.min(run.last, at) <= anchor) return undefined;
      if (run.part.forExisting !== null && run.part.forExisting <= instant) return Math.min(run.last, at);
    }
    return undefined;
  }

  /** Returns the latest version, up to the anchor, that contains the plan (rule 3). */
  #findUpToAnchor(planName: string, anchor: number): number | undefined {
    const { runs, firsts } = this.#runs.get(planName) ?? none;
    const run = runs[latestBy(firsts, anchor)];
    return run && Math.min(run.last, anchor);
  }

  /** Returns the latest version that contains the plan but no date for existing subscriptions (rule 5). */
  #fallback(planName: string, at: number): number | undefined {
    const { runs, firsts } = this.#runs.get(planName) ?? none;
    for (let position = latestBy(firsts, at); position >= 0; position -= 1) {
      const run = runs[position];
      if (run?.part.forExisting === null) return Math.min(run.last, at);
    }
    return undefined;
  }
}

function listIn(map: Map<string, PlanRunList>, name: string): PlanRunList {
  const known = map.get(name);
  if (known !== undefined) return known;
  const list = { runs: [], firsts: [] };
  map.set(name, list);
  return list;
}

function add({ runs, firsts }: PlanRunList, run: Run): void {
  runs.push(run);
  firsts.push(run.first);
}

/** Returns the index of the last run that begins at or before a version, or −1. */
function latestBy(firsts: readonly number[], index: number): number {
  let low = -1;
  let high = firsts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((firsts[middle] ?? 0) <= index) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * An instant in the last year of the calendar. Price changes in that year never take effect, because their local dates
 * could be outside the calendar.
 */
const NEVER = instant(Date.UTC(MAX_YEAR, 0, 1));

export interface ChosenPlan {
  readonly planName: string;
  readonly effective: Pick<DatedInstant, 'at'>;
  /** Time at which the choice of the plan was recorded. Defaults to now. */
  readonly decided?: Instant;
}

/** A CREATE, TRANSFER or CHANGE (`PLAN`) or a PHASE event, with the phase that §6.2 determines. */
export interface PlanStep extends ChosenPlan {
  readonly kind: 'PLAN' | 'PHASE';
  readonly effective: DatedInstant;
  readonly phase: PlanPhase;
}

/** A CANCEL or EXPIRED. */
export interface PlanEnd {
  readonly kind: 'END';
  readonly effective: DatedInstant;
}

/** The transitions of one subscription in time order. Excludes transitions that change neither plan nor phase. */
export interface PlanTimeline {
  readonly steps: readonly (PlanStep | PlanEnd)[];
  readonly zone: TimeZone;
}

export interface RecurringStep {
  readonly step: PlanStep;
  readonly period: BillingPeriod;
}

/** Moves price changes to the start of a period (§6.4 rule 5). */
export interface PriceChangeAlignment {
  /** Returns the start of the subscription's first recurring period on or after the date. */
  periodStartFrom(date: LocalDate, recurring: RecurringStep): LocalDate;
  /** Returns the instant of a local date, as `toInstant` does (subscriptions §2 rule 2). */
  dated(date: LocalDate): DatedInstant;
}

/** The time from which the prices of a version apply to a subscription. Fixed prices are not charged a second time. */
export interface PriceChangeEvent {
  readonly effective: DatedInstant;
  readonly version: CatalogVersion;
  readonly plan: Plan;
  readonly phase: PlanPhase;
}

interface PlanOfVersion {
  readonly version: CatalogVersion;
  readonly plan: Plan;
}

/**
 * Returns the later versions that change the plan for existing subscriptions, sorted by date. Stops at the first
 * version without the plan.
 */
type PlansChangedAfter = (choice: ChosenPlan) => readonly PlanOfVersion[];

/**
 * Returns the price changes of one subscription in date order (§6.4). As in §6.2, a version has no effect if a newer
 * version has the same or an earlier date.
 */
export function priceChangeEvents(
  plansChangedAfter: PlansChangedAfter,
  { steps, zone }: PlanTimeline,
  alignment?: PriceChangeAlignment,
): readonly PriceChangeEvent[] {
  let later: readonly PlanOfVersion[] = [];
  return steps.flatMap((step, index) => {
    if (step.kind === 'END') return [];
    if (step.kind === 'PLAN') later = plansChangedAfter(step);
    if (later.length === 0) return [];
    const until = steps[index + 1]?.effective.at ?? Number.POSITIVE_INFINITY;
    const proposals = later.flatMap((found) => proposalOf(found, { step, zone, alignment }) ?? []);
    const within = withoutOutdated(proposals).filter(
      ({ effective: { at } }) => at >= step.effective.at && at < until,
    );
    return withOtherPrices(within, step.phase);
  });
}

interface ProposalContext {
  readonly step: PlanStep;
  readonly zone: TimeZone;
  readonly alignment: PriceChangeAlignment | undefined;
}

function proposalOf(
  { version, plan }: PlanOfVersion,
  { step, zone, alignment }: ProposalContext,
): PriceChangeEvent | undefined {
  const date = plan.effectiveDateForExistingSubscriptions;
  const phase = plan.phases.find(({ type }) => type === step.phase.type);
  if (date === null || date >= NEVER || phase === undefined) return undefined;
  const localDate = localDateOf(date, zone);
  const effective =
    alignment === undefined
      ? { at: date, date: maxDate(localDate, step.effective.date) }
      : alignedDate({ at: date, date: localDate }, step, alignment);
  return effective === undefined ? undefined : { effective, version, plan, phase };
}

/**
 * Returns the start of the period in which a price change takes effect, or undefined if that date is outside the phase
 * or the calendar.
 */
function alignedDate(
  change: DatedInstant,
  step: PlanStep,
  alignment: PriceChangeAlignment,
): DatedInstant | undefined {
  const period = step.phase.recurring?.billingPeriod ?? BillingPeriod.NO_BILLING_PERIOD;
  if (period === BillingPeriod.NO_BILLING_PERIOD) return undefined;
  const { unit, number } = periodLength(period);
  const mostYears = unit === 'MONTHS' ? Math.ceil(number / 12) : 1;
  if (calendarDayOf(change.date).year + mostYears > MAX_YEAR) return undefined;
  const periodStart = (date: LocalDate): LocalDate => alignment.periodStartFrom(date, { step, period });
  const aligned = periodStart(change.date);
  const effective = alignment.dated(aligned);
  return effective.at >= step.effective.at ? effective : alignment.dated(periodStart(addDays(aligned, 1)));
}

/** Returns the proposals, in order, that are earlier than all proposals of newer versions (§6.4 rule 6). */
function withoutOutdated(proposals: readonly PriceChangeEvent[]): readonly PriceChangeEvent[] {
  const kept: PriceChangeEvent[] = [];
  for (const proposal of proposals.toReversed()) {
    const next = kept.at(-1);
    if (next === undefined || proposal.effective.at < next.effective.at) kept.push(proposal);
  }
  return kept.reverse();
}

/** Omits events that do not change the prices in force (§6.4 rule 8). */
function withOtherPrices(
  proposals: readonly PriceChangeEvent[],
  begun: PlanPhase,
): readonly PriceChangeEvent[] {
  let inForce = begun;
  return proposals.filter(({ phase }) => {
    if (hasSamePrices(inForce, phase)) return false;
    inForce = phase;
    return true;
  });
}

/** Returns true if two phases have the same recurring section and the same usages (§6.4 rule 8). */
function hasSamePrices(one: PlanPhase, other: PlanPhase): boolean {
  if (one === other) return true;
  return isSameValue(one.recurring, other.recurring) && isSameValue(one.usages, other.usages);
}

/** Compares plain data. Written decimals are compared by value. */
function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (one instanceof Decimal || other instanceof Decimal) {
    return one instanceof Decimal && other instanceof Decimal && one.equals(other);
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (one.value instanceof Decimal && 'text' in one) return isSameValue(one.value, other.value);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
