import fc from 'fast-check';
import { propertyRuns } from './long-run.ts';

type Arbitraries<Values> = { [Place in keyof Values]: fc.Arbitrary<Values[Place]> };

/** Checks a property with random values, as many times as most properties are checked. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  values: [...Arbitraries<Values>],
  check: (...values: Values) => boolean | void,
): void {
  forRuns(propertyRuns, values, check);
}

/** Checks a property with random values, the given number of times. */
export function forRuns<Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  values: [...Arbitraries<Values>],
  check: (...values: Values) => boolean | void,
): void {
  fc.assert(fc.property<Values>(...values, check), { numRuns });
}
