import fc from 'fast-check';
import { propertyRuns } from './long-run.ts';

type Arbitraries<Values> = { [Place in keyof Values]: fc.Arbitrary<Values[Place]> };

export type Generated<A> = A extends fc.Arbitrary<infer Value> ? Value : never;

/** Checks a property with the default number of random cases. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  values: [...Arbitraries<Values>],
  check: (...values: Values) => unknown,
): void {
  forRuns(propertyRuns, values, check);
}

/** Checks a property with the given number of random cases. A check fails if it throws or returns false. */
export function forRuns<Values extends [unknown, ...unknown[]]>(
  numRuns: number,
  values: [...Arbitraries<Values>],
  check: (...values: Values) => unknown,
): void {
  const holds = (...given: Values) => check(...given) !== false;
  fc.assert(fc.property<Values>(...values, holds), { numRuns });
}
