import { MalformedAnswer } from '../../values/errors/index.ts';
import { isUuid, type Uuid } from '../../values/ids/index.ts';
import {
  MAX_SUPPLIED_TRACKING_IDS,
  MAX_TRACKING_ID_CHARACTERS,
  MAX_UNIT_NAME_CHARACTERS,
} from '../../values/limits.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import { isStorable } from '../../values/text/index.ts';
import { type Instant, instant, isInstantMs, parseWireInstant } from '../../values/time/index.ts';
import { compareText, type UsageSum } from '../rating/quantities.ts';
import { readAmount } from '../recording/read-submission.ts';

/** The usage of one subscription from a usage source (§9). It contains sums, not single records. */
export type SuppliedUsage =
  | { readonly kind: 'RECORDS'; readonly pieces: readonly SuppliedPiece[] }
  /** Quantities by the text of `quantityKey`. */
  | { readonly kind: 'QUANTITIES'; readonly quantities: ReadonlyMap<string, SuppliedQuantity> };

/** The records of one unit in a day, or between two neighboring instants that divide a day. */
export interface SuppliedPiece extends UsageSum {
  readonly from: Instant;
  /** Exclusive end of the range. */
  readonly to: Instant;
  readonly trackingIds: readonly string[];
}

export interface SuppliedQuantity {
  readonly quantity: UsageSum['sum'];
  readonly trackingIds: readonly string[];
}

export interface SuppliedSpan {
  readonly start: Instant;
  readonly end: Instant;
  readonly endInclusive: boolean;
}

export function quantityKey(usageName: string, unit: string, { start, end }: SuppliedSpan): string {
  return JSON.stringify([usageName, unit, start, end]);
}

interface SuppliedRecord {
  readonly at: Instant;
  readonly unit: string;
  readonly amount: Decimal;
  readonly trackingId: string | null;
}

interface Sums {
  sum: Decimal;
  max: Decimal;
  readonly trackingIds: Set<string>;
}

/** Adds up records as they arrive. Memory use depends only on the number of slots and units. */
export class RecordSums {
  readonly #slots: readonly Instant[];
  readonly #sums = new Map<number, Map<string, Sums>>();
  #trackingIds = 0;

  /** @param slots Distinct bounds of the slots, in ascending order. */
  constructor(slots: readonly Instant[]) {
    this.#slots = slots;
  }

  /** Adds a record. Returns false if the record is outside all slots. */
  add({ at, unit, amount, trackingId }: SuppliedRecord): boolean {
    const slot = this.#slotOf(at);
    if (slot < 0) return false;
    const units = this.#sums.get(slot) ?? new Map<string, Sums>();
    this.#sums.set(slot, units);
    const sums = units.get(unit) ?? { sum: ZERO, max: ZERO, trackingIds: new Set<string>() };
    units.set(unit, sums);
    sums.sum = sums.sum.plus(amount);
    if (amount.greaterThan(sums.max)) sums.max = amount;
    if (trackingId !== null && !sums.trackingIds.has(trackingId)) this.#note(sums, trackingId);
    return true;
  }

  /** Returns the pieces by slot. Within a slot, units are in the order in which they first occurred. */
  pieces(): readonly SuppliedPiece[] {
    const slots = [...this.#sums].sort(([a], [b]) => a - b);
    return slots.flatMap(([slot, units]) => {
      const [from, to] = this.#slots.slice(slot, slot + 2);
      if (from === undefined || to === undefined) return [];
      return [...units].map(([unit, { sum, max, trackingIds }]) => ({
        unit,
        from,
        to,
        sum,
        max,
        trackingIds: [...trackingIds],
      }));
    });
  }

  #note({ trackingIds }: Sums, trackingId: string): void {
    if (this.#trackingIds >= MAX_SUPPLIED_TRACKING_IDS) return;
    this.#trackingIds += 1;
    trackingIds.add(trackingId);
  }

  /**
   * Returns the index of the slot that contains the instant. Returns -1 before the first bound and from the last bound
   * on.
   */
  #slotOf(at: Instant): number {
    let [low, high] = [0, this.#slots.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#slots[middle] ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    return low === this.#slots.length ? -1 : low - 1;
  }
}

interface SuppliedRollUp {
  /** Pieces of usage, divided at the bounds of the time spans. */
  readonly pieces: readonly SuppliedPiece[];
  readonly subscriptionId: Uuid;
  /** Unit of the usage. Null means all units. */
  readonly unit: string | null;
}

/** Returns the supplied usage of each time span, by unit in code point order (§3.1). */
export function suppliedUsage(
  stretches: readonly { readonly start: Instant; readonly end: Instant }[],
  { pieces, subscriptionId, unit }: SuppliedRollUp,
) {
  const wanted = pieces.filter((piece) => unit === null || piece.unit === unit);
  return stretches.map(({ start, end }) => {
    const amounts = new Map<string, Decimal>();
    for (const { unit: unitType, from, to, sum } of wanted) {
      if (from >= start && to <= end) amounts.set(unitType, amounts.get(unitType)?.plus(sum) ?? sum);
    }
    const units = [...amounts].sort(([a], [b]) => compareText(a, b));
    return {
      subscriptionId,
      startDate: start,
      endDate: end,
      rolledUpUnits: units.map(([unitType, amount]) => ({ unitType, amount })),
    };
  });
}

interface ClaimedRecord extends SuppliedRecord {
  readonly subscriptionId: Uuid;
}

/** Parses a record. @throws MalformedAnswer with the position of the record if the record is invalid. */
export function claimedRecord(given: unknown, index: number): ClaimedRecord {
  const at = `records[${index}]`;
  const { subscriptionId, instant: when, unitType, amount, trackingId } = membersOf(given, at);
  const unit = textOf(unitType, MAX_UNIT_NAME_CHARACTERS);
  if (unit === null) throw new MalformedAnswer(`returned ${at}.unitType that is not a unit name`);
  return {
    subscriptionId: uuidOf(subscriptionId, at),
    at: instantOf(when, at),
    unit,
    amount: amountOf(amount, `${at}.amount`),
    trackingId: trackingId == null ? null : trackingIdOf(trackingId, `${at}.trackingId`),
  };
}

/** Returns the quantities of an aggregated result. @throws MalformedAnswer if they are invalid. */
export function claimedQuantities(given: unknown, expected: number): readonly SuppliedQuantity[] {
  if (!Array.isArray(given)) throw new MalformedAnswer('returned aggregated usage that is not a list');
  if (given.length !== expected)
    throw new MalformedAnswer(`returned ${given.length} quantities for ${expected} requests`);
  return given.map((each, index) => {
    const at = `quantities[${index}]`;
    const { quantity, trackingIds } = membersOf(each, at);
    return { quantity: amountOf(quantity, `${at}.quantity`), trackingIds: trackingIdsOf(trackingIds, at) };
  });
}

/** Returns an iterator over the records of a result. @throws MalformedAnswer if the result is not iterable. */
export function claimedRecords(given: unknown): AsyncIterator<unknown> | Iterator<unknown> {
  if (typeof given !== 'object' || given === null)
    throw new MalformedAnswer('returned records that are not a stream');
  const stream: { readonly [Symbol.asyncIterator]?: unknown; readonly [Symbol.iterator]?: unknown } = given;
  const begin = stream[Symbol.asyncIterator] ?? stream[Symbol.iterator];
  if (typeof begin !== 'function') throw new MalformedAnswer('returned records that are not a stream');
  const iterator: unknown = begin.call(given);
  if (isIterator(iterator)) return iterator;
  throw new MalformedAnswer('returned an unreadable stream of records');
}

function isIterator(given: unknown): given is AsyncIterator<unknown> | Iterator<unknown> {
  return (
    typeof given === 'object' && given !== null && typeof (given as { next?: unknown }).next === 'function'
  );
}

function trackingIdsOf(given: unknown, at: string): readonly string[] {
  if (given == null) return [];
  if (!Array.isArray(given)) throw new MalformedAnswer(`returned ${at}.trackingIds that is not a list`);
  const ids = given.slice(0, MAX_SUPPLIED_TRACKING_IDS);
  return ids.map((id, index) => trackingIdOf(id, `${at}.trackingIds[${index}]`));
}

function trackingIdOf(given: unknown, at: string): string {
  const id = textOf(given, MAX_TRACKING_ID_CHARACTERS);
  if (id !== null) return id;
  throw new MalformedAnswer(
    `returned ${at} that is not a text of 1 to ${MAX_TRACKING_ID_CHARACTERS} characters`,
  );
}

function textOf(given: unknown, most: number): string | null {
  if (typeof given !== 'string' || given === '' || given.length > most) return null;
  return isStorable(given) ? given : null;
}

function uuidOf(given: unknown, at: string): Uuid {
  const id = typeof given === 'string' ? given.toLowerCase() : '';
  if (isUuid(id)) return id;
  throw new MalformedAnswer(`returned ${at}.subscriptionId that is not an id`);
}

function instantOf(given: unknown, at: string): Instant {
  const ms = given instanceof Date ? given.getTime() : given;
  if (typeof ms === 'number' && isInstantMs(Math.trunc(ms))) return instant(Math.trunc(ms));
  const read = typeof ms === 'string' ? parseWireInstant(ms) : undefined;
  if (read !== undefined) return read;
  throw new MalformedAnswer(`returned ${at}.instant that is not an instant`);
}

function amountOf(given: unknown, at: string): Decimal {
  const read = readAmount(given, { negativeAmounts: false });
  if ('amount' in read) return read.amount;
  throw new MalformedAnswer(
    `returned ${at} that is not a decimal of at least 0, with at most 20 digits before the point and 9 after it`,
  );
}

function membersOf(given: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given))
    return given as Readonly<Record<string, unknown>>;
  throw new MalformedAnswer(`returned ${at} that is not an object`);
}
