import { MAX_SUPPLIED_TRACKING_IDS } from '../../values/limits.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { SuppliedPiece } from './supplied-usage.ts';

/** A record of a source, as it was read. */
export interface SuppliedRecord {
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

/** Adds records up as they come, so that what they take is that of slots and units, however many there are. */
export class RecordSums {
  readonly #slots: readonly Instant[];
  readonly #sums = new Map<number, Map<string, Sums>>();
  #trackingIds = 0;

  /** @param slots where one slot ends and the next begins; ascending, each once. */
  constructor(slots: readonly Instant[]) {
    this.#slots = slots;
  }

  /** False if it lies in no slot. */
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

  /** By slot, in the order in which units came first. */
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

  /** The place of the last boundary that is not after the instant; -1 before the first and from the last on. */
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
