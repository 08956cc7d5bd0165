import type { SuppliedDigest } from '../../../../lib/records/index.ts';
import { Decimal, formatDecimal } from '../../../../lib/values/money/index.ts';
import type { Instant } from '../../../../lib/values/time/index.ts';

interface StoredDigest {
  readonly amounts: readonly (readonly [unit: string, start: Instant, end: Instant, quantity: string])[];
  readonly ids: readonly string[];
}

/** Returns the stored text of a usage source's answer. */
export function writeSupplied({ amounts, trackingIds }: SuppliedDigest): string {
  const stored: StoredDigest = {
    amounts: amounts.map(({ unit, start, end, quantity }) => [unit, start, end, formatDecimal(quantity)]),
    ids: trackingIds,
  };
  return JSON.stringify(stored);
}

export function readSupplied(text: string): SuppliedDigest {
  const { amounts, ids }: StoredDigest = JSON.parse(text);
  return {
    amounts: amounts.map(([unit, start, end, quantity]) => ({
      unit,
      start,
      end,
      quantity: new Decimal(quantity),
    })),
    trackingIds: ids,
  };
}
