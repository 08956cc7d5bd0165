import { ThresholdMeasure } from '../../records/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import { type Quantities, quantityOf } from '../rating/quantities.ts';
import type { Thresholds } from './section-terms.ts';

/** A bound that a period has reached. */
export interface ThresholdPassed {
  readonly measure: ThresholdMeasure;
  /** The unit or the currency. */
  readonly measured: string;
  readonly bound: Decimal;
  /** How much was used, or what it costs. */
  readonly reached: Decimal;
}

export interface PeriodSoFar {
  readonly quantities: Quantities;
  readonly amount: Decimal;
  readonly currency: Currency;
}

/** The thresholds that a period has reached or gone beyond, quantities first, each in ascending order (§12.1). */
export function passedThresholds(
  { quantity, amount }: Thresholds,
  { quantities, amount: due, currency }: PeriodSoFar,
): readonly ThresholdPassed[] {
  const { QUANTITY, AMOUNT } = ThresholdMeasure;
  const ofUnits = [...quantity].flatMap(([unit, bounds]) =>
    passed(bounds, { measure: QUANTITY, measured: unit, reached: quantityOf(quantities, unit) }),
  );
  const bounds = amount.get(currency) ?? [];
  return [...ofUnits, ...passed(bounds, { measure: AMOUNT, measured: currency, reached: due })];
}

function passed(bounds: readonly Decimal[], of: Omit<ThresholdPassed, 'bound'>): readonly ThresholdPassed[] {
  return bounds.filter((bound) => of.reached.greaterThanOrEqualTo(bound)).map((bound) => ({ ...of, bound }));
}
