import type { InternationalPrice, Usage } from '../../catalog/index.ts';
import {
  type BillingMode,
  type PhaseType,
  SubscriptionEventType,
  type TierBlockPolicy,
  type UsageType,
} from '../../records/index.ts';
import { type Currency, type Decimal, ZERO } from '../../values/money/index.ts';
import { isKnown } from '../timeline/readable-plans.ts';
import type { SubscriptionEvent } from './subscription-event-list.ts';

/** What a subscription pays in one phase, in the account's currency; null = no price of that kind (§4.4). */
export interface PhasePrices {
  readonly planName: string;
  readonly phaseName: string;
  readonly phaseType: PhaseType;
  readonly fixedPrice: Decimal | null;
  readonly recurringPrice: Decimal | null;
  readonly usagePrices: readonly UsagePrices[];
}

export interface UsagePrices {
  readonly usageName: string;
  readonly usageType: UsageType;
  readonly billingMode: BillingMode;
  readonly tierBlockPolicy: TierBlockPolicy;
  readonly tierPrices: readonly TierPrices[];
}

export interface TierPrices {
  readonly blockPrices: readonly BlockPrice[];
  /** For a CAPACITY tier. */
  readonly recurringPrice: Decimal | null;
}

export interface BlockPrice {
  readonly unitName: string;
  readonly size: Decimal;
  readonly price: Decimal | null;
  readonly max: Decimal;
}

/**
 * One entry for each phase in the rows of one subscription, in their order (§4.4 "prices"): a new one where the phase has
 * another name than in the row before, or comes from another catalog version.
 */
export function pricesMet(
  events: Iterable<SubscriptionEvent>,
  currency: Currency | null,
): readonly PhasePrices[] {
  const prices: PhasePrices[] = [];
  let previous: SubscriptionEvent['plan'] = null;
  for (const event of events) {
    if (event.plan === null || !isKnown(event.plan) || isStop(event)) continue;
    const { plan, phase, version } = event.plan;
    const isSame =
      previous?.phase.name === phase.name && previous.version.effectiveDate === version.effectiveDate;
    previous = event.plan;
    if (isSame) continue;
    prices.push({
      planName: plan.name,
      phaseName: phase.name,
      phaseType: phase.type,
      fixedPrice: priceIfSold(phase.fixed?.price, currency),
      recurringPrice: priceIfSold(phase.recurring?.price, currency),
      usagePrices: phase.usages.map((usage) => usagePrices(usage, currency)),
    });
  }
  return prices;
}

function isStop(event: SubscriptionEvent): boolean {
  return (
    event.type === SubscriptionEventType.STOP_BILLING || event.type === SubscriptionEventType.STOP_ENTITLEMENT
  );
}

function usagePrices(usage: Usage, currency: Currency | null): UsagePrices {
  return {
    usageName: usage.name,
    usageType: usage.usageType,
    billingMode: usage.billingMode,
    tierBlockPolicy: usage.tierBlockPolicy,
    tierPrices: usage.tiers.map((tier) => ({
      blockPrices: tier.blocks.map((block) => ({
        unitName: block.unit,
        size: block.size.value,
        price: priceIfSold(block.prices, currency),
        max: block.max.value,
      })),
      recurringPrice: priceIfSold(tier.recurringPrice, currency),
    })),
  };
}

/** The price, or null where there is none in the currency: a read never fails for a price that billing would refuse. */
function priceIfSold(
  price: InternationalPrice | null | undefined,
  currency: Currency | null,
): Decimal | null {
  if (!price) return null;
  if (price.prices.length === 0) return ZERO;
  return price.prices.find((entry) => entry.currency === currency)?.amount?.value ?? null;
}
