import type { Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** What a threshold bounds: how much is used of a unit, or what the usage costs in a currency (usage §12.1). */
export const ThresholdMeasure = { QUANTITY: 'QUANTITY', AMOUNT: 'AMOUNT' } as const;
export type ThresholdMeasure = (typeof ThresholdMeasure)[keyof typeof ThresholdMeasure];

/** That a period has reached a bound; at most once each. */
export interface ToldThreshold {
  readonly subscriptionRecordId: number;
  readonly usageName: string;
  /** When the period began. */
  readonly start: Instant;
  readonly measure: ThresholdMeasure;
  /** The unit or the currency. */
  readonly measured: string;
  readonly bound: Decimal;
  /** When the period is over at the latest, however its end is put off; null = a node of an earlier version has told of it. */
  readonly overAt: Instant | null;
  readonly createdDate: Instant;
}
