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
  /** Rating of all usage of the interval so far. */
  readonly rated: RatedUsage;
  /** Intervals of `matchBilled` in billing order. */
  readonly previous: readonly ChargedInterval[];
  readonly currency: Currency;
  readonly itemMode: ItemMode;
  readonly negativeDelta: NegativeDelta;
}

/**
 * Returns the items that make the billed amount of an interval equal to its rating, in invoice order (§7.3 to §7.5,
 * §7.7).
 * @throws InvariantError with FAIL if less was used than is billed.
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

/** Returns one item for the difference between the rating and the billed amount (§7.3 steps 4 and 5, §7.4). */
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
 * Returns the details of a difference. ALL_TIERS shows the new quantities. TOP_TIER and CAPACITY show the whole new
 * rating (§7.3).
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

/** Returns true if a line is listed. Tier 1 is always listed, other tiers only if they change. */
function isListed({ change }: LineChange): boolean {
  return change.tier === 1 || !change.quantity.isZero() || !change.amount.isZero();
}

/**
 * Returns true if the same usage was billed line by line. Each line was rounded separately, so the sums may differ by
 * cents without new usage.
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

/** Returns one item per line for the difference between its rounded amount and its billed amount (§7.4). */
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
  // A share of an item for several lines is rounded differently from a single line.
  const isUnchanged = change.quantity.isZero() && change.amount.isZero();
  if (billed?.isShared === true && isUnchanged) return ZERO;
  return roundToCurrency(now.amount, currency).minus(billed?.charged ?? ZERO);
}

function factsOf({ now }: LineChange, delta: Decimal, currency: Currency): ChargeFacts {
  const due = roundToCurrency(now.amount, currency);
  return { lines: [now], due, billed: due.minus(delta) };
}

/** Returns the line as shown. ALL_TIERS shows the change. TOP_TIER shows all blocks at the new price (§7.4). */
function shownLine({ now, change }: LineChange, { kind }: RatedConsumable): BlockLine {
  return kind === 'TOP_TIER' ? now : change;
}

function detailsOf(line: LineChange, rated: RatedConsumable) {
  const shown = shownLine(line, rated);
  const overflow = overflowOf(line.now, rated);
  const nothing = rated.kind === 'TOP_TIER' ? shown : { ...shown, quantity: ZERO, amount: ZERO };
  return { first: lineDetails(shown, overflow), others: lineDetails(nothing, overflow) };
}

/** Returns the overflow of a unit, which belongs to the line of its last tier (§7.4). */
function overflowOf({ unit, tier }: BlockLine, { lines, overflow }: RatedConsumable): readonly Overflow[] {
  const last = lines.findLast((line) => line.unit === unit);
  return last?.tier === tier ? overflow.filter((rest) => rest.unit === unit) : [];
}

function standsFor({ details }: BilledEntry, line: BlockLine, { kind }: RatedConsumable): boolean {
  const read = readItemDetails(details);
  return read?.shape === 'DETAIL' && keyOf(kind, read.lines[0]) === keyOf(kind, line);
}

/** The amounts of an interval's USAGE items that can be credited. */
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
   * Returns one credit per item, newest first, each up to the remaining amount (§7.7 rule 2). Only the first credit
   * has details with quantities, so that later deltas start from the net amount.
   * @param total amount above 0.
   * @param isPreferred selects the items to credit first.
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
    for (const { itemId } of this.#ordered(isPreferred)) {
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

  #ordered(isPreferred: ((item: BilledEntry) => boolean) | undefined): readonly BilledEntry[] {
    if (isPreferred === undefined) return this.#items;
    return [...this.#items.filter(isPreferred), ...this.#items.filter((item) => !isPreferred(item))];
  }
}

/** Returns true if the setting allows a credit for the excess. `delta` is below 0. @throws InvariantError with FAIL. */
function creditsDelta(delta: Decimal, { usageName, interval, negativeDelta }: SettleInput): boolean {
  if (negativeDelta !== NegativeDelta.FAIL) return negativeDelta === NegativeDelta.CREDIT;
  const [start, end] = [formatLocalDate(interval.start.date), formatLocalDate(interval.end.date)];
  throw new InvariantError(
    `The amount of usage ${usageName} from ${start} to ${end} is ${formatDecimal(delta.abs())} less than billed; record the missing usage, or set invoice.usage.negativeDelta to CREDIT or IGNORE`,
    { usageName, start, end, delta: formatDecimal(delta) },
  );
}

/** An item of an interval. The run of the interval supplies dates, names and currency (§7.4). */
export type UsageCharge = UsageItem | UsageCredit;

/** The facts that explain an amount: the total of the lines minus the amount already billed. */
interface ChargeFacts {
  /** The current rating: all lines of the interval, or the line of a DETAIL item. */
  readonly lines: readonly (BlockLine | PeakLine)[];
  /** Total of the lines, rounded to the currency. For CAPACITY, the price of the section. */
  readonly due: Decimal;
  /** The billed amount (B of §7.3), or its share for the line. */
  readonly billed: Decimal;
}

interface UsageItem extends ChargeFacts {
  readonly kind: 'USAGE';
  readonly amount: Decimal;
  /** Tier price of a DETAIL item, otherwise null. */
  readonly rate: Decimal | null;
  /** Number of blocks of a DETAIL item, otherwise null. */
  readonly quantity: Decimal | null;
  readonly details: string;
}

/** A REPAIR_ADJ that credits part of a USAGE item (§7.7 rule 2). */
export interface UsageCredit extends ChargeFacts {
  readonly kind: 'CREDIT';
  readonly linkedItemId: Uuid;
  /** The amount, below 0. */
  readonly amount: Decimal;
  /** The amount that remains to be credited, which is above 0. */
  readonly open: Decimal;
  readonly left: Decimal;
  readonly details: string;
}

/** Returns true for an item that only documents its period, with neither an amount nor free blocks (§7.5). */
export function isZeroItem(charge: UsageCharge): boolean {
  if (charge.kind === 'CREDIT' || !charge.amount.isZero()) return false;
  return charge.quantity === null || charge.quantity.lessThanOrEqualTo(0);
}
