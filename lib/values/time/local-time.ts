import { assertInvariant } from '../errors/index.ts';

declare const localTimeBrand: unique symbol;

/** A time of day without a zone, in whole seconds after 00:00:00: 0 to 86,399. */
export type LocalTime = number & { readonly [localTimeBrand]: 'LocalTime' };

const secondsPerDay = 86_400;

/** 00:00:00. */
export const MIDNIGHT = 0 as LocalTime;

/** The time of day `secondOfDay` seconds after 00:00:00. @throws InvariantError out of range. */
export function localTime(secondOfDay: number): LocalTime {
  assertInvariant(
    Number.isInteger(secondOfDay) && secondOfDay >= 0 && secondOfDay < secondsPerDay,
    `${secondOfDay} is not a second of a day`,
    { secondOfDay },
  );
  return secondOfDay as LocalTime;
}

/** `HH:mm:ss`. */
export function formatLocalTime(time: LocalTime): string {
  const parts = [Math.floor(time / 3_600), Math.floor(time / 60) % 60, time % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}
