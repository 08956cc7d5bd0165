import { Decimal } from '../../values/money/index.ts';
import type { PlanPhase } from '../model/catalog-model.ts';

/** True if two phases charge the same from day to day: recurring section and usages (§6.4 rule 8). */
export function hasSamePrices(one: PlanPhase, other: PlanPhase): boolean {
  if (one === other) return true;
  return isSameValue(one.recurring, other.recurring) && isSameValue(one.usages, other.usages);
}

/** Plain data with decimals; a written decimal counts by its value. */
function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (!isObject(one) || !isObject(other)) return false;
  if (one instanceof Decimal || other instanceof Decimal) {
    return one instanceof Decimal && other instanceof Decimal && one.equals(other);
  }
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  if (one.value instanceof Decimal && 'text' in one) return isSameValue(one.value, other.value);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
