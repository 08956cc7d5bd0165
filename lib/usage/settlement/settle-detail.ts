import { type Currency, type Decimal, roundToCurrency, ZERO } from '../../values/money/index.ts';
import { lineDetails, readItemDetails } from '../rating/item-details.ts';
import type { BlockLine, Overflow, RatedConsumable } from '../rating/rated-usage.ts';
import type { BilledEntry, BilledInterval } from './billed-interval.ts';
import { billedLines, keyOf } from './billed-so-far.ts';
import { Refundable } from './credits.ts';
import { changeOf, type LineChange } from './line-changes.ts';
import { givesBack, type NegativeDeltaFacts } from './negative-delta.ts';
import type { ChargeFacts, UsageCharge } from './usage-charge.ts';

export interface SettleDetailInput extends NegativeDeltaFacts {
  readonly rated: RatedConsumable;
  readonly previous: readonly BilledInterval[];
  readonly currency: Currency;
}

/** One item for each line, of the difference between its rounded amount and what is billed of it (§7.4). */
export function settleDetail(input: SettleDetailInput): readonly UsageCharge[] {
  const { rated, previous, currency } = input;
  const refundable = new Refundable(previous);
  return changeOf(rated, billedLines(input)).flatMap((line): readonly UsageCharge[] => {
    const delta = deltaOf(line, currency);
    const isSame = delta.isZero() && line.change.quantity.isZero();
    if (isSame && previous.length > 0) return [];
    const details = detailsOf(line, rated);
    const facts = factsOf(line, delta, currency);
    if (!delta.lessThan(ZERO)) {
      const { price, quantity } = shownLine(line, rated);
      const text = details.first;
      return [{ kind: 'USAGE', amount: delta, rate: price, quantity, details: text, ...facts }];
    }
    const isOfLine = (item: BilledEntry) => standsFor(item, line.now, rated);
    return givesBack(delta, input) ? refundable.credit(delta.abs(), { details, facts }, isOfLine) : [];
  });
}

function deltaOf({ now, change, billed }: LineChange, currency: Currency): Decimal {
  // Shares of an item that stands for several lines are rounded otherwise than a line by itself.
  const isUnchanged = change.quantity.isZero() && change.amount.isZero();
  if (billed?.isShared === true && isUnchanged) return ZERO;
  return roundToCurrency(now.amount, currency).minus(billed?.charged ?? ZERO);
}

function factsOf({ now }: LineChange, delta: Decimal, currency: Currency): ChargeFacts {
  const due = roundToCurrency(now.amount, currency);
  return { lines: [now], due, billed: due.minus(delta) };
}

/** Of ALL_TIERS what is new; TOP_TIER shows all blocks at the new price (§7.4). */
function shownLine({ now, change }: LineChange, { kind }: RatedConsumable): BlockLine {
  return kind === 'TOP_TIER' ? now : change;
}

function detailsOf(line: LineChange, rated: RatedConsumable) {
  const shown = shownLine(line, rated);
  const overflow = overflowOf(line.now, rated);
  const nothing = rated.kind === 'TOP_TIER' ? shown : { ...shown, quantity: ZERO, amount: ZERO };
  return { first: lineDetails(shown, overflow), others: lineDetails(nothing, overflow) };
}

/** What is beyond the last tier of a unit stands on the line of that tier (§7.4). */
function overflowOf({ unit, tier }: BlockLine, { lines, overflow }: RatedConsumable): readonly Overflow[] {
  const last = lines.findLast((line) => line.unit === unit);
  return last?.tier === tier ? overflow.filter((rest) => rest.unit === unit) : [];
}

function standsFor({ details }: BilledEntry, line: BlockLine, { kind }: RatedConsumable): boolean {
  const read = readItemDetails(details);
  return read?.shape === 'DETAIL' && keyOf(kind, read.lines[0]) === keyOf(kind, line);
}
