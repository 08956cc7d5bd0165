/**
 * Every zone conversion and every piece of date arithmetic of the product (lib/values/README.md: three notions, never
 * mixed).
 *
 * date-fns-tz reads the date-times of the wire that carry an offset (`wire.ts`): there its `toDate` is right for every date,
 * offset and host.
 * Nothing else of it is used. Measured against Temporal on 69,428 instants in 17 zones, `getTimezoneOffset` is wrong for 3.4
 * to 3.8 % of them, since near a transition it takes the instant for local time; `formatInTimeZone` is wrong near the
 * transitions of the host's own zone; `fromZonedTime` answers by the host's zone for hours that occur twice, and with the day
 * before for a midnight that does not exist. `test/unit/time/date-fns-tz.test.ts` shows each.
 */
export {
  addPeriod,
  addPeriods,
  BillingPeriod,
  billingPeriodOrder,
  firstBillCycleDate,
  isBillingPeriod,
  isMonthBased,
  type PeriodLength,
  periodLength,
} from './billing-period.ts';
export { checkClockTime, movedClock } from './clock-time.ts';
export {
  type CycleDates,
  type CycleOrigin,
  cycleDate,
  cycleDatesOf,
  firstCycleAfter,
  lastCycleUpTo,
} from './cycle-dates.ts';
export {
  addDuration,
  type Duration,
  durationEnd,
  isTimeUnit,
  TimeUnit,
  UNLIMITED_DURATION,
} from './duration.ts';
export {
  addMilliseconds,
  formatInstant,
  type Instant,
  instant,
  instantWithinCalendar,
  isInstantMs,
  LAST_INSTANT,
  maxInstant,
  minInstant,
  truncateToSecond,
} from './instant.ts';
export {
  addDays,
  addMonths,
  type CalendarDay,
  calendarDayOf,
  dayOfLaterMonth,
  dayOfMonth,
  daysBetween,
  formatLocalDate,
  LAST_DATE,
  type LocalDate,
  lengthOfMonth,
  localDate,
  localDateIfValid,
  localDateWithinCalendar,
  maxDate,
  minDate,
  monthOf,
  monthsBetween,
  parseLocalDate,
  withDayOfMonth,
  yearOf,
} from './local-date.ts';
export { nextLocalHour } from './local-hours.ts';
export { formatLocalTime, type LocalTime, localTime, MIDNIGHT } from './local-time.ts';
export type { RequestedDate } from './requested-date.ts';
export { parseTimeSpan, parseTimeSpanList, timeSpanIfValid } from './time-span.ts';
export { isTimeZone, type TimeZone, timeZone, UTC } from './time-zone.ts';
export {
  dateOfParts,
  instantOfParts,
  isWireDateTime,
  parseWireDate,
  parseWireDateTime,
  parseWireInstant,
  parseWireMoment,
  type WireMoment,
} from './wire.ts';
export {
  type DatedInstant,
  endOfDay,
  instantAt,
  localDateOf,
  localTimeOf,
  startOfDay,
} from './zone-conversion.ts';
