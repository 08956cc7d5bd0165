import type { OracleInterval } from './oracle-intervals.ts';
import type { PriceLine } from './oracle-price.ts';
import type { OraclePoint } from './usage-facts.ts';

/** What was billed of an interval at one time. */
export interface BilledRecord extends Pick<OracleInterval, 'start' | 'end'> {
  readonly usageName: string;
  /** Of its section. */
  readonly prices: string;
  readonly points: ReadonlySet<OraclePoint>;
  readonly entries: readonly BilledEntry[];
  /** When; null: after its end. */
  readonly billedAt: number | null;
  /** What is void with it: the invoice, or the run that has made none. */
  readonly invoice: string;
}

/** An item, as it was rated. */
export interface BilledEntry {
  /** What it gives back of; null: it charges. */
  readonly of: BilledEntry | null;
  readonly amount: bigint;
  /** What can still be given back of it. */
  left: bigint;
  /** What it says of blocks, less what it takes back; empty where its price counts alone. */
  readonly lines: readonly PriceLine[];
  /** The line that it stands for in DETAIL; null: all of them. */
  readonly lineKey: string | null;
}

export type Relation = 'SAME_OR_INSIDE' | 'AROUND' | 'PARTLY' | 'APART';

/** How a billed interval lies to one that is to be billed (usage §7.3 step 2). */
export function relationOf(own: OracleInterval, billed: Pick<OracleInterval, 'start' | 'end'>): Relation {
  const [a, b] = [own.start.at, own.end.at];
  const [from, to] = [billed.start.at, billed.end.at];
  if (a === from && b === to) return 'SAME_OR_INSIDE';
  if (from === to) {
    if (from < a || from > b) return 'APART';
    return own.end.day - own.start.day > 1 ? 'PARTLY' : 'SAME_OR_INSIDE';
  }
  if (a === b) return from <= a && a < to ? 'AROUND' : 'APART';
  if (from <= a && b <= to) return 'AROUND';
  if (a <= from && to <= b) return 'SAME_OR_INSIDE';
  return from < b && a < to ? 'PARTLY' : 'APART';
}
