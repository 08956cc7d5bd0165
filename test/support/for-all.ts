import fc from 'fast-check';
import { propertyRuns } from './long-run.ts';

type Arbitraries<Values> = { [Place in keyof Values]: fc.Arbitrary<Values[Place]> };

/** Checks a property with the default number of random cases. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  values: [...Arbitraries<Values>],
  check: (...values: Values) => boolean | void,
): void {
  forRuns(propertyRuns, values, check);
}

/** Checks a property with the given number of random cases. */
export function forRuns<Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  values: [...Arbitraries<Values>],
  check: (...values: Values) => boolean | void,
): void {
  fc.assert(fc.property<Values>(...values, check), { numRuns });
}
