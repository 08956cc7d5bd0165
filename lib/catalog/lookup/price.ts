import { BillingMode, type PhaseType, type UsageSection, UsageType } from '../../records/index.ts';
import { billingError, ErrorCode } from '../../values/errors/index.ts';
import { type Currency, type Decimal, formatDecimal, ZERO } from '../../values/money/index.ts';
import { type Instant, TimeUnit } from '../../values/time/index.ts';
import {
  type InternationalPrice,
  type Plan,
  type PlanPhase,
  UNBOUNDED,
  type Usage,
  type WrittenDecimal,
} from '../model/catalog-model.ts';

/**
 * Returns the amount in one currency (§2 rule 2). An empty price is zero in every currency.
 * @throws BillingError 2010 `CATALOG_NO_PRICE_FOR_CURRENCY` for a missing entry, 2011
 * `CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY` for a null entry, which means that the plan is not sold in this currency.
 */
export function priceOf(price: InternationalPrice, currency: Currency): Decimal {
  if (price.prices.length === 0) return ZERO;
  const entry = price.prices.find((candidate) => candidate.currency === currency);
  if (entry === undefined) {
    const message = `There is no price in ${currency}, only in ${price.prices.map((known) => known.currency).join(', ')}`;
    throw billingError(ErrorCode.CATALOG_NO_PRICE_FOR_CURRENCY, message, { currency });
  }
  if (entry.amount === null) {
    const message = `The price in ${currency} is null: this is not sold in ${currency}`;
    throw billingError(ErrorCode.CATALOG_PRICE_VALUE_NULL_FOR_CURRENCY, message, { currency });
  }
  return entry.amount.value;
}

/**
 * Returns true if the price is zero in every currency. A null entry does not count as zero, because it means that the
 * plan is not sold.
 */
export function isZeroEverywhere(price: InternationalPrice): boolean {
  return price.prices.every((entry) => entry.amount?.value.isZero() ?? false);
}

/** Returns true for a phase that ends and has no recurring charges in any currency. */
export function isFreeFinitePhase(phase: PlanPhase): boolean {
  if (phase.duration.unit === TimeUnit.UNLIMITED) return false;
  const price = phase.recurring?.price ?? null;
  return price === null || isZeroEverywhere(price);
}

/**
 * Returns the phases starting with the initial phase, or all phases if no initial phase is given. Returns undefined if
 * the plan does not have the initial phase (error 1011 of subscriptions §5 rule 1).
 */
export function phasesFrom(plan: Plan, initialPhaseType: PhaseType | null): readonly PlanPhase[] | undefined {
  if (initialPhaseType === null) return plan.phases;
  const first = plan.phases.findIndex((phase) => phase.type === initialPhaseType);
  return first < 0 ? undefined : plan.phases.slice(first);
}

export interface SectionSource {
  readonly currency: Currency;
  /** Effective date of the catalog version that contains the plan or its parent. */
  readonly versionDate: Instant;
}

/**
 * Returns the usage charges of a phase in one currency. Omits usage that is billed in advance, because it is never
 * charged (§2 rule 3).
 * @throws BillingError 2010 or 2011 for a missing price.
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

/** Returns the fee in a currency. If the fee has no entry for the currency, nothing is charged. */
function feeOf(price: InternationalPrice | null, currency: Currency): Decimal | null {
  return price?.prices.find((one) => one.currency === currency)?.amount?.value ?? null;
}

/**
 * Returns a key that identifies a section by its prices. It distinguishes sections of a version that have the same
 * name, because only prices can be overridden (§10).
 */
function identityOf(prices: readonly Decimal[]): string {
  return prices.map(formatDecimal).join(' ');
}

function amountOf(price: InternationalPrice | null, currency: Currency): Decimal {
  return price === null ? ZERO : priceOf(price, currency);
}

function boundOf({ value }: WrittenDecimal): Decimal | null {
  return value.equals(UNBOUNDED) ? null : value;
}
