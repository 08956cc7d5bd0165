import type { EntryPhase, EntryPrice, EntryUsage, PlanRow, PlanTerms } from '../../../records/index.ts';
import { BillingMode, FixedType, PhaseType } from '../../../records/index.ts';
import { type Currency, decimal, formatDecimal } from '../../../values/money/index.ts';
import {
  type InternationalPrice,
  UNBOUNDED,
  type Usage,
  type WrittenDecimal,
} from '../../model/catalog-model.ts';
import type { PhaseContent, PlanContent } from '../../model/version-content.ts';

/** What a row of a plan says in a catalog version (§15.5 rule 2); a plan has at least one phase. */
export function planContentOf(
  terms: PlanTerms,
  row: Pick<PlanRow, 'planName' | 'effectiveDateForExistingSubscriptions' | 'phases'>,
): PlanContent {
  const phases = row.phases.map(phaseContentOf);
  const finalPhase = phases.at(-1);
  if (finalPhase === undefined) throw new Error(`plan ${row.planName} has no phases`);
  return {
    name: row.planName,
    prettyName: terms.prettyName || row.planName,
    product: terms.productName,
    recurringBillingMode: terms.recurringBillingMode,
    effectiveDateForExistingSubscriptions: row.effectiveDateForExistingSubscriptions,
    initialPhases: phases.slice(0, -1),
    finalPhase,
    plansAllowedInBundle: UNBOUNDED,
  };
}

function phaseContentOf(phase: EntryPhase): PhaseContent {
  const { type, duration, fixedPrices, recurringPrices, usages } = phase;
  // A TRIAL without a price is free; in other phases no fixed price means that there is none.
  const hasFixed = fixedPrices.length > 0 || type === PhaseType.TRIAL;
  return {
    type,
    prettyName: phase.prettyName || null,
    duration,
    fixed: hasFixed ? { type: FixedType.ONE_TIME, price: internationalPrice(fixedPrices) } : null,
    recurring: recurringPrices === null ? null : recurringOf(recurringPrices),
    usages: usages.map(usageOf),
  };
}

function recurringOf({ billingPeriod, prices }: NonNullable<EntryPhase['recurringPrices']>) {
  return { billingPeriod, price: prices.length === 0 ? null : internationalPrice(prices) };
}

function usageOf(usage: EntryUsage): Usage {
  const tiers = usage.tiers.toSorted((one, other) => one.tierNumber - other.tierNumber);
  return {
    name: usage.usageName,
    prettyName: usage.prettyName || usage.usageName,
    billingMode: BillingMode.IN_ARREAR,
    usageType: usage.usageType,
    tierBlockPolicy: usage.tierBlockPolicy,
    billingPeriod: usage.billingPeriod,
    limits: [],
    blocks: [],
    tiers: tiers.map((tier) => ({
      limits: [],
      blocks: tier.blocks.map((block) => ({
        unit: block.billingMeterCode,
        size: written(block.size),
        max: written(block.max),
        prices: internationalPrice(block.prices),
      })),
      fixedPrice: null,
      recurringPrice: null,
    })),
    fixedPrice: null,
    recurringPrice: null,
  };
}

function internationalPrice(prices: readonly EntryPrice[]): InternationalPrice {
  return {
    prices: prices.map(({ currency, value }) => ({
      currency,
      amount: { value, text: formatDecimal(value) },
    })),
  };
}

function written(number: number): WrittenDecimal {
  return { value: decimal(number), text: String(number) };
}

/** Names of the units that the usages of these phases count. */
export function unitsOf(phases: readonly EntryPhase[]): readonly string[] {
  return unique(
    phases.flatMap((phase) =>
      phase.usages.flatMap((usage) =>
        usage.tiers.flatMap((tier) => tier.blocks.map((block) => block.billingMeterCode)),
      ),
    ),
  );
}

/** Currencies of all prices of these phases. */
export function currenciesOf(phases: readonly EntryPhase[]): readonly Currency[] {
  return unique(
    phases.flatMap((phase) =>
      [
        ...phase.fixedPrices,
        ...(phase.recurringPrices?.prices ?? []),
        ...phase.usages.flatMap((usage) =>
          usage.tiers.flatMap((tier) => tier.blocks.flatMap((block) => block.prices)),
        ),
      ].map((price) => price.currency),
    ),
  );
}

/** Names of the usage sections of these phases, each as often as it stands there. */
export function usageNamesOf(phases: readonly EntryPhase[]): readonly string[] {
  return phases.flatMap((phase) => phase.usages.map((usage) => usage.usageName));
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
