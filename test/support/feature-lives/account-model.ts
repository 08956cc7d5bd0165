import { type Day, dayInMonth } from '../coupon-lives/calendar.ts';
import { type Block, isServiceBlocked, unbilledIntervals } from './blocks.ts';
import {
  type FeatureName,
  type LifePhase,
  type LifeValue,
  type PlanName,
  phaseNameOf,
  planOf,
  productOf,
} from './catalog.ts';
import { type ModelOverride, overrideAt } from './overrides.ts';
import type { Cycle } from './quota-periods.ts';
import type { InForce, Timeline } from './timeline.ts';
import { dayIn, type Ms } from './zones.ts';

export interface ModelSubscription {
  readonly place: number;
  readonly timeline: Timeline;
  readonly bundle: number;
  /** Place of the base subscription. Null if this is not an add-on. */
  readonly base: number | null;
}

/** The value of a feature that a subscription or an override gives to the account. */
export interface Contribution {
  /** Place of the subscription. Null for an override on the account. */
  readonly subscription: number | null;
  readonly planName: PlanName | null;
  readonly phaseName: string | null;
  readonly override: ModelOverride | null;
  readonly quantity: number;
  readonly value: LifeValue;
}

/** The subscriptions, blocks and overrides of one account, and what they contribute at an instant (features §1, §2). */
export class AccountModel {
  readonly zone: string;
  readonly subscriptions: ModelSubscription[] = [];
  billCycleDay: number;
  blocks: readonly Block[] = [];
  overrides: readonly ModelOverride[] = [];

  readonly #created: Day;

  constructor(zone: string, { billCycleDay, created }: { billCycleDay: number; created: Ms }) {
    this.zone = zone;
    this.billCycleDay = billCycleDay;
    this.#created = dayIn(created, zone);
  }

  add(timeline: Timeline, base: number | null): ModelSubscription {
    const place = this.subscriptions.length;
    const bundle = base === null ? place : this.subscriptionAt(base).bundle;
    const subscription = { place, timeline, bundle, base };
    this.subscriptions.push(subscription);
    return subscription;
  }

  subscriptionAt(place: number): ModelSubscription {
    const subscription = this.subscriptions[place];
    if (subscription === undefined) throw new Error(`No subscription at place ${place}`);
    return subscription;
  }

  contributions(feature: FeatureName, at: Ms): readonly Contribution[] {
    const override = overrideAt(this.overrides, { subscription: null, feature }, at);
    if (override !== undefined)
      return [
        {
          subscription: null,
          planName: null,
          phaseName: null,
          override,
          quantity: 1,
          value: override.value,
        },
      ];
    return this.oldestFirst()
      .filter((each) => this.isInService(each, at))
      .flatMap((each) => this.#contributionOf(each, feature, at) ?? []);
  }

  oldestFirst(): readonly ModelSubscription[] {
    return this.subscriptions.toSorted(
      (a, b) => a.timeline.start.at - b.timeline.start.at || a.place - b.place,
    );
  }

  isInService({ place, bundle, timeline, base }: ModelSubscription, at: Ms): boolean {
    const ends = [timeline.ends?.service, base === null ? undefined : this.#endByBase(place, 'service')];
    const isEnded = ends.some((end) => end !== undefined && end <= at);
    if (timeline.start.at > at || isEnded) return false;
    return !isServiceBlocked(this.blocks, { bundle, subscription: place }, at);
  }

  /** Returns true if usage of the unit at the instant is charged (usage §6). */
  isUsageBilled({ place, bundle, timeline, base }: ModelSubscription, at: Ms): boolean {
    const ends = [timeline.ends?.billing, base === null ? undefined : this.#endByBase(place, 'billing')];
    if (at < timeline.start.at || ends.some((end) => end !== undefined && end < at)) return false;
    const intervals = unbilledIntervals(this.blocks, { bundle, subscription: place });
    const isBlocked = intervals.some(({ from, until }) => from <= at && at < until);
    return !isBlocked && timeline.at(at).phase.usages !== undefined;
  }

  /** Returns the bill cycles of a subscription, or the only cycle of the account. */
  cycles(subscription: number | null): readonly Cycle[] {
    if (subscription === null)
      return [
        {
          day: this.#created,
          phase: ACCOUNT_PHASE,
          billCycleDay: this.billCycleDay,
          isMoved: false,
        },
      ];
    const { timeline } = this.subscriptionAt(subscription);
    const own = timeline.product.category === 'STANDALONE' ? dayInMonth(timeline.start.day) : null;
    return timeline.cycleStarts.map(({ day, phase, billCycleDay, isMoved }) => ({
      isMoved,
      day,
      phase,
      billCycleDay: billCycleDay ?? own ?? this.billCycleDay,
    }));
  }

  #contributionOf(
    { place, timeline }: ModelSubscription,
    feature: FeatureName,
    at: Ms,
  ): Contribution | undefined {
    const inForce = timeline.at(at);
    const override = overrideAt(this.overrides, { subscription: place, feature }, at);
    const value = override?.value ?? catalogValue(inForce, feature);
    if (value === undefined) return undefined;
    const { planName, phase, quantity } = inForce;
    const phaseName = phaseNameOf(planName, phase);
    return { subscription: place, planName, phaseName, override: override ?? null, quantity, value };
  }

  /** The end of an add-on by the end of its base, or by a change to a base product without the add-on. */
  #endByBase(place: number, of: 'service' | 'billing'): Ms | undefined {
    const { timeline, base } = this.subscriptionAt(place);
    const { timeline: ofBase } = this.subscriptionAt(base ?? place);
    const left = ofBase.changes.find(
      ({ at, planName }) => at >= timeline.start.at && !isAvailable(timeline, planName),
    );
    const ends = [ofBase.ends?.[of], left?.at].filter((end) => end !== undefined);
    return ends.length === 0 ? undefined : Math.max(timeline.start.at, Math.min(...ends));
  }
}

const ACCOUNT_PHASE: LifePhase = { type: 'EVERGREEN' };

/** The most specific value (features §1 rule 1). */
function catalogValue({ planName, phase }: InForce, feature: FeatureName): LifeValue | undefined {
  const plan = planOf(planName);
  return phase.features?.[feature] ?? plan.features?.[feature] ?? productOf(plan.product).features?.[feature];
}

function isAvailable(addOn: Timeline, basePlan: PlanName): boolean {
  const { available = [] } = productOf(planOf(basePlan).product);
  return available.includes(planOf(addOn.at(addOn.start.at).planName).product);
}
