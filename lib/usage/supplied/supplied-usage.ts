import type { Uuid } from '../../values/ids/index.ts';
import { MAX_SUPPLIED_TRACKING_IDS } from '../../values/limits.ts';
import { type Decimal, ZERO } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';
import { compareText, type UsageSum } from '../rating/quantities.ts';

/** What a usage source has told of one subscription, as far as a run looks at it (§9): sums, never records. */
export type SuppliedUsage =
  | { readonly kind: 'RECORDS'; readonly pieces: readonly SuppliedPiece[] }
  /** By the text of `quantityKey`. */
  | { readonly kind: 'QUANTITIES'; readonly quantities: ReadonlyMap<string, SuppliedQuantity> };

/** The records of one unit in a day, or in the part of a day between two neighbouring cuts. */
export interface SuppliedPiece extends UsageSum {
  readonly from: Instant;
  /** Exclusive. */
  readonly to: Instant;
  readonly trackingIds: readonly string[];
}

export interface SuppliedQuantity {
  readonly quantity: UsageSum['sum'];
  readonly trackingIds: readonly string[];
}

/** A stretch of an interval. */
export interface SuppliedSpan {
  readonly start: Instant;
  readonly end: Instant;
  readonly endInclusive: boolean;
}

export function quantityKey(usageName: string, unit: string, { start, end }: SuppliedSpan): string {
  return JSON.stringify([usageName, unit, start, end]);
}

/** An instant at which a day is cut. */
export interface DayCut {
  readonly at: Instant;
  readonly date: LocalDate;
}

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

export interface SuppliedRollUp {
  /** Cut at every bound of the stretches. */
  readonly pieces: readonly SuppliedPiece[];
  readonly subscriptionId: Uuid;
  /** Of this unit alone; null = of every unit. */
  readonly unit: string | null;
}

/** What a source says was used in each stretch, by unit in the order of their code points (§3.1). */
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
