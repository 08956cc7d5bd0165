import type { Books } from './books.ts';
import type { Observations } from './observations.ts';

/** Everything that is looked at: what is stored now, what was stored some time before, and what the engine answers. */
export interface Evidence {
  readonly books: Books;
  /** The same database at an earlier moment. */
  readonly earlier: Books;
  readonly observed: Observations;
}

/** A statement that holds of all data at every moment at which nothing is due. */
export interface Invariant {
  readonly name: string;
  /** Where it does not hold, one line each. */
  breaches(evidence: Evidence): readonly string[];
}

/** The breaches of all, each with the name of its invariant. */
export function breachesOf(invariants: readonly Invariant[], evidence: Evidence): readonly string[] {
  return invariants.flatMap(({ name, breaches }) => breaches(evidence).map((breach) => `${name}: ${breach}`));
}
