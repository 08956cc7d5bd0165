import { addDays, type LocalDate, startOfDay, type TimeZone } from '../../values/time/index.ts';
import type { UsageInterval } from './usage-intervals.ts';

/** Where the quantities of an interval are read: sums of whole days, and points of the days that it cuts. */
export interface DaysOfInterval {
  /** First whole day. */
  readonly from: LocalDate;
  /** Day after the last whole one; `from` where there is none. */
  readonly to: LocalDate;
  /** At most two, whose points have to be looked at one by one. */
  readonly cut: readonly LocalDate[];
}

/** The days of an interval: what it costs to rate grows with them and not with the points (§11). */
export function daysOfInterval({ start, end, includesEnd }: UsageInterval, zone: TimeZone): DaysOfInterval {
  const cutsStart = start.at !== startOfDay(start.date, zone);
  const cutsEnd = includesEnd || end.at !== startOfDay(end.date, zone);
  const from = cutsStart ? addDays(start.date, 1) : start.date;
  const cut = [...(cutsStart ? [start.date] : []), ...(cutsEnd ? [end.date] : [])];
  return { from, to: from < end.date ? end.date : from, cut: [...new Set(cut)] };
}
