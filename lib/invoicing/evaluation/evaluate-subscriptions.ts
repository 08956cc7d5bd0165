import type { OngoingCharge } from '../../records/index.ts';
import { assertInvariant } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type EvaluationSettings,
  evaluateSubscription,
  type SubscriptionBilling,
  type SubscriptionEvaluation,
} from './evaluate-subscription.ts';

/** A subscription that its ongoing charge bills. */
interface OngoingSubscription extends SubscriptionBilling {
  readonly ongoing: OngoingCharge;
}

interface Evaluated {
  readonly subscription: OngoingSubscription;
  readonly evaluation: SubscriptionEvaluation;
}

/**
 * Evaluates subscriptions one after the other (see `evaluateSubscription`). Of those whose ongoing charges are alike, as those
 * of thousands of subscriptions bought together, the first is evaluated: the others get the same, but for whose it is.
 */
export function evaluateSubscriptions(
  subscriptions: readonly SubscriptionBilling[],
  settings: EvaluationSettings,
  nextItemId: () => Uuid,
): readonly SubscriptionEvaluation[] {
  const lastOf = new Map<string, Evaluated>();
  return subscriptions.map((subscription) => {
    if (!isOngoing(subscription)) return evaluateSubscription(subscription, settings, nextItemId);
    const { event } = subscription.ongoing;
    const last = lastOf.get(event);
    if (last !== undefined && standsLike(last.subscription, subscription)) {
      return sameOf(subscription, last.evaluation, nextItemId);
    }
    const evaluation = evaluateSubscription(subscription, settings, nextItemId);
    lastOf.set(event, { subscription, evaluation });
    return evaluation;
  });
}

function isOngoing(subscription: SubscriptionBilling): subscription is OngoingSubscription {
  return subscription.ongoing != null;
}

/** True if the same event gives both the same: it is looked at from the same day on, under the same bound of items. */
function standsLike(a: SubscriptionBilling, b: SubscriptionBilling): boolean {
  return a.cursor?.settledThrough === b.cursor?.settledThrough && a.itemsCreatedToday === b.itemsCreatedToday;
}

function sameOf(
  { subscriptionId, ongoing: { bundleId } }: OngoingSubscription,
  { items: itemsOfLast, coverage, repairable, cursor }: SubscriptionEvaluation,
  nextItemId: () => Uuid,
): SubscriptionEvaluation {
  const items = itemsOfLast.map((item) => ({ ...item, id: nextItemId(), subscriptionId, bundleId }));
  const inserted = coverage.inserted.map((row, index) => {
    const item = items[index];
    assertInvariant(
      item !== undefined && itemsOfLast[index]?.id === row.itemId,
      `An ongoing charge of subscription ${subscriptionId} makes more than items with their rows`,
      { subscriptionId },
    );
    return { ...row, subscriptionId, itemId: item.id };
  });
  return {
    subscriptionId,
    items,
    coverage: { ...coverage, inserted },
    repairable,
    cursor: { ...cursor, subscriptionId },
  };
}
