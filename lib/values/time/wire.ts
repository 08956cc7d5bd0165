import { toDate } from 'date-fns-tz/toDate';
import { addMilliseconds, formatInstant, type Instant, instant, isInstantMs } from './instant.ts';
import { type LocalDate, localDateIfValid } from './local-date.ts';
import { UTC } from './time-zone.ts';
import { startOfDay } from './zone-conversion.ts';

/** Characters of a date-time on the wire: the longest useful one with offset and bracketed zone is under 80. */
const MAX_WIRE_DATE_TIME_CHARACTERS = 128;

/** What a parameter that takes both forms says: a day, whose instant depends on the operation, or an instant. */
export type WireMoment =
  | { readonly kind: 'DATE'; readonly date: LocalDate }
  | { readonly kind: 'DATE_TIME'; readonly at: Instant };

const dateForm = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const dateTimeForm =
  /^(\d{4})-(\d{1,2})-(\d{1,2})T(\d{2})(?::(\d{2})(?::(\d{2})(?:\.(\d+))?)?)?(?:Z|([+\- ])(\d{2})(?::?(\d{2}))?)?(?:\[[^\]]*\])?$/;

/** A parameter is read as a date-time exactly when it contains `T` (http-api §9 rule 3). */
export function isWireDateTime(text: string): boolean {
  return text.includes('T');
}

/** The date that `text` spells as `yyyy-M-d`, one or two digits for month and day, or undefined (http-api §9 rule 2). */
export function parseWireDate(text: string): LocalDate | undefined {
  const match = dateForm.exec(text);
  if (match === null) return undefined;
  return localDateIfValid(Number(match[1]), Number(match[2]), Number(match[3]));
}

/** The date of `[year, month, day]`, or undefined: typed clients write dates so (ruling R46). */
export function dateOfParts(parts: readonly number[]): LocalDate | undefined {
  const [year = 0, month = 0, day = 0] = parts;
  return parts.length === 3 ? localDateIfValid(year, month, day) : undefined;
}

/**
 * The instant of `[year, month, day, hour, minute, second, millisecond]` in UTC, or of a date in its parts (00:00 UTC);
 * undefined if it is neither (ruling R46).
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
 * The instant of a date-time: date, `T`, `HH[:mm[:ss[.fraction]]]`, an optional offset `Z`, `±HH`, `±HHmm` or `±HH:mm`
 * (none = UTC; a space reads as `+`) and an optional bracketed zone name, which is ignored. The fraction is cut to
 * milliseconds. Undefined if `text` is none or does not exist (http-api §9 rule 2).
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
  // Only the full form with an explicit offset goes to date-fns-tz: the one for which it never consults a zone.
  const offset = `${sign === '-' ? '-' : '+'}${offsetHour}:${offsetMinute}`;
  const ms = toDate(`${formatInstant(inUtc).slice(0, -1)}${offset}`).getTime();
  return isInstantMs(ms) ? instant(ms) : undefined;
}

/** Reads a parameter that takes a date or a date-time; undefined if it is neither. */
export function parseWireMoment(text: string): WireMoment | undefined {
  if (isWireDateTime(text)) {
    const at = parseWireDateTime(text);
    return at === undefined ? undefined : { kind: 'DATE_TIME', at };
  }
  const date = parseWireDate(text);
  return date === undefined ? undefined : { kind: 'DATE', date };
}

/**
 * The instant of a catalog, queue or clock parameter or of a date-time field of a JSON body: a date-time, a date (00:00
 * UTC) or an integer of epoch milliseconds; undefined if it is none (http-api §9 rules 2 and 3).
 */
export function parseWireInstant(value: string | number | Date): Instant | undefined {
  if (value instanceof Date) return parseWireInstant(value.getTime());
  if (typeof value === 'number') return isInstantMs(value) ? instant(value) : undefined;
  const moment = parseWireMoment(value);
  if (moment === undefined) return undefined;
  return moment.kind === 'DATE_TIME' ? moment.at : startOfDay(moment.date, UTC);
}
