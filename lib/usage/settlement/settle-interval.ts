import { InvariantError } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type Currency,
  type Decimal,
  formatDecimal,
  roundToCurrency,
  sum,
  ZERO,
} from '../../values/money/index.ts';
import { formatLocalDate } from '../../values/time/index.ts';
import type { UsageInterval } from '../intervals/usage-intervals.ts';
import { lesser } from '../rating/quantities.ts';
import {
  aggregateDetails,
  type BlockLine,
  lineDetails,
  type Overflow,
  type PeakLine,
  type RatedConsumable,
  type RatedUsage,
  readItemDetails,
} from '../rating/rated-usage.ts';
import type { BilledEntry, ChargedInterval } from './billed-interval.ts';
import { billedLines, billedTotal, changeOf, keyOf, type LineChange } from './billed-lines.ts';
import { ItemMode, NegativeDelta } from './usage-config.ts';

interface SettleInput {
  readonly usageName: string;
  readonly interval: UsageInterval;
  /** The rating of all usage of the interval so far. */
  readonly rated: RatedUsage;
  /** The intervals returned by `matchBilled`, in billing order. */
  readonly previous: readonly ChargedInterval[];
  readonly currency: Currency;
  readonly itemMode: ItemMode;
  readonly negativeDelta: NegativeDelta;
}

/**
 * Returns the items that adjust the billed amount of an interval to its current rating (§7.3 to §7.5, §7.7). The items
 * are in invoice order.
 * @throws InvariantError if `negativeDelta` is FAIL and less usage exists than was billed.
 */
export function settleInterval(input: SettleInput): readonly UsageCharge[] {
  const { rated, itemMode, interval } = input;
  const isOneItem = rated.kind === 'CAPACITY' || itemMode === ItemMode.AGGREGATE;
  const charges = isOneItem ? settleAggregate(input) : settleDetail({ ...input, rated });
  // Items of amount 0 within one day are dropped (§7.5 rule 3).
  return interval.start.date === interval.end.date
    ? charges.filter((charge) => !isZeroItem(charge))
    : charges;
}

/** Returns one item with the difference between the rating and the billed amount (§7.3 steps 4 and 5, §7.4). */
function settleAggregate(input: SettleInput): readonly UsageCharge[] {
  const { rated, previous } = input;
  const facts = { lines: rated.lines, due: rated.amount, billed: billedTotal(previous) };
  if (previous.length === 0) return [usageItem(rated.amount, fullDetails(rated), facts)];
  const delta = rated.amount.minus(facts.billed);
  if (delta.isZero() || isOnlyRoundedOtherwise(input)) return [];
  const details = deltaDetails(input);
  if (delta.greaterThan(ZERO)) return [usageItem(delta, details.first, facts)];
  return creditsDelta(delta, input) ? new Refundable(previous).credit(delta.abs(), { details, facts }) : [];
}

function usageItem(amount: Decimal, details: string, facts: ChargeFacts): UsageCharge {
  return { kind: 'USAGE', amount, rate: null, quantity: null, details, ...facts };
}

function fullDetails({ lines, exact, overflow }: RatedUsage): string {
  return aggregateDetails({ lines, amount: exact, overflow });
}

/**
 * Returns the details of a difference (§7.3). For ALL_TIERS, they contain the new quantities. For TOP_TIER and
 * CAPACITY, they contain the whole new rating.
 */
function deltaDetails(input: SettleInput) {
  const { rated } = input;
  if (rated.kind !== 'ALL_TIERS') {
    const details = fullDetails(rated);
    return { first: details, others: details };
  }
  const changes = changeOf(rated, billedLines({ ...input, rated })).filter(isListed);
  const { overflow } = rated;
  const content = (lines: readonly BlockLine[]) =>
    aggregateDetails({ lines, amount: sum(lines.map(({ amount }) => amount)), overflow });
  const nothing = ({ change }: LineChange): BlockLine => ({ ...change, quantity: ZERO, amount: ZERO });
  return { first: content(changes.map(({ change }) => change)), others: content(changes.map(nothing)) };
}

/**
 * Returns true if the details list a line. Tier 1 is always listed. Other tiers are listed only if they have changed.
 */
function isListed({ change }: LineChange): boolean {
  return change.tier === 1 || !change.quantity.isZero() || !change.amount.isZero();
}

/**
 * Returns true if the same usage was billed line by line. Lines are rounded separately, so the total may differ by a
 * few cents although there is no new usage.
 */
function isOnlyRoundedOtherwise(input: SettleInput): boolean {
  const { rated, previous } = input;
  if (rated.kind === 'CAPACITY') return false;
  const wasDetailed = previous.some(({ entries }) =>
    entries.some(({ details }) => readItemDetails(details)?.shape === 'DETAIL'),
  );
  if (!wasDetailed) return false;
  const billed = billedLines({ ...input, rated });
  return (
    rated.lines.every((line) => billed.get(keyOf(rated.kind, line))?.amount.equals(line.amount) ?? false) &&
    sum([...billed.values()].map(({ amount }) => amount)).equals(rated.exact)
  );
}

/** Returns one item per line, with the difference between the line's rounded amount and its billed amount (§7.4). */
function settleDetail(input: SettleInput & { readonly rated: RatedConsumable }): readonly UsageCharge[] {
  const { rated, previous, currency } = input;
  const refundable = new Refundable(previous);
  return changeOf(rated, billedLines(input)).flatMap((line): readonly UsageCharge[] => {
    const delta = deltaOf(line, currency);
    const isSame = delta.isZero() && line.change.quantity.isZero();
    if (isSame && previous.length > 0) return [];
    const details = detailsOf(line, rated);
    const facts = factsOf(line, delta, currency);
    if (!delta.lessThan(ZERO)) {
      const { price: rate, quantity } = shownLine(line, rated);
      return [{ kind: 'USAGE', amount: delta, rate, quantity, details: details.first, ...facts }];
    }
    const isOfLine = (item: BilledEntry) => standsFor(item, line.now, rated);
    return creditsDelta(delta, input) ? refundable.credit(delta.abs(), { details, facts }, isOfLine) : [];
  });
}

function deltaOf({ now, change, billed }: LineChange, currency: Currency): Decimal {
  // If an item covers several lines, the share of one line is rounded differently from an item for a single line.
  const isUnchanged = change.quantity.isZero() && change.amount.isZero();
  if (billed?.isShared === true && isUnchanged) return ZERO;
  return roundToCurrency(now.amount, currency).minus(billed?.charged ?? ZERO);
}

function factsOf({ now }: LineChange, delta: Decimal, currency: Currency): ChargeFacts {
  const due = roundToCurrency(now.amount, currency);
  return { lines: [now], due, billed: due.minus(delta) };
}

/**
 * Returns the line in the form for item details (§7.4). For ALL_TIERS, it contains the change. For TOP_TIER, it
 * contains all blocks at the new price.
 */
function shownLine({ now, change }: LineChange, { kind }: RatedConsumable): BlockLine {
  return kind === 'TOP_TIER' ? now : change;
}

function detailsOf(line: LineChange, rated: RatedConsumable) {
  const shown = shownLine(line, rated);
  const overflow = overflowOf(line.now, rated);
  const nothing = rated.kind === 'TOP_TIER' ? shown : { ...shown, quantity: ZERO, amount: ZERO };
  return { first: lineDetails(shown, overflow), others: lineDetails(nothing, overflow) };
}

/** Returns the overflow of a unit. It is part of the line of the unit's last tier (§7.4). */
function overflowOf({ unit, tier }: BlockLine, { lines, overflow }: RatedConsumable): readonly Overflow[] {
  const last = lines.findLast((line) => line.unit === unit);
  return last?.tier === tier ? overflow.filter((rest) => rest.unit === unit) : [];
}

function standsFor({ details }: BilledEntry, line: BlockLine, { kind }: RatedConsumable): boolean {
  const read = readItemDetails(details);
  return read?.shape === 'DETAIL' && keyOf(kind, read.lines[0]) === keyOf(kind, line);
}

/** Tracks how much of an interval's USAGE items can still be credited. */
class Refundable {
  /** USAGE items, newest first. */
  readonly #items: readonly BilledEntry[];
  readonly #left: Map<Uuid, Decimal>;

  constructor(previous: readonly ChargedInterval[]) {
    this.#items = previous
      .flatMap(({ entries }) => entries)
      .filter(({ linkedItemId }) => linkedItemId === null)
      .toReversed();
    this.#left = new Map(this.#items.map(({ itemId, remaining }) => [itemId, remaining]));
  }

  /**
   * Returns one credit per item, newest item first. Each credit is limited to the item's remaining amount (§7.7 rule
   * 2). Only the first credit has details with quantities, so that later differences are computed from the net amount.
   * @param total Amount above 0.
   * @param isPreferred Selects the items to credit first.
   */
  credit(
    total: Decimal,
    of: {
      readonly details: { readonly first: string; readonly others: string };
      readonly facts: ChargeFacts;
    },
    isPreferred?: (item: BilledEntry) => boolean,
  ): UsageCredit[] {
    const credits: UsageCredit[] = [];
    let open = total;
    for (const { itemId } of this.#putPreferredFirst(isPreferred)) {
      const left = this.#left.get(itemId) ?? ZERO;
      const part = lesser(left, open);
      if (!part.greaterThan(ZERO)) continue;
      this.#left.set(itemId, left.minus(part));
      const details = credits.length === 0 ? of.details.first : of.details.others;
      const amount = part.negated();
      credits.push({ kind: 'CREDIT', linkedItemId: itemId, amount, details, open, left, ...of.facts });
      open = open.minus(part);
    }
    return credits;
  }

  #putPreferredFirst(isPreferred: ((item: BilledEntry) => boolean) | undefined): readonly BilledEntry[] {
    if (isPreferred === undefined) return this.#items;
    return [...this.#items.filter(isPreferred), ...this.#items.filter((item) => !isPreferred(item))];
  }
}

/**
 * Returns true if the setting allows a credit for the overcharged amount. `delta` is negative.
 * @throws InvariantError if the setting is FAIL.
 */
function creditsDelta(delta: Decimal, { usageName, interval, negativeDelta }: SettleInput): boolean {
  if (negativeDelta !== NegativeDelta.FAIL) return negativeDelta === NegativeDelta.CREDIT;
  const [start, end] = [formatLocalDate(interval.start.date), formatLocalDate(interval.end.date)];
  throw new InvariantError(
    `The amount of usage ${usageName} from ${start} to ${end} is ${formatDecimal(delta.abs())} less than billed; record the missing usage, or set invoice.usage.negativeDelta to CREDIT or IGNORE`,
    { usageName, start, end, delta: formatDecimal(delta) },
  );
}

/** An item of an interval, without the dates, names and currency, which the run of the interval supplies (§7.4). */
export type UsageCharge = UsageItem | UsageCredit;

/** The facts that explain an amount. The amount is the total of the lines minus the amount already billed. */
interface ChargeFacts {
  /** The lines of the current rating. A DETAIL item has only its own line. */
  readonly lines: readonly (BlockLine | PeakLine)[];
  /** Total of the lines, rounded to the currency's minor unit. For CAPACITY, this is the price of the section. */
  readonly due: Decimal;
  /** The amount already billed (B of §7.3). For a DETAIL item, this is the line's share of that amount. */
  readonly billed: Decimal;
}

interface UsageItem extends ChargeFacts {
  readonly kind: 'USAGE';
  readonly amount: Decimal;
  /** Tier price of a DETAIL item, or null for other items. */
  readonly rate: Decimal | null;
  /** The number of blocks of a DETAIL item, or null for other items. */
  readonly quantity: Decimal | null;
  readonly details: string;
}

/** A REPAIR_ADJ item that credits part of a USAGE item (§7.7 rule 2). */
export interface UsageCredit extends ChargeFacts {
  readonly kind: 'CREDIT';
  readonly linkedItemId: Uuid;
  /** The amount, below 0. */
  readonly amount: Decimal;
  /** The amount that can still be credited. It is above 0. */
  readonly open: Decimal;
  readonly left: Decimal;
  readonly details: string;
}

/**
 * Returns true for an item that has neither an amount nor free blocks. Such an item only documents its period (§7.5).
 */
export function isZeroItem(charge: UsageCharge): boolean {
  if (charge.kind === 'CREDIT' || !charge.amount.isZero()) return false;
  return charge.quantity === null || charge.quantity.lessThanOrEqualTo(0);
}
