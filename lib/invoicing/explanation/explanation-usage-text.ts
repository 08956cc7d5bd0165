import type { InvoiceItem, UsageBasis, UsageLine } from '../../records/index.ts';
import { TermLine } from '../../usage/index.ts';
import { type Currency, formatDecimal, moneyText } from '../../values/money/index.ts';
import { plural } from '../../values/text/index.ts';
import { counted, periodName, planOf, range } from './explanation-words.ts';

export interface UsageTextParts {
  readonly item: InvoiceItem;
  /** The USAGE item of a credit. */
  readonly linked: InvoiceItem | undefined;
}

/** What was used, and what is charged for it, in sentences; without the sum. */
export function usageFacts(basis: UsageBasis, { item, linked }: UsageTextParts): readonly string[] {
  const { usageName, billingPeriod, used, lines, minimum, billed, credit } = basis;
  const { currency } = item;
  const amounts = used.map(({ unit, quantity }) => `${formatDecimal(quantity)} ${unit}`);
  const what = credit === null ? 'Usage' : 'Credit for usage';
  const before = moneyText(billed, currency);
  return [
    `${what} ${usageName} of ${planOf(linked ?? item)} for ${counted(basis)}, ${periodName(billingPeriod).toLowerCase()} and billed in arrear: ${amounts.join(', ')}.`,
    ...lines.map((line) => lineText(line, currency)),
    minimum === null
      ? ''
      : `The minimum of a whole period is ${moneyText(minimum.base, currency)}, and counts for ${minimum.days} of ${minimum.totalDays} days.`,
    billed.isZero() ? '' : `${before} of it was billed before.`,
    item.startDate === basis.startDate && item.endDate === basis.endDate
      ? ''
      : `A longer period was billed, of which the rest is credited for ${range(item)}.`,
    credit === null || credit.open.lessThanOrEqualTo(credit.left)
      ? ''
      : `No more than ${moneyText(credit.left, currency)} can be credited of the item.`,
  ];
}

function termText(
  { tier, unit, price, quantity }: Pick<UsageLine, 'tier' | 'unit' | 'price' | 'quantity'>,
  currency: Currency,
): string {
  switch (unit) {
    case TermLine.FLAT_FEE:
      return `Tier ${tier} has a flat fee of ${moneyText(price, currency)}.`;
    case TermLine.SECTION_PRICE:
      return `The tier that is reached costs ${moneyText(price, currency)}.`;
    case TermLine.PERCENT_OFF:
      return `${moneyText(price.abs(), currency)} of it are off by the terms of the usage.`;
    case TermLine.MAXIMUM:
      return `${moneyText(price.abs(), currency)} of it are above the maximum of a period, and not charged.`;
    case TermLine.MINIMUM:
      return `${moneyText(price, currency)} are added up to the minimum of a period.`;
    default:
      return `${formatDecimal(quantity)} ${unit.slice(TermLine.FREE.length + 1)} are free.`;
  }
}

function lineText({ tier, unit, price, quantity, blockSize }: UsageLine, currency: Currency): string {
  const amount = formatDecimal(quantity);
  if (blockSize?.isZero()) return termText({ tier, unit, price, quantity }, currency);
  if (blockSize === null) {
    return `The peak of ${amount} ${unit} is in tier ${tier}, which costs ${moneyText(price, currency)}.`;
  }
  const blocks = quantity.equals(1) ? plural(1, 'block') : `${amount} blocks`;
  return `Tier ${tier}: ${blocks} of ${formatDecimal(blockSize)} ${unit} at ${moneyText(price, currency)}.`;
}
