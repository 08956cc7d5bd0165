import type { PluginBlock, PluginTier, PluginTieredBlock, PluginUsage } from '../../../ports/index.ts';
import { BillingMode, BlockType, TierBlockPolicy, UsageType } from '../../../records/index.ts';
import { BillingPeriod } from '../../../values/time/index.ts';
import type { Block, Tier, TieredBlock, Usage } from '../../model/catalog-model.ts';
import { limitContent, named } from './plugin-parts.ts';
import type { PluginValues } from './plugin-values.ts';

export function usageContent(values: PluginValues, usage: PluginUsage, phase: string): Usage {
  const owner = `${phase}, usage "${usage.name}"`;
  return {
    ...named(usage),
    billingMode: values.oneOf(BillingMode, usage.billingMode ?? BillingMode.IN_ARREAR, owner),
    usageType: values.oneOf(UsageType, usage.usageType, owner),
    tierBlockPolicy: values.oneOf(TierBlockPolicy, usage.tierBlockPolicy ?? TierBlockPolicy.ALL_TIERS, owner),
    billingPeriod: values.oneOf(BillingPeriod, usage.billingPeriod, owner),
    limits: (usage.limits ?? []).map((limit) => limitContent(values, limit, owner)),
    blocks: (usage.blocks ?? []).map((block) => blockContent(values, block, owner)),
    tiers: (usage.tiers ?? []).map((tier) => tierContent(values, tier, owner)),
    fixedPrice: values.priceOrNull(usage.fixedPrice, owner),
    recurringPrice: values.priceOrNull(usage.recurringPrice, owner),
  };
}

function blockContent(values: PluginValues, block: PluginBlock, owner: string): Block {
  return {
    type: values.oneOf(BlockType, block.type ?? BlockType.VANILLA, owner),
    unit: block.unit,
    size: values.decimal(block.size, owner),
    prices: values.price(block.prices, owner),
    minTopUpCredit: block.minTopUpCredit === undefined ? null : values.decimal(block.minTopUpCredit, owner),
  };
}

function tierContent(values: PluginValues, tier: PluginTier, owner: string): Tier {
  return {
    limits: (tier.limits ?? []).map((limit) => limitContent(values, limit, owner)),
    blocks: (tier.blocks ?? []).map((block) => tieredBlockContent(values, block, owner)),
    fixedPrice: values.priceOrNull(tier.fixedPrice, owner),
    recurringPrice: values.priceOrNull(tier.recurringPrice, owner),
  };
}

function tieredBlockContent(values: PluginValues, block: PluginTieredBlock, owner: string): TieredBlock {
  return {
    unit: block.unit,
    size: values.decimal(block.size, owner),
    prices: values.price(block.prices, owner),
    max: values.bound(block.max, owner),
  };
}
