import type {
  EntryBlock,
  EntryPhase,
  EntryPrice,
  EntryUsage,
  PlanRow,
  PlanTerms,
} from '../../../records/index.ts';
import { BillingMode, PhaseType } from '../../../records/index.ts';
import { type Currency, decimal, formatDecimal } from '../../../values/money/index.ts';
import type { InternationalPrice, TieredBlock, Usage, WrittenDecimal } from '../../model/catalog-model.ts';
import type { PhaseContent, PlanContent } from '../../model/version-content.ts';
import type { VersionFrame } from '../../model/version-frame.ts';
import { completed } from '../fields/field.ts';
import { fixed, plan, tier, unit, usage } from '../fields/records.ts';
import { union } from './merged-parts.ts';

/** What a row of a plan says in a catalog version (§15.5 rule 2); a plan has at least one phase. */
export function planContentOf(
  terms: PlanTerms,
  row: Pick<PlanRow, 'planName' | 'effectiveDateForExistingSubscriptions' | 'phases'>,
): PlanContent {
  const phases = row.phases.map(phaseContentOf);
  const finalPhase = phases.at(-1);
  if (finalPhase === undefined) throw new Error(`plan ${row.planName} has no phases`);
  return completed(plan, {
    name: row.planName,
    prettyName: terms.prettyName || null,
    product: terms.productName,
    recurringBillingMode: terms.recurringBillingMode,
    effectiveDateForExistingSubscriptions: row.effectiveDateForExistingSubscriptions,
    initialPhases: phases.slice(0, -1),
    finalPhase,
  });
}

function phaseContentOf({ prettyName, ...given }: EntryPhase): PhaseContent {
  const { type, duration, fixedPrices, recurringPrices, usages } = given;
  // A TRIAL without a price is free; other phases without a fixed price have none.
  const hasFixed = fixedPrices.length > 0 || type === PhaseType.TRIAL;
  return {
    type,
    prettyName: prettyName || null,
    duration,
    fixed: hasFixed ? completed(fixed, { price: internationalPrice(fixedPrices) }) : null,
    recurring: recurringPrices && recurringOf(recurringPrices),
    usages: usages.map(usageOf),
  };
}

function recurringOf({ billingPeriod, prices }: NonNullable<EntryPhase['recurringPrices']>) {
  return { billingPeriod, price: prices.length === 0 ? null : internationalPrice(prices) };
}

function usageOf({ usageName, prettyName, tiers, ...terms }: EntryUsage): Usage {
  return completed(usage, {
    ...terms,
    name: usageName,
    prettyName: prettyName || null,
    billingMode: BillingMode.IN_ARREAR,
    tiers: tiers
      .toSorted((one, other) => one.tierNumber - other.tierNumber)
      .map(({ blocks }) => completed(tier, { blocks: blocks.map(tieredBlockOf) })),
  });
}

function tieredBlockOf({ billingMeterCode, size, max, prices }: EntryBlock): TieredBlock {
  return {
    unit: billingMeterCode,
    size: written(size),
    max: written(max),
    prices: internationalPrice(prices),
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

/** What a version of these phases has to declare. */
export function pricedIn(phases: readonly EntryPhase[]): Pick<VersionFrame, 'currencies' | 'units'> {
  return {
    currencies: currenciesOf(phases),
    units: unitsOf(phases).map((name) => completed(unit, { name })),
  };
}

/** Names of the units that the usages of these phases count. */
export function unitsOf(phases: readonly EntryPhase[]): readonly string[] {
  return union(
    phases.flatMap((phase) =>
      phase.usages.flatMap((usage) =>
        usage.tiers.flatMap((tier) => tier.blocks.map((block) => block.billingMeterCode)),
      ),
    ),
  );
}

/** Currencies of all prices of these phases. */
function currenciesOf(phases: readonly EntryPhase[]): readonly Currency[] {
  return union(
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
