import { decimal } from '../../../lib/index.ts';
import {
  dayAt,
  type Minute,
  type ModelEvent,
  planOf,
  Timeline,
  type TransitionType,
} from './billing-events.ts';
import type { Day } from './calendar.ts';
import {
  couponsOf,
  type Discount,
  discountedPrice,
  type ModelCoupon,
  type ModelRedemption,
  matches,
  spanOf,
} from './discounts.ts';
import { HALF_UP, Ledger, type Proposal, quotient, rounded } from './ledger.ts';
import { billedThrough, type PeriodPart, partsOf } from './parts.ts';
import type { PlanName } from './plans.ts';

/** Days up to which periods are known. */
const HORIZON_DAYS = 2_000;
/** Decimals of the rate of an item. The amount comes from the exact rate. */
const RATE_DECIMALS = 9;
const TOUCHING: readonly (TransitionType | 'PAUSE' | 'RESUME')[] = ['CREATE', 'CHANGE', 'PHASE', 'CANCEL'];

export interface ModelSubscription {
  readonly timeline: Timeline;
  ledger: Ledger;
  parts: readonly PeriodPart[];
  events: readonly ModelEvent[];
  /** Days on which a run can bill something new. */
  dates: ReadonlySet<Day>;
}

interface Seen {
  readonly place: number;
  readonly redemptions: readonly ModelRedemption[];
  readonly target: Day;
}

/**
 * Predicts the invoices of one account from the specification. Where the specification is silent, the model follows
 * these rulings: a fixed price is discounted from the date of redemption on, a redemption with a plan change starts with
 * the next period, and a change that starts a whole period of its own starts a new period.
 */
export class CouponModel {
  readonly billCycleDay: number;
  readonly subscriptions: ModelSubscription[] = [];
  /** Items by target date. */
  readonly invoices = new Map<Day, string[]>();
  #redemptions: readonly (ModelRedemption & { readonly coupon: ModelCoupon })[] = [];
  #today: Day;

  constructor(billCycleDay: number, today: Day) {
    this.billCycleDay = billCycleDay;
    this.#today = today;
  }

  get redemptions(): readonly ModelRedemption[] {
    return this.#redemptions;
  }

  create(planName: PlanName, quantity: number, at: Minute): number {
    const timeline = new Timeline(planName, quantity, at);
    this.subscriptions.push({ timeline, ledger: new Ledger(), parts: [], events: [], dates: new Set() });
    this.touched(this.subscriptions.length - 1);
    return this.subscriptions.length - 1;
  }

  /** Reads the periods of a subscription again after a change. */
  touched(place: number): void {
    const subscription = this.subscriptionAt(place);
    subscription.events = subscription.timeline.events();
    const horizon = dayAt(subscription.timeline.begun) + HORIZON_DAYS;
    subscription.parts = partsOf(subscription.events, this.billCycleDay, horizon);
    subscription.dates = new Set([
      ...subscription.events.map(({ day }) => day),
      ...subscription.parts.flatMap(({ start, uncutEnd }) => [start, uncutEnd]),
    ]);
  }

  redeem(redemption: ModelRedemption): void {
    this.#redemptions = [...this.#redemptions, redemption];
  }

  /** Ends a redemption. */
  remove(place: number, ended: Day): void {
    this.#redemptions = this.#redemptions.map((each, index) => (index === place ? { ...each, ended } : each));
  }

  /** Runs invoicing on every day until and including this day. */
  runTo(day: Day): void {
    for (; this.#today < day; ) {
      this.#today += 1;
      if (this.subscriptions.some(({ dates }) => dates.has(this.#today))) this.run();
    }
  }

  run(): void {
    const lines = this.subscriptions.flatMap(({ ledger }, place) =>
      this.#itemsOf(ledger, { place, redemptions: this.#redemptions, target: this.#today }),
    );
    if (lines.length === 0) return;
    this.invoices.set(this.#today, [...(this.invoices.get(this.#today) ?? []), ...lines]);
  }

  /** Returns true if a run today would change what is billed. */
  changesBilledDays(redemptions: readonly ModelRedemption[]): boolean {
    return this.subscriptions.some(({ ledger }, place) => {
      const seen = { place, redemptions, target: this.#today };
      return this.#itemsOf(ledger.copy(), seen).length > 0;
    });
  }

  /** Returns true if the redemptions would discount a billed charge of 0 by other coupons than now. */
  changesFreeDays(redemptions: readonly ModelRedemption[]): boolean {
    return this.subscriptions.some(({ ledger }, place) => {
      const after = this.#proposalsOf({ place, redemptions, target: this.#today });
      return this.#proposalsOf({ place, redemptions: this.#redemptions, target: this.#today }).some(
        (proposal, index) => ledger.isFree(proposal) && proposal.discounts !== after[index]?.discounts,
      );
    });
  }

  subscriptionAt(place: number): ModelSubscription {
    const subscription = this.subscriptions[place];
    if (subscription === undefined) throw new Error(`No subscription at place ${place}`);
    return subscription;
  }

  isMatched(coupon: ModelCoupon, place: number, at: Minute): boolean {
    return matches(coupon, this.subscriptionAt(place).timeline.current(at).planName);
  }

  #itemsOf(ledger: Ledger, seen: Seen): readonly string[] {
    const { events } = this.subscriptionAt(seen.place);
    const spans = this.#spansOf(seen);
    const fixed = events.flatMap((event, index) => {
      if (event.fixed === null || event.day > seen.target || isDisplaced(events, index)) return [];
      const { planName, quantity, day } = event;
      const coupons = couponsOf({ planName, day, scope: 'FIXED' }, spans);
      const amount = rounded(discountedPrice(event.fixed, quantity, coupons));
      return ledger.chargeFixed(day, planAndPhaseOf(event), amount);
    });
    return [...fixed, ...ledger.reconcile(this.#proposalsOf(seen))].map((line) => `${seen.place} ${line}`);
  }

  #proposalsOf(seen: Seen): readonly Proposal[] {
    const { parts, events } = this.subscriptionAt(seen.place);
    const spans = this.#spansOf(seen);
    return events.flatMap((event, index) =>
      proposalsOf(event, events[index + 1], { parts, spans, target: seen.target }),
    );
  }

  #spansOf({ place, redemptions }: Seen): readonly Discount[] {
    const { parts } = this.subscriptionAt(place);
    return redemptions
      .filter(({ subscription }) => subscription === null || subscription === place)
      .flatMap((redemption) => {
        const span = spanOf(redemption, parts);
        return span === undefined ? [] : [{ coupon: redemption.coupon, span }];
      });
  }
}

/** Of several events on one day, only the last one has a fixed price (invoicing §5.1 rule 2). */
function isDisplaced(events: readonly ModelEvent[], index: number): boolean {
  const day = events[index]?.day;
  return events
    .slice(index + 1)
    .some((later) => later.day === day && (TOUCHING.includes(later.type) || later.fixed !== null));
}

const planAndPhaseOf = ({ planName, phase }: ModelEvent): string => `${planName} ${phase.type}`;

interface ProposalInput {
  readonly parts: readonly PeriodPart[];
  readonly spans: readonly Discount[];
  readonly target: Day;
}

function proposalsOf(
  event: ModelEvent,
  next: ModelEvent | undefined,
  { parts, spans, target }: ProposalInput,
): readonly Proposal[] {
  const { recurring, planName, quantity } = event;
  if (recurring === null || event.day > target) return [];
  const own = parts.filter((part) => part.event === event);
  const end = billedThrough(own, next?.day ?? null, { target, isInArrear: planOf(planName).isInArrear });
  if (end === null) return [];
  return own
    .filter((part) => part.end <= end)
    .map((part) => {
      const coupons = couponsOf({ planName, day: part.periodStart, scope: 'RECURRING' }, spans);
      const rate = discountedPrice(recurring, quantity, coupons);
      const days = part.end - part.start;
      const ratio = part.periodDays === 0 ? decimal('1') : quotient(days, part.periodDays);
      return {
        start: part.start,
        end: part.end,
        planAndPhase: planAndPhaseOf(event),
        kind: `${planAndPhaseOf(event)} ${rate.toDecimalPlaces(RATE_DECIMALS, HALF_UP).toFixed()}`,
        discounts: coupons.length,
        amount: rounded(ratio.times(rate)),
        isShortened: part.end === next?.day && next.day > target,
      };
    });
}
