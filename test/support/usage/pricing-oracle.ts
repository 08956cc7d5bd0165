/**
 * Prices usage without code from `lib`: a meter charges each block when it starts. All numbers are integer thousandths.
 */

export interface OracleBlock {
  readonly unit: string;
  readonly size: bigint;
  /** Blocks; null = unlimited. */
  readonly max: bigint | null;
  readonly price: bigint;
}

export interface OracleLimit {
  readonly unit: string;
  readonly max: bigint | null;
}

export interface OraclePoint {
  readonly unit: string;
  readonly amount: bigint;
}

export interface OraclePrice {
  readonly amount: bigint;
  /** Units beyond the last tier. */
  readonly beyond: bigint;
}

type OracleTiers = readonly (readonly OracleBlock[])[];

/** Charges each started block in the first tier with a free block. */
export function pricedByMeter(
  tiers: OracleTiers,
  points: readonly OraclePoint[],
  isLastUnbounded: boolean,
): OraclePrice {
  let amount = 0n;
  let beyond = 0n;
  const meters = new Map<string, Meter>();
  for (const point of points) {
    const meter = meters.get(point.unit) ?? new Meter(tiers, point.unit, isLastUnbounded);
    meters.set(point.unit, meter);
    meter.take(point.amount);
  }
  for (const meter of meters.values()) {
    amount += meter.charged;
    beyond += meter.beyond;
  }
  return { amount, beyond };
}

/** Prices all blocks at the tier of the last unit. */
export function pricedByTopTier(tiers: OracleTiers, points: readonly OraclePoint[]): bigint {
  let amount = 0n;
  for (const unit of new Set(points.map((point) => point.unit))) {
    const own = points.filter((point) => point.unit === unit);
    const climbing = new Meter(tiers, unit, true);
    for (const point of own) climbing.take(point.amount);
    const counting = new Meter([[{ ...climbing.block, max: null }]], unit, true);
    for (const point of own) counting.take(point.amount);
    amount += counting.charged;
  }
  return amount;
}

/** Prices the first tier whose limits no point exceeds, otherwise the last; nothing without usage. */
export function pricedByPeaks(
  tiers: readonly { readonly price: bigint; readonly limits: readonly OracleLimit[] }[],
  points: readonly OraclePoint[],
): bigint {
  if (points.every((point) => point.amount === 0n)) return 0n;
  for (const { price, limits } of tiers) {
    const isExceeded = points.some((point) =>
      limits.some((limit) => limit.unit === point.unit && limit.max !== null && point.amount > limit.max),
    );
    if (!isExceeded) return price;
  }
  return tiers[tiers.length - 1]?.price ?? 0n;
}

class Meter {
  charged = 0n;
  beyond = 0n;
  readonly #blocks: readonly OracleBlock[];
  readonly #isLastUnbounded: boolean;
  #tier = 0;
  #begun = 0n;
  #room = 0n;

  constructor(tiers: OracleTiers, unit: string, isLastUnbounded: boolean) {
    this.#blocks = tiers.flatMap((blocks) => blocks.filter((block) => block.unit === unit));
    this.#isLastUnbounded = isLastUnbounded;
  }

  get block(): OracleBlock {
    const block = this.#blocks[this.#tier];
    if (block === undefined) throw new Error('A section has at least one tier');
    return block;
  }

  take(amount: bigint): void {
    let left = amount;
    while (left > 0n) {
      if (this.#room === 0n && !this.#begin()) {
        this.beyond += left;
        return;
      }
      const taken = left < this.#room ? left : this.#room;
      this.#room -= taken;
      left -= taken;
    }
  }

  #begin(): boolean {
    const isLast = this.#tier === this.#blocks.length - 1;
    const { max, price, size } = this.block;
    if (max !== null && this.#begun === max && !(isLast && this.#isLastUnbounded)) {
      if (isLast) return false;
      this.#tier += 1;
      this.#begun = 0n;
      return this.#begin();
    }
    this.#begun += 1n;
    this.charged += price;
    this.#room = size;
    return true;
  }
}
