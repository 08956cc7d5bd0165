import { invalidParameter } from '../errors/index.ts';

/** Entries of a time span list such as a retry schedule: more would outlive the object that is retried. */
const MAX_TIME_SPAN_LIST = 100;

const msOfUnit: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * Milliseconds of a time span `<integer><unit>`, unit one of ms, s, m, h, d, w; blanks around and between are trimmed
 * (platform §4.1).
 * @throws BillingError INVALID_PARAMETER if `text` is none.
 */
export function parseTimeSpan(text: string): number {
  const spanMs = timeSpanIfValid(text);
  if (spanMs !== undefined) return spanMs;
  throw invalidParameter(
    `"${text.slice(0, 64)}" is not a time span; expected an integer and one of ms, s, m, h, d, w, e.g. 30s`,
    { value: text.slice(0, 64) },
  );
}

/** The same, or undefined if `text` is no time span. */
export function timeSpanIfValid(text: string): number | undefined {
  const match = /^(\d{1,15})\s*(ms|s|m|h|d|w)$/.exec(text.trim());
  const unitMs = match === null ? undefined : msOfUnit[match[2] ?? ''];
  const spanMs = match === null || unitMs === undefined ? Number.NaN : Number(match[1]) * unitMs;
  return Number.isSafeInteger(spanMs) ? spanMs : undefined;
}

/**
 * Milliseconds of each entry of a comma-separated list of time spans, in order; a blank text is the empty list.
 * @throws BillingError INVALID_PARAMETER if an entry is no time span or the list is too long.
 */
export function parseTimeSpanList(text: string): readonly number[] {
  if (text.trim() === '') return [];
  const entries = text.split(',');
  if (entries.length > MAX_TIME_SPAN_LIST) {
    throw invalidParameter(
      `A list of ${entries.length} time spans is too long; at most ${MAX_TIME_SPAN_LIST} are accepted`,
      { length: entries.length, limit: MAX_TIME_SPAN_LIST },
    );
  }
  return entries.map(parseTimeSpan);
}
