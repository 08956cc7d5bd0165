import type { Currency } from '../../values/money/index.ts';
import type { UsedTier, UsedUnit } from '../invoices/used-units.ts';
import { type DocumentFormats, formatPrice } from './document-formats.ts';
import type { CatalogNames } from './line-names.ts';

/** The billed blocks of a unit in a tier. */
interface RenderedTier {
  readonly used: UsedTier;
  readonly formattedQuantity: string;
  readonly formattedPrice: string;
  readonly formattedBlockSize: string | null;
  readonly formattedAmount: string | null;
  /** The calculation, such as `12,400 × $0.01 = $124.00`. */
  readonly calculation: string;
}

/** A unit that a line charges (§14 rule 8). */
export interface RenderedUsage {
  readonly used: UsedUnit;
  readonly unit: string;
  readonly formattedQuantity: string;
  /** The total usage, such as `12,400 API calls`. */
  readonly total: string;
  readonly tiers: readonly RenderedTier[];
}

interface UsageWords {
  readonly names: CatalogNames;
  readonly formats: DocumentFormats;
}

export function renderedUsage(
  usage: readonly UsedUnit[],
  currency: Currency,
  words: UsageWords,
): readonly RenderedUsage[] {
  return usage.map((used) => {
    const unit = words.names(used.name) ?? used.unit;
    const formattedQuantity = words.formats.number(used.quantity);
    return {
      used,
      unit,
      formattedQuantity,
      total: `${formattedQuantity} ${unit}`,
      tiers: used.tiers.map((tier) => renderedTier(tier, { unit, currency, formats: words.formats })),
    };
  });
}

function renderedTier(
  used: UsedTier,
  { unit, currency, formats }: { unit: string; currency: Currency; formats: DocumentFormats },
): RenderedTier {
  const { blockSize, quantity, price, amount } = used;
  const formattedQuantity = formats.number(quantity);
  const formattedPrice = formatPrice(formats, price, currency);
  const formattedBlockSize = blockSize === null ? null : formats.number(blockSize);
  const formattedAmount = amount === null ? null : formatPrice(formats, amount, currency);
  // A price without a block size applies to the whole tier.
  const isPriceOfBlock = blockSize !== null;
  const block = isPriceOfBlock && !blockSize.equals(1) ? ` / ${formattedBlockSize} ${unit}` : '';
  const priced = isPriceOfBlock ? `${formattedQuantity} × ${formattedPrice}${block}` : formattedPrice;
  const isAmountNew = isPriceOfBlock && formattedAmount !== null;
  const calculation = isAmountNew ? `${priced} = ${formattedAmount}` : priced;
  return { used, formattedQuantity, formattedPrice, formattedBlockSize, formattedAmount, calculation };
}
