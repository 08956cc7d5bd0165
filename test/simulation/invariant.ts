import type { Books } from './books.ts';
import type { Observations } from './observations.ts';

export interface Evidence {
  readonly books: Books;
  readonly earlier: Books;
  readonly observed: Observations;
}

/** A statement that is true of all data whenever no work is due. */
export interface Invariant {
  readonly name: string;
  /** One line per breach. */
  breaches(evidence: Evidence): readonly string[];
}

export function breachesOf(invariants: readonly Invariant[], evidence: Evidence): readonly string[] {
  return invariants.flatMap(({ name, breaches }) => breaches(evidence).map((breach) => `${name}: ${breach}`));
}
