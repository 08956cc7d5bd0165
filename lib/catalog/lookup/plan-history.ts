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

/** Consecutive versions, by their index in the catalog, that hold the same plan. */
interface Run {
  readonly part: Part<Plan>;
  readonly first: number;
  last: number;
}

/** Runs of one plan, ascending; beginnings side by side, so that a search stays in the processor's cache. */
interface PlanRunList {
  readonly runs: Run[];
  readonly firsts: number[];
}

const none: PlanRunList = Object.freeze({ runs: [], firsts: [] });

/** Where in a catalog each plan occurs. This is all that a search through its versions needs, without decoding any plan. */
export class PlanRuns {
  readonly #runs = new Map<string, PlanRunList>();
  /** The runs whose plan sets a date for existing subscriptions. */
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
   * Index of the version that supplies a plan by §6.2, undefined if none does.
   * @param at index of the version in force at the instant asked about.
   * @param anchor index of the version in force at the last plan change; the first one if the change was before that.
   */
  indexFor(planName: string, time: { at: number; anchor: number; instant: Instant }): number | undefined {
    return (
      this.#changedForExisting(planName, time) ??
      this.#kept(planName, Math.min(time.at, time.anchor)) ??
      this.#fallback(planName, time.at)
    );
  }

  /**
   * Indexes of later versions that change a plan for existing subscriptions, up to the first without it (§6.4 rule
   * 2); repetitions are left out.
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

  /** Rule 4: the latest version after the anchor whose date for existing subscriptions is reached. */
  #changedForExisting(
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

  /** Rule 3: the latest version up to the anchor that has the plan. */
  #kept(planName: string, anchor: number): number | undefined {
    const { runs, firsts } = this.#runs.get(planName) ?? none;
    const run = runs[latestBy(firsts, anchor)];
    return run && Math.min(run.last, anchor);
  }

  /** Rule 5: the latest version that has the plan and sets no date for existing subscriptions. */
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

/** Position of the last run that begins at or before a version; −1 if there is none. */
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

/** A price change in the last year of the calendar never comes: in a zone ahead of UTC it could lie beyond the calendar. */
const NEVER = instant(Date.UTC(MAX_YEAR, 0, 1));

/** A plan that a subscription was put on. */
export interface ChosenPlan {
  readonly planName: string;
  readonly effective: Pick<DatedInstant, 'at'>;
  /** When that was recorded, whatever its date; default now. */
  readonly decided?: Instant;
}

/** A CREATE, TRANSFER or CHANGE (`PLAN`) or a PHASE, with the phase that it brings as §6.2 resolves it. */
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

/** What price changes depend on: one subscription's transitions in time order, without those that keep plan and phase. */
export interface PlanTimeline {
  readonly steps: readonly (PlanStep | PlanEnd)[];
  /** Zone of the account. */
  readonly zone: TimeZone;
}

/** A step whose phase recurs, and in which period. */
export interface RecurringStep {
  readonly step: PlanStep;
  readonly period: BillingPeriod;
}

/** How price changes move to the starts of recurring periods (§6.4 rule 5). */
export interface PriceChangeAlignment {
  /** The first start of a recurring period of the subscription on or after a date that the step governs. */
  periodStartFrom(date: LocalDate, recurring: RecurringStep): LocalDate;
  /** `toInstant` of a local date (subscriptions §2 rule 2). */
  dated(date: LocalDate): DatedInstant;
}

/** From here on the subscription pays what this version says. Only prices change: no fixed price is charged again. */
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
 * The versions after a choice that change its plan for existing subscriptions, up to the first without it; ascending.
 */
type PlansChangedAfter = (choice: ChosenPlan) => readonly PlanOfVersion[];

/**
 * The price changes for one existing subscription, in date order (§6.4). A version whose date is not before that of a
 * newer one changes nothing, as in §6.2.
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

/** The start of the period to which a price change moves; undefined if the phase has none, or the calendar. */
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

/** In date order, without those that do not come before the proposals of all newer versions (§6.4 rule 6). */
function withoutOutdated(proposals: readonly PriceChangeEvent[]): readonly PriceChangeEvent[] {
  const kept: PriceChangeEvent[] = [];
  for (const proposal of proposals.toReversed()) {
    const next = kept.at(-1);
    if (next === undefined || proposal.effective.at < next.effective.at) kept.push(proposal);
  }
  return kept.reverse();
}

/** §6.4 rule 8. */
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

/** True if two phases charge the same from day to day: recurring section and usages (§6.4 rule 8). */
function hasSamePrices(one: PlanPhase, other: PlanPhase): boolean {
  if (one === other) return true;
  return isSameValue(one.recurring, other.recurring) && isSameValue(one.usages, other.usages);
}

/** Plain data with decimals; a written decimal counts by its value. */
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
