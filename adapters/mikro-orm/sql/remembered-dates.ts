import {
  formatInstant,
  formatLocalDate,
  type Instant,
  type LocalDate,
  parseLocalDate,
} from '../../../lib/values/time/index.ts';

/** A run has few days and instants, each in thousands of its rows, so what was read or written is remembered. */
const MOST_REMEMBERED = 1_000;

const daysRead = new Map<string, LocalDate>();
const daysWritten = new Map<LocalDate, string>();
const instantsWritten = new Map<Instant, string>();

/** As `parseLocalDate`. */
export function readDay(text: string): LocalDate {
  return remembered(daysRead, text, parseLocalDate);
}

/** As `formatLocalDate`. */
export function writeDay(date: LocalDate): string {
  return remembered(daysWritten, date, formatLocalDate);
}

/** As `formatInstant`. */
export function writeInstant(at: Instant): string {
  return remembered(instantsWritten, at, formatInstant);
}

function remembered<K, V>(known: Map<K, V>, key: K, make: (key: K) => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  if (known.size >= MOST_REMEMBERED) known.clear();
  const made = make(key);
  known.set(key, made);
  return made;
}
