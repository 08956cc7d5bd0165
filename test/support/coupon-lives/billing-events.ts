import { addMonths, type Day } from './calendar.ts';
import { type ModelPhase, type ModelPlan, modelPlans, type PlanName } from './plans.ts';

/** Minutes since 1970-01-01. */
export type Minute = number;

const MINUTES_PER_DAY = 1_440;
export const dayAt = (minute: Minute): Day => Math.floor(minute / MINUTES_PER_DAY);
export const minuteAt = (day: Day, minute = 0): Minute => day * MINUTES_PER_DAY + minute;

export type TransitionType = 'CREATE' | 'CHANGE' | 'PHASE' | 'QUANTITY' | 'CANCEL';

export interface Transition {
  readonly at: Minute;
  readonly type: TransitionType;
  readonly planName: PlanName;
  readonly phase: ModelPhase;
  readonly quantity: number;
}

/** The start or the end of a pause. */
interface Edge extends Transition {
  readonly edge: 'PAUSE' | 'RESUME';
}

/** A billing event of invoicing §4. */
export interface ModelEvent {
  readonly day: Day;
  readonly type: TransitionType | 'PAUSE' | 'RESUME';
  readonly planName: PlanName;
  readonly phase: ModelPhase;
  readonly quantity: number;
  readonly fixed: string | null;
  readonly recurring: string | null;
  /** The cycle start A of invoicing §5.2. */
  readonly cycleStart: Day;
}

export interface Pause {
  readonly from: Minute;
  readonly until: Minute | null;
}

const STARTS: readonly string[] = ['CREATE', 'CHANGE', 'PHASE'];

export const planOf = (name: PlanName): ModelPlan => modelPlans[name];

/** The plan, the phases and the quantity of one subscription over time. */
export class Timeline {
  readonly begun: Minute;
  readonly #firstPhase: ModelPhase['type'];
  #transitions: readonly Transition[] = [];
  #pauses: readonly Pause[] = [];

  constructor(planName: PlanName, quantity: number, at: Minute) {
    this.begun = at;
    this.#firstPhase = phasesOf(planName)[0]?.type ?? 'EVERGREEN';
    this.#start({ at, type: 'CREATE', planName, quantity });
  }

  changePlan(planName: PlanName, at: Minute): void {
    const { quantity } = this.current(at);
    this.#transitions = this.#transitions.filter((each) => each.at < at);
    this.#start({ at, type: 'CHANGE', planName, quantity });
  }

  changeQuantity(quantity: number, at: Minute): void {
    const { planName, phase } = this.current(at);
    const change: Transition = { at, type: 'QUANTITY', planName, phase, quantity };
    const later = this.#transitions.filter((each) => each.at > at);
    const earlier = this.#transitions.filter((each) => each.at <= at);
    this.#transitions = [...earlier, change, ...later.map((each) => ({ ...each, quantity }))];
  }

  cancel(at: Minute): void {
    const last = this.current(at);
    this.#transitions = [
      ...this.#transitions.filter((each) => each.at < at),
      { ...last, at, type: 'CANCEL' },
    ];
  }

  pause(from: Minute): void {
    this.#pauses = [...this.#pauses, { from, until: null }];
  }

  resume(until: Minute): void {
    this.#pauses = this.#pauses.map((each) => (each.until === null ? { ...each, until } : each));
  }

  get isPaused(): boolean {
    return this.#pauses.some(({ until }) => until === null);
  }

  /** The minute at which billing ends. Null without a cancellation. */
  get end(): Minute | null {
    return this.#transitions.find(({ type }) => type === 'CANCEL')?.at ?? null;
  }

  current(at: Minute): Transition {
    const current = this.#transitions.findLast((each) => each.at <= at);
    if (current === undefined) throw new Error('The subscription has not started');
    return current;
  }

  /** Returns the transition in force, or the first one before the start. */
  at(minute: Minute): Transition {
    return this.current(Math.max(minute, this.begun));
  }

  /** Returns the billing events without the paused time (subscriptions §19.3). */
  events(): readonly ModelEvent[] {
    let kept: readonly (Transition | Edge)[] = this.#transitions;
    for (const { from, until } of this.#pauses) {
      const before = this.#transitions.findLast((each) => each.at < from);
      const isShort = until !== null && until < from + MINUTES_PER_DAY;
      if (isShort || before === undefined || before.type === 'CANCEL') continue;
      const resumption = this.#resumption(until);
      const earlier = kept.filter((each) => each.at < from);
      const later = kept.filter((each) => until !== null && each.at >= until);
      kept = [...earlier, { ...before, at: from, edge: 'PAUSE' }, ...resumption];
      if (resumption.length > 0) kept = [...kept, ...later];
    }
    return withCycles(kept.map((each) => this.#eventOf(each)));
  }

  #resumption(until: Minute | null): readonly Edge[] {
    if (until === null) return [];
    const last = this.#transitions.findLast((each) => each.at < until);
    if (last === undefined || last.type === 'CANCEL') return [];
    return [{ ...last, at: until, edge: 'RESUME' }];
  }

  #eventOf(of: Transition | Edge): Omit<ModelEvent, 'cycleStart'> {
    const { at, planName, phase, quantity } = of;
    const type = 'edge' in of ? of.edge : of.type;
    const isOff = type === 'CANCEL' || type === 'PAUSE';
    const hasFixed = STARTS.includes(type) || (type === 'RESUME' && this.#isStartPaused(at));
    return {
      day: dayAt(at),
      type,
      planName,
      phase,
      quantity,
      fixed: hasFixed ? phase.fixed : null,
      recurring: isOff ? null : phase.recurring,
    };
  }

  /** Returns true if the phase in force at the resumption started during the pause (invoicing §4 rule 3). */
  #isStartPaused(until: Minute): boolean {
    const pause = this.#pauses.find((each) => each.until === until);
    const start = this.#transitions.findLast((each) => each.at < until && STARTS.includes(each.type));
    return pause !== undefined && start !== undefined && start.at >= pause.from;
  }

  /** Adds the start of a plan and its later phases, which are aligned with the creation. */
  #start({ at, type, planName, quantity }: Omit<Transition, 'phase'>): void {
    const phases = this.#phasesFrom(planName);
    const now = phases.findLast(({ start }) => start <= at) ?? phases[0];
    if (now === undefined) throw new Error(`Plan "${planName}" has no phases`);
    const later = phases.filter(({ start }) => start > at);
    this.#transitions = [
      ...this.#transitions,
      { at, type, planName, quantity, phase: now.phase },
      ...later.map(({ start, phase }) => ({ at: start, type: 'PHASE' as const, planName, quantity, phase })),
    ];
  }

  #phasesFrom(planName: PlanName): readonly { readonly start: Minute; readonly phase: ModelPhase }[] {
    const all = phasesOf(planName);
    const first = Math.max(
      0,
      all.findIndex(({ type }) => type === this.#firstPhase),
    );
    let start = this.begun;
    return all.slice(first).map((phase) => {
      const begun = start;
      start = endOf(phase, begun);
      return { start: begun, phase };
    });
  }
}

const phasesOf = (planName: PlanName): readonly ModelPhase[] => planOf(planName).phases;

function endOf({ length }: ModelPhase, start: Minute): Minute {
  if (length === null) return start;
  const { unit, number } = length;
  const day = dayAt(start);
  return minuteAt(unit === 'DAYS' ? day + number : addMonths(day, number), start - minuteAt(day));
}

/** Adds the cycle starts: a change of quantity keeps the cycle of the event before it (invoicing §5.2 rule 5). */
function withCycles(events: readonly Omit<ModelEvent, 'cycleStart'>[]): readonly ModelEvent[] {
  const all: ModelEvent[] = [];
  for (const event of events) {
    const previous = all.at(-1);
    const isKept = event.type === 'QUANTITY' && previous !== undefined && previous.recurring !== null;
    all.push({ ...event, cycleStart: isKept ? previous.cycleStart : event.day });
  }
  return all;
}
