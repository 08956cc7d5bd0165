import { decimalOf } from '../../values/money/index.ts';
import {
  type Instant,
  instant,
  isInstantMs,
  type LocalDate,
  parseWireInstant,
  parseWireMoment,
  type RequestedDate,
} from '../../values/time/index.ts';

const msPerDay = 86_400_000;

/**
 * The day or the instant of a record (§2.3): text of a date or a date-time (without an offset UTC, cut to milliseconds),
 * a whole number of epoch milliseconds, or what a host has read itself. Undefined if it is none of them.
 */
export function readRecordDate(value: unknown): RequestedDate | undefined {
  if (typeof value === 'string') return ofText(value);
  if (typeof value !== 'object' || value === null) return undefined;
  const number = decimalOf(value);
  if (number !== undefined) return ofInstant(parseWireInstant(number.toNumber()));
  if ('at' in value) {
    return typeof value.at === 'number' && isInstantMs(value.at) ? { at: instant(value.at) } : undefined;
  }
  return 'date' in value && isDay(value.date) ? { date: value.date } : undefined;
}

function ofText(text: string): RequestedDate | undefined {
  const moment = parseWireMoment(text);
  if (moment === undefined) return undefined;
  return moment.kind === 'DATE' ? { date: moment.date } : { at: moment.at };
}

function ofInstant(at: Instant | undefined): RequestedDate | undefined {
  return at === undefined ? undefined : { at };
}

function isDay(value: unknown): value is LocalDate {
  return typeof value === 'number' && Number.isInteger(value) && isInstantMs(value * msPerDay);
}
