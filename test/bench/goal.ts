import type { BenchDatabases, DatabaseKind } from './databases.ts';

/**
 * SMOKE: small, only checks that everything works. QUICK: one run of sizes that take some three minutes together on
 * an idle machine, with ceilings. NORMAL: the sizes of the goals. FULL: also runs the slow goals five times.
 */
export const Size = { SMOKE: 'SMOKE', QUICK: 'QUICK', NORMAL: 'NORMAL', FULL: 'FULL' } as const;
export type Size = (typeof Size)[keyof typeof Size];

export interface Figure {
  /** What was measured and its conditions: `invoice run, PostgreSQL, 10,000 accounts`. */
  readonly name: string;
  readonly unit: string;
  readonly runs: readonly number[];
  /** The lower bound, or the upper bound for times and sizes. */
  readonly goal: { readonly atLeast: number } | { readonly atMost: number } | null;
  /** The best rate of this machine, measured in the same run, and what was measured. */
  readonly ceiling?: { readonly what: string; readonly value: number };
}

export interface Bench {
  readonly size: Size;
  readonly databases: BenchDatabases;
  readonly kinds: readonly DatabaseKind[];
  /** The built program `billwright`; null for small sizes, which run from the sources. */
  readonly program: string | null;
  choose<T>(values: Readonly<Record<Size, T>>): T;
  print(line: string): void;
}

export interface Goal {
  /** Value for `--only`. */
  readonly name: string;
  readonly title: string;
  measure(bench: Bench): Promise<readonly Figure[]>;
}

export function onEachDatabase(
  measureOn: (bench: Bench, kind: DatabaseKind) => Promise<readonly Figure[]>,
): Goal['measure'] {
  return async (bench) => {
    const figures: Figure[] = [];
    for (const kind of bench.kinds) figures.push(...(await measureOn(bench, kind)));
    return figures;
  };
}

/** Checks a result before its time counts. @throws if the two differ. */
export function expectSame(what: string, found: unknown, wanted: unknown): void {
  const [foundText, wantedText] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (foundText !== wantedText) throw new Error(`${what} is ${foundText}, not ${wantedText}`);
}
