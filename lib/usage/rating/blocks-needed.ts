import { type Decimal, ZERO } from '../../values/money/index.ts';

/** `ceilDiv` of §5: how many blocks of `size` hold `units`, whole ones; 0 where nothing was used. */
export function blocksNeeded(units: Decimal, size: Decimal): Decimal {
  if (units.lessThanOrEqualTo(ZERO)) return ZERO;
  const full = units.dividedToIntegerBy(size);
  // Not a rounded quotient: what is left of a block decides, however small it is.
  return units.modulo(size).isZero() ? full : full.plus(1);
}
