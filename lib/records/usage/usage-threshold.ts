import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';

/** What a threshold bounds: how much is used of a unit, or what the usage costs in a currency (usage §12.1). */
export const ThresholdMeasure = enumeration('QUANTITY', 'AMOUNT');
export type ThresholdMeasure = keyof typeof ThresholdMeasure;

/** That a period has reached a bound; at most once each. */
export const toldThresholdFields = {
  subscriptionRecordId: f.bigint(),
  usageName: f.text(),
  /** When the period began. */
  start: f.instant(),
  measure: f.oneOf(ThresholdMeasure),
  /** The unit or the currency. */
  measured: f.text(),
  bound: f.amount(),
  /** When the period is over at the latest, however its end is put off; null = a node of an earlier version has told of it. */
  overAt: f.orNull(f.instant()),
  createdDate: f.instant(),
};
export interface ToldThreshold extends RecordOf<typeof toldThresholdFields> {}
