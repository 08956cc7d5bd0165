/**
 * All zone conversions and date arithmetic of the product (lib/values/README.md: three notions, never mixed).
 *
 * `wire.ts` uses only `toDate` of date-fns-tz, for date-times with an offset, where it is always right. Compared with
 * Temporal on 69,428 instants in 17 zones, `getTimezoneOffset` is wrong for 3.4 to 3.8 % near transitions,
 * `formatInTimeZone` near transitions of the host's zone, and `fromZonedTime` for repeated hours and missing midnights.
 * `test/unit/time/date-fns-tz.test.ts` shows each.
 */
export * from './billing-period.ts';
export * from './clock-time.ts';
export * from './duration.ts';
export * from './instant.ts';
export * from './local-date.ts';
export type * from './requested-date.ts';
export {
  type DatedInstant,
  endOfDay,
  formatLocalTime,
  instantAt,
  isTimeZone,
  type LocalTime,
  localDateOf,
  localTime,
  localTimeOf,
  MIDNIGHT,
  nextLocalHour,
  startOfDay,
  type TimeZone,
  timeZone,
  UTC,
} from './time-zone.ts';
export * from './wire.ts';
