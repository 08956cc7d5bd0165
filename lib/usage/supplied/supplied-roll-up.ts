import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import { compareText } from '../rating/text-order.ts';
import type { SuppliedPiece } from './supplied-usage.ts';

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
