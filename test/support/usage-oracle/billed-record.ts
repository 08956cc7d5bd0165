import type { OracleInterval } from './oracle-intervals.ts';
import type { PriceLine } from './oracle-price.ts';
import type { OraclePoint } from './usage-facts.ts';

export interface BilledRecord extends Pick<OracleInterval, 'start' | 'end'> {
  readonly usageName: string;
  readonly prices: string;
  readonly points: ReadonlySet<OraclePoint>;
  readonly entries: readonly BilledEntry[];
  /** Time of billing; null = after its end. */
  readonly billedAt: number | null;
  /** The invoice, or a run without one, whose void frees it. */
  readonly invoice: string;
}

export interface BilledEntry {
  /** The item that it credits; null for a charge. */
  readonly of: BilledEntry | null;
  readonly amount: bigint;
  /** The amount that can still be credited. */
  left: bigint;
  /** Its net lines; empty if only the price counts. */
  readonly lines: readonly PriceLine[];
  /** Its line in DETAIL; null = all lines. */
  readonly lineKey: string | null;
}

export type Relation = 'SAME_OR_INSIDE' | 'AROUND' | 'PARTLY' | 'APART';

/** How a billed interval relates to one to bill (usage §7.3 step 2). */
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
