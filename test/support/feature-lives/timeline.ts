import { addMonths, type Day } from '../coupon-lives/calendar.ts';
import { type LifePhase, type LifeProduct, type PlanName, phasesOf, planOf, productOf } from './catalog.ts';
import { dayIn, instantOf, type Ms, timeIn } from './zones.ts';

/** An instant and its local date. */
export interface Moment {
  readonly at: Ms;
  readonly day: Day;
}

/** The start of a phase: at the start of the plan (`isPlanStart`), or later. */
interface PhaseStart extends Moment {
  readonly isPlanStart: boolean;
  readonly planName: PlanName;
  readonly phase: LifePhase;
}

/** Every start of a bill cycle. */
export interface CycleStart extends Moment {
  readonly planName: PlanName;
  readonly phase: LifePhase;
  readonly billCycleDay: number | null;
  /** True if the bill cycle day changes. */
  readonly isMoved: boolean;
}

interface Quantity {
  readonly at: Ms;
  readonly quantity: number;
}

interface BillCycleDay extends Moment {
  readonly billCycleDay: number;
}

export interface Ends {
  readonly service: Ms;
  readonly billing: Ms;
}

export interface InForce {
  readonly planName: PlanName;
  readonly phase: LifePhase;
  readonly quantity: number;
}

/** The plans, phases, quantities and bill cycle days of one subscription. Ends of add-ons come from their base, too. */
export class Timeline {
  readonly zone: string;
  readonly start: Moment;
  readonly product: LifeProduct;
  #phases: readonly PhaseStart[] = [];
  #quantities: readonly Quantity[];
  #billCycleDays: readonly BillCycleDay[] = [];
  #ends: Ends | null = null;
  #expiry: Ms | null = null;

  constructor(planName: PlanName, { zone, quantity, at }: { zone: string; quantity: number; at: Ms }) {
    this.zone = zone;
    this.start = { at, day: dayIn(at, zone) };
    this.product = productOf(planOf(planName).product);
    this.#quantities = [{ at, quantity }];
    this.#startPlan(planName, this.start);
  }

  changePlan(planName: PlanName, moment: Moment): void {
    this.#phases = this.#phases.filter(({ at }) => at < moment.at);
    this.#startPlan(planName, moment);
  }

  changeQuantity(quantity: number, at: Ms): void {
    this.#quantities = [...this.#quantities, { at, quantity }];
  }

  changeBillCycleDay(billCycleDay: number, moment: Moment): void {
    const days = [...this.#billCycleDays, { ...moment, billCycleDay }];
    this.#billCycleDays = days.toSorted((a, b) => a.at - b.at);
  }

  /** Ends the subscription. The end of billing withdraws all later changes. */
  cancel(ends: Ends): void {
    const isKept = ({ at }: { readonly at: Ms }) => at < ends.billing || at === this.start.at;
    this.#phases = this.#phases.filter(isKept);
    this.#quantities = this.#quantities.filter(isKept);
    this.#billCycleDays = this.#billCycleDays.filter(isKept);
    this.#expiry = null;
    this.#ends = ends;
  }

  get ends(): Ends | null {
    return this.#ends ?? (this.#expiry === null ? null : { service: this.#expiry, billing: this.#expiry });
  }

  get isCancelled(): boolean {
    return this.#ends !== null;
  }

  /** Instants of plan changes after the start, with the new plans. */
  get changes(): readonly { readonly at: Ms; readonly planName: PlanName }[] {
    return this.#phases.filter(({ isPlanStart, at }) => isPlanStart && at > this.start.at);
  }

  /** The plan, phase and quantity at an instant that is not before the start. */
  at(at: Ms): InForce {
    const last = this.#phases.findLast((each) => each.at <= at);
    const quantity = this.#quantities.findLast((each) => each.at <= at)?.quantity;
    if (last === undefined || quantity === undefined) throw new Error('The subscription has not started');
    return { planName: last.planName, phase: last.phase, quantity };
  }

  /** Returns the bill cycle starts: plans, phases and changes of the bill cycle day, also planned ones. */
  get cycleStarts(): readonly CycleStart[] {
    const starts = this.#phases.map((each) => {
      const billCycleDay = this.#billCycleDayAt(each.at);
      return { ...each, billCycleDay, isMoved: false };
    });
    const moves = this.#billCycleDays.map((each) => ({ ...each, ...this.at(each.at), isMoved: true }));
    // At the same instant, the move comes first: a phase that starts with it has the new day already.
    return [...moves, ...starts].toSorted((a, b) => a.at - b.at);
  }

  #billCycleDayAt(at: Ms): number | null {
    return this.#billCycleDays.findLast((each) => each.at <= at)?.billCycleDay ?? null;
  }

  #startPlan(planName: PlanName, moment: Moment): void {
    const time = timeIn(moment.at, this.zone);
    this.#expiry = null;
    let next = moment;
    for (const phase of phasesOf(planName)) {
      this.#phases = [...this.#phases, { ...next, isPlanStart: next === moment, planName, phase }];
      if (phase.duration === undefined) return;
      const { unit, number } = phase.duration;
      const day = unit === 'DAYS' ? next.day + number : addMonths(next.day, number);
      next = { at: instantOf(day, time, this.zone), day };
    }
    this.#expiry = next.at;
  }
}
