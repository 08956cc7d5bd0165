import { BillingMode, type UsageSection, UsageType } from '../../records/index.ts';
import { type Currency, type Decimal, formatDecimal, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import {
  type InternationalPrice,
  type PlanPhase,
  UNBOUNDED,
  type Usage,
  type WrittenDecimal,
} from '../model/catalog-model.ts';
import { priceOf } from './price.ts';

export interface SectionSource {
  /** Of the account. */
  readonly currency: Currency;
  /** Effective date of the version that the plan comes from; of an override plan, of the version of its parent. */
  readonly versionDate: Instant;
}

/**
 * What a phase charges for usage, in one currency. Usage billed in advance is left out: it charges nothing (§2 rule 3).
 * @throws BillingError 2010 or 2011 where a price is missing in the currency.
 */
export function usageSectionsOf(
  { usages }: Pick<PlanPhase, 'usages'>,
  source: SectionSource,
): readonly UsageSection[] {
  return usages
    .filter(({ billingMode }) => billingMode === BillingMode.IN_ARREAR)
    .map((usage) => sectionOf(usage, source));
}

function sectionOf(usage: Usage, { currency, versionDate }: SectionSource): UsageSection {
  const { name, prettyName, billingPeriod, tierBlockPolicy } = usage;
  const facts = { name, prettyName, billingPeriod, versionDate };
  if (usage.usageType === UsageType.CAPACITY) {
    const tiers = usage.tiers.map(({ limits, recurringPrice }) => ({
      price: amountOf(recurringPrice, currency),
      limits: limits.map(({ unit, max }) => ({ unit, max: boundOf(max) })),
    }));
    const priceIdentity = identityOf(tiers.map(({ price }) => price));
    return { ...facts, priceIdentity, usageType: UsageType.CAPACITY, tiers };
  }
  const tiers = usage.tiers.map(({ blocks, fixedPrice }) => ({
    flatFee: feeOf(fixedPrice, currency),
    blocks: blocks.map(({ unit, size, max, prices }) => ({
      unit,
      size: size.value,
      max: boundOf(max),
      price: priceOf(prices, currency),
    })),
  }));
  const priceIdentity = identityOf(tiers.flatMap(({ blocks }) => blocks.map(({ price }) => price)));
  return { ...facts, priceIdentity, usageType: UsageType.CONSUMABLE, tierBlockPolicy, tiers };
}

/** A fee that is not given in the currency is none: without terms it is not charged at all. */
function feeOf(price: InternationalPrice | null, currency: Currency): Decimal | null {
  return price?.prices.find((one) => one.currency === currency)?.amount?.value ?? null;
}

/** Sizes and limits cannot be overridden: within a version, prices alone tell two sections of one name apart (§10). */
function identityOf(prices: readonly Decimal[]): string {
  return prices.map(formatDecimal).join(' ');
}

function amountOf(price: InternationalPrice | null, currency: Currency): Decimal {
  return price === null ? ZERO : priceOf(price, currency);
}

function boundOf({ value }: WrittenDecimal): Decimal | null {
  return value.equals(UNBOUNDED) ? null : value;
}
