import { toDate } from 'date-fns-tz/toDate';
import { addMilliseconds, formatInstant, type Instant, instant, isInstantMs } from './instant.ts';
import { type LocalDate, localDateIfValid } from './local-date.ts';
import { startOfDay, UTC } from './time-zone.ts';

/**
 * Maximum length of a date-time in a request. Date-times with an offset and a zone in brackets have fewer than 80
 * characters.
 */
const MAX_WIRE_DATE_TIME_CHARACTERS = 128;

/** A parameter that is either a day or an instant. The operation chooses the instant of a day. */
export type WireMoment =
  | { readonly kind: 'DATE'; readonly date: LocalDate }
  | { readonly kind: 'DATE_TIME'; readonly at: Instant };

const dateForm = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const dateTimeForm =
  /^(\d{4})-(\d{1,2})-(\d{1,2})T(\d{2})(?::(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?(?:Z|([+\- ])(\d{2})(?::?(\d{2}))?)?(?:\[[^\]]*\])?$/;

/** Returns true for a parameter that contains `T` and is therefore parsed as a date-time (http-api §9 rule 3). */
export function isWireDateTime(text: string): boolean {
  return text.includes('T');
}

/**
 * Returns the date for `yyyy-M-d`, with one or two digits for month and day. Returns undefined for an invalid string
 * (http-api §9 rule 2).
 */
export function parseWireDate(text: string): LocalDate | undefined {
  const match = dateForm.exec(text);
  if (match === null) return undefined;
  return localDateIfValid(Number(match[1]), Number(match[2]), Number(match[3]));
}

/**
 * Returns the date for a list `[year, month, day]`, as typed clients write it. Returns undefined for an invalid list
 * (ruling R46).
 */
export function dateOfParts(parts: readonly number[]): LocalDate | undefined {
  const [year = 0, month = 0, day = 0] = parts;
  return parts.length === 3 ? localDateIfValid(year, month, day) : undefined;
}

/**
 * Returns the instant for a list `[year, month, day, hour, minute, second, millisecond]` in UTC, or for `[year, month,
 * day]`. Returns undefined for an invalid list (ruling R46).
 */
export function instantOfParts(parts: readonly number[]): Instant | undefined {
  const date = dateOfParts(parts.slice(0, 3));
  if (date === undefined) return undefined;
  const midnight = startOfDay(date, UTC);
  if (parts.length === 3) return midnight;
  const [hour = 0, minute = 0, second = 0, millisecond = 0] = parts.slice(3);
  const isTime =
    parts.length === 7 &&
    isWithin(hour, 24) &&
    isWithin(minute, 60) &&
    isWithin(second, 60) &&
    isWithin(millisecond, 1_000);
  if (!isTime) return undefined;
  return addMilliseconds(midnight, ((hour * 60 + minute) * 60 + second) * 1_000 + millisecond);
}

function isWithin(part: number, end: number): boolean {
  return Number.isInteger(part) && part >= 0 && part < end;
}

/**
 * Returns the instant of a date-time, or undefined for an invalid string (http-api §9 rule 2). The form is a date, `T`
 * and `HH[:mm[:ss[.fraction]]]`, followed by an optional offset `Z`, `±HH`, `±HHmm` or `±HH:mm` and an optional zone
 * name in brackets. The default offset is UTC. A space in place of the offset's sign means `+`. The zone name is
 * ignored. The fraction is truncated to milliseconds.
 */
export function parseWireDateTime(text: string): Instant | undefined {
  if (text.length > MAX_WIRE_DATE_TIME_CHARACTERS) return undefined;
  const match = dateTimeForm.exec(text);
  if (match === null) return undefined;
  const millisecond = (match[7] ?? '').padEnd(3, '0').slice(0, 3);
  const parts = [match[1], match[2], match[3], match[4], match[5] ?? 0, match[6] ?? 0, millisecond];
  const inUtc = instantOfParts(parts.map(Number));
  const [sign, offsetHour, offsetMinute = '00'] = [match[8], match[9], match[10]];
  if (inUtc === undefined || offsetHour === undefined) return inUtc;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  // If the offset is explicit, date-fns-tz does not use a zone.
  const offset = `${sign === '-' ? '-' : '+'}${offsetHour}:${offsetMinute}`;
  const ms = toDate(`${formatInstant(inUtc).slice(0, -1)}${offset}`).getTime();
  return isInstantMs(ms) ? instant(ms) : undefined;
}

/** Returns the date or instant of a parameter, or undefined for an invalid string. */
export function parseWireMoment(text: string): WireMoment | undefined {
  if (isWireDateTime(text)) {
    const at = parseWireDateTime(text);
    return at === undefined ? undefined : { kind: 'DATE_TIME', at };
  }
  const date = parseWireDate(text);
  return date === undefined ? undefined : { kind: 'DATE', date };
}

/**
 * Returns the instant for a parameter of the catalog, queue or clock, or for a JSON field. The value is a date-time, a
 * date (00:00 UTC) or epoch milliseconds. Returns undefined for an invalid value (http-api §9 rules 2 and 3).
 */
export function parseWireInstant(value: string | number | Date): Instant | undefined {
  if (value instanceof Date) return parseWireInstant(value.getTime());
  if (typeof value === 'number') return isInstantMs(value) ? instant(value) : undefined;
  const moment = typeof value === 'string' ? parseWireMoment(value) : undefined;
  if (moment === undefined) return undefined;
  return moment.kind === 'DATE_TIME' ? moment.at : startOfDay(moment.date, UTC);
}
