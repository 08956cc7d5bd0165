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
export * from './billing-period.ts';
export * from './clock-time.ts';
export * from './duration.ts';
export * from './instant.ts';
export * from './local-date.ts';
export type * from './requested-date.ts';
export { isTimeZone, type TimeZone, timeZone, UTC } from './time-zone.ts';
export * from './wire.ts';
export * from './zone-conversion.ts';
