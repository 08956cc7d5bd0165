import type { PlanTimeline, PriceChangeEvent } from '../../catalog/index.ts';
import { type Account, LifecycleEventType } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import { atReferenceTime } from '../timeline/dated-instants.ts';
import { derivedRecordId } from '../timeline/derived-phases.ts';
import { isEnd, isPlanChoice } from '../timeline/lifecycle-order.ts';
import { type PriceChangeSource, priceSteps } from '../timeline/price-steps.ts';
import type { PlanInForce, Transition } from '../timeline/transitions.ts';
import { type PeriodStartsInput, periodStartFrom } from './period-starts.ts';

/** A transition of the billing stream; a price change is a CHANGE without a lifecycle event behind it. */
export interface BillingTransition extends Transition {
  readonly isPriceChange: boolean;
}

export interface PriceChangesInput extends PeriodStartsInput {
  readonly plans: PriceChangeSource;
  readonly account: Pick<Account, 'timeZone' | 'referenceTime'>;
  /** Tenant setting `subscription.align.effectiveDateForExistingSubscriptions` (§13 rule 4). */
  readonly isAligned: boolean;
}

/**
 * The transitions with the price changes between them (§13 rule 3). A price change comes after whatever else takes effect
 * at its instant. Bill cycle day and quantity events keep the prices in force when they come.
 */
export function withPriceChanges(input: PriceChangesInput): readonly BillingTransition[] {
  const { transitions } = input;
  const changes = priceChanges(input);
  const merged: BillingTransition[] = [];
  let used = 0;
  transitions.forEach((transition, index) => {
    const inForce = merged.at(-1)?.next ?? null;
    const next = bringsPhase(transition) ? transition.next : withPricesOf(transition.next, inForce);
    let last: BillingTransition = { ...transition, previous: inForce, next, isPriceChange: false };
    merged.push(last);
    const until = transitions[index + 1]?.event.effective.at ?? Number.POSITIVE_INFINITY;
    for (; isBefore(changes[used], until); used += 1) {
      last = priceChange(changes[used], last);
      merged.push(last);
    }
  });
  return merged;
}

function priceChanges(input: PriceChangesInput): readonly PriceChangeEvent[] {
  const { transitions, plans, account, isAligned } = input;
  const timeline: PlanTimeline = { steps: priceSteps(transitions), zone: account.timeZone };
  if (!isAligned) return plans.priceChangeEvents(timeline);
  return plans.priceChangeEvents(timeline, {
    periodStartFrom: (date, recurring) => periodStartFrom(date, recurring, input),
    dated: (date) => atReferenceTime(date, account),
  });
}

/** True for the transitions at which the plan is looked up anew (catalog §6.4), and for those that end it. */
function bringsPhase({ event }: Transition): boolean {
  return isPlanChoice(event) || isEnd(event) || event.type === LifecycleEventType.PHASE;
}

function isBefore(change: PriceChangeEvent | undefined, until: number): boolean {
  return change !== undefined && change.effective.at < until;
}

function withPricesOf(own: PlanInForce | null, inForce: PlanInForce | null): PlanInForce | null {
  if (own === null || inForce === null) return own;
  const { version, plan, phase } = inForce;
  return { ...own, version, plan, phase };
}

/** Copies the event before it: bill cycle day and quantity stay. */
function priceChange(change: PriceChangeEvent | undefined, before: BillingTransition): BillingTransition {
  assertInvariant(change && before.next, 'A price change comes while a plan is in force');
  const { version, plan, phase, effective } = change;
  const { event } = before;
  return {
    ...before,
    event: {
      ...event,
      type: LifecycleEventType.CHANGE,
      effective,
      recordId: derivedRecordId(event.recordId),
    },
    previous: before.next,
    next: { ...before.next, version, plan, phase },
    isPriceChange: true,
  };
}
