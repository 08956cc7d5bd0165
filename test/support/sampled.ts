import { isLongRun } from './long-run.ts';

/**
 * One of `every` of them at every commit, those of the turn: rows of a table that take turns leave out nothing that the
 * table has several rows for. In the long run all of them.
 */
export function sampled<T>(all: readonly T[], every: number, turn = 0): readonly T[] {
  return isLongRun ? all : all.filter((_, index) => index % every === turn % every);
}

/** Whether what has this place in a table is among those of the commit, of which there is one in `every`. */
export function isSampled(place: number, every: number): boolean {
  return isLongRun || place % every === 0;
}
