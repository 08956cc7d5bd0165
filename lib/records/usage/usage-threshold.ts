import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';

/**
 * The measure that is compared with a threshold: the quantity of a unit, or the amount in a currency (usage §12.1).
 */
export const ThresholdMeasure = enumeration('QUANTITY', 'AMOUNT');
export type ThresholdMeasure = keyof typeof ThresholdMeasure;

/** A threshold that was reached in a period. It is recorded at most once. */
export const thresholdAnnouncementFields = {
  subscriptionRecordId: f.bigint(),
  usageName: f.text(),
  /** Start of the period. */
  start: f.instant(),
  measure: f.oneOf(ThresholdMeasure),
  /** The unit or the currency. */
  measured: f.text(),
  bound: f.amount(),
  /** The latest end of the period, or null if an earlier version of the engine recorded the threshold. */
  overAt: f.orNull(f.instant()),
  createdDate: f.instant(),
};
export interface ThresholdAnnouncement extends RecordOf<typeof thresholdAnnouncementFields> {}
