import type { SubscriptionEventView } from '../../../lib/subscriptions/index.ts';
import type { JsonText } from '../wire/json-pieces.ts';

/** Maximum number of cached texts. Each has about 450 characters. */
const MAX_KEPT_TEXTS = 10_000;

interface Shown {
  readonly event: SubscriptionEventView;
  readonly text: JsonText;
}

/** Caches the JSON text of events. Equal events of several subscriptions are then converted only once. */
export class EventTexts {
  readonly #make: (event: SubscriptionEventView) => JsonText;
  /** The texts by event record. */
  readonly #shown = new Map<string, readonly Shown[]>();
  #count = 0;

  constructor(make: (event: SubscriptionEventView) => JsonText) {
    this.#make = make;
  }

  of(event: SubscriptionEventView): JsonText {
    const shown = this.#shown.get(event.eventId) ?? [];
    const known = shown.find((each) => isSame(each.event, event));
    return known?.text ?? this.#keep(event, shown);
  }

  #keep(event: SubscriptionEventView, shown: readonly Shown[]): JsonText {
    const text = this.#make(event);
    if (this.#count === MAX_KEPT_TEXTS) {
      this.#shown.clear();
      this.#count = 0;
    }
    this.#shown.set(event.eventId, [...(this.#count === 0 ? [] : shown), { event, text }]);
    this.#count += 1;
    return text;
  }
}

/** Returns true if both events belong to the same record and have the same content. */
function isSame(one: SubscriptionEventView, other: SubscriptionEventView): boolean {
  return (
    one.eventType === other.eventType &&
    one.effective.at === other.effective.at &&
    one.phase === other.phase &&
    one.plan === other.plan &&
    one.catalogEffectiveDate === other.catalogEffectiveDate &&
    one.product === other.product &&
    one.priceList === other.priceList &&
    one.billingPeriod === other.billingPeriod &&
    one.serviceName === other.serviceName &&
    one.serviceStateName === other.serviceStateName &&
    one.isBlockedBilling === other.isBlockedBilling &&
    one.isBlockedEntitlement === other.isBlockedEntitlement
  );
}
