/**
 * Calculates what must be billed without code from `lib/invoicing`: days are ISO strings, money is counted in integers.
 */

export interface OracleEvent {
  /** `yyyy-MM-dd`. */
  readonly date: string;
  /** Date of the event that started the cycle. */
  readonly anchor: string;
  /** True for a change of the bill cycle day. */
  readonly movesDay: boolean;
  /** Plan, phase and rate; null = nothing recurs. */
  readonly kind: string | null;
  readonly unit: 'DAYS' | 'MONTHS';
  readonly length: number;
  readonly billCycleDay: number;
  readonly mode: 'IN_ADVANCE' | 'IN_ARREAR' | 'GREEDY';
  /** Price × quantity in minor units of the currency. */
  readonly rate: bigint;
}

export interface OraclePeriod {
  readonly kind: string;
  readonly start: string;
  readonly end: string;
  readonly amount: bigint;
}

const msPerDay = 86_400_000;
const ratioUnits = 1_000_000_000n;

/** All days of a history, since `Date` is too slow to calculate them on each run. */
const calendar: readonly string[] = Array.from(
  { length: (Date.UTC(2060, 0) - Date.UTC(2015, 0)) / msPerDay },
  (_, day) => new Date(Date.UTC(2015, 0) + day * msPerDay).toISOString().slice(0, 10),
);
const places: ReadonlyMap<string, number> = new Map(calendar.map((date, place) => [date, place]));

function placeOf(date: string): number {
  const place = places.get(date);
  if (place === undefined) throw new Error(`${date} is not in the calendar of the oracle`);
  return place;
}

function plusDays(date: string, days: number): string {
  const day = calendar[placeOf(date) + days];
  if (day === undefined) throw new Error(`${days} days after ${date} the calendar of the oracle has ended`);
  return day;
}

/** The day `day` of the month `months` after that of `date`, or the last day of that month. */
function dayInMonth(date: string, months: number, day: number): string {
  const count = Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7)) - 1 + months;
  const month = `${Math.floor(count / 12)}-${twoDigits((count % 12) + 1)}`;
  for (let last = day; ; last -= 1) {
    const found = `${month}-${twoDigits(last)}`;
    if (places.has(found)) return found;
    if (last === 1) throw new Error(`${month} is not in the calendar of the oracle`);
  }
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

function plusPeriods({ unit, length }: OracleEvent, date: string, n: number): string {
  if (unit === 'DAYS') return plusDays(date, n * length);
  return dayInMonth(date, n * length, Number(date.slice(8)));
}

function countDays(start: string, end: string): bigint {
  return BigInt(Math.max(0, placeOf(end) - placeOf(start)));
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** The cycle dates from the event to the first one after `until`, and the start of the period before them. */
function cycleOf(
  event: OracleEvent,
  until: string,
): { readonly before: string; readonly dates: readonly string[] } {
  const { date, anchor, unit, length, billCycleDay } = event;
  let first = anchor;
  if (unit === 'MONTHS') {
    first = dayInMonth(anchor, 0, billCycleDay);
    if (first < anchor) first = dayInMonth(anchor, length, billCycleDay);
  }
  const all = [first];
  const last = until > date ? until : date;
  for (let k = 1; (all[k - 1] ?? first) <= last; k += 1)
    all.push(unit === 'DAYS' ? plusDays(first, k * length) : dayInMonth(first, k * length, billCycleDay));
  const dates = all.filter((each) => each >= date);
  return { before: all[all.length - dates.length - 1] ?? plusPeriods(event, first, -1), dates };
}

function cycleDates(event: OracleEvent, until: string): readonly string[] {
  return cycleOf(event, until).dates;
}

/** Returns true if a period of the event starts on that day. */
export function isCycleDate(event: OracleEvent, date: string): boolean {
  return event.kind !== null && date >= event.date && cycleDates(event, date).includes(date);
}

/** The date through which the event is billed at `target`; null = nothing. */
function billedTo(event: OracleEvent, end: string | null, target: string): string | null {
  const dates = cycleDates(event, target);
  const first = dates[0] ?? event.date;
  const next = dates.find((date) => date > target) ?? first;
  const upTo = dates.findLast((date) => date <= target) ?? null;
  if (end !== null && end <= target) return end;
  if (event.mode === 'IN_ADVANCE') return end !== null && end < next ? end : next;
  if (event.mode === 'IN_ARREAR') return upTo;
  if (end !== null && end <= next) return end;
  return upTo === target ? target : next;
}

/** The periods of all events at the target date, with their amounts. */
export function oraclePeriods(events: readonly OracleEvent[], target: string): readonly OraclePeriod[] {
  return events.flatMap((event, index) => {
    const end = events[index + 1]?.date ?? null;
    if (event.date > target || event.kind === null || end === event.date) return [];
    const through = billedTo(event, end, target);
    const next = events.slice(index + 1).find(({ anchor }) => anchor !== event.anchor);
    const movedTo = next?.movesDay === true ? next.date : null;
    return through === null ? [] : periodsOf(event, { end, through, movedTo });
  });
}

interface Stretch {
  readonly end: string | null;
  readonly through: string;
  /** The day on which a new bill cycle day ends the cycle, if any. */
  readonly movedTo: string | null;
}

function periodsOf(event: OracleEvent, { end, through, movedTo }: Stretch): readonly OraclePeriod[] {
  const kind = event.kind ?? '';
  const { before, dates } = cycleOf(event, through);
  const first = dates[0] ?? event.date;
  const part = (start: string, stop: string, [from, to]: readonly [string, string]): OraclePeriod => {
    const ratio = halfUp(countDays(start, stop) * ratioUnits, countDays(from, to));
    return { kind, start, end: stop, amount: halfUp(event.rate * ratio, ratioUnits) };
  };
  const isMoved = before < event.anchor && movedTo !== null && movedTo <= first;
  const whole = isMoved ? ([plusPeriods(event, movedTo, -1), movedTo] as const) : ([before, first] as const);
  if (end !== null && end <= first) return [part(event.date, end, whole)];
  const periods: OraclePeriod[] = [];
  if (first > event.date) periods.push(part(event.date, first, whole));
  dates.forEach((start, k) => {
    const next = dates[k + 1];
    if (start >= through) return;
    if (next === undefined) throw new Error(`the cycle of ${event.date} stops before ${through}`);
    if (next <= through) periods.push({ kind, start, end: next, amount: event.rate });
    else periods.push(part(start, through, [start, next]));
  });
  return periods;
}

interface Span {
  readonly kind: string;
  readonly start: string;
  readonly end: string;
}

/** All start and end dates in order. */
export function cutsOf(spans: readonly Span[]): readonly string[] {
  return [...new Set(spans.flatMap(({ start, end }) => [start, end]))].sort();
}

/** The kind that covers the time from each cut to the next. Throws if two periods overlap. */
export function coverOf(spans: readonly Span[], cuts: readonly string[]): ReadonlyMap<string, string> {
  const indexOf = new Map(cuts.map((date, index) => [date, index]));
  const cover = new Map<string, string>();
  for (const { kind, start, end } of spans) {
    const last = indexOf.get(end) ?? cuts.length;
    for (const date of cuts.slice(indexOf.get(start), last)) {
      if (cover.has(date)) throw new Error(`${date} is billed twice: ${cover.get(date)} and ${kind}`);
      cover.set(date, kind);
    }
  }
  return cover;
}
