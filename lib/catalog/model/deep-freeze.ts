import { Decimal } from '../../values/money/index.ts';

/** Freezes plain records and lists to the last level. Decimals are values already and stay as they are. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Decimal.isDecimal(value)) return value;
  for (const part of Object.values(value)) deepFreeze(part);
  return Object.freeze(value);
}
