/**
 * A slow second opinion on what has to be billed, day by day, that shares no code with `lib/invoicing`: calendar days
 * are ISO texts stepped through with the host's Date, money is counted in integers.
 */

export interface OracleEvent {
  /** `yyyy-MM-dd`. */
  readonly date: string;
  /** Names plan, phase and rate; null = nothing recurs. */
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

function plusDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * msPerDay).toISOString().slice(0, 10);
}

/** The day `day` of the month that lies `months` after that of `date`, or the last day of that month. */
function dayInMonth(date: string, months: number, day: number): string {
  const year = Number(date.slice(0, 4));
  const month = Number(date.slice(5, 7)) - 1 + months;
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(year, month, Math.min(day, last))).toISOString().slice(0, 10);
}

function plusPeriods({ unit, length }: OracleEvent, date: string, n: number): string {
  if (unit === 'DAYS') return plusDays(date, n * length);
  return dayInMonth(date, n * length, Number(date.slice(8)));
}

/** Days from `start` to `end`, counted one by one. */
function countDays(start: string, end: string): bigint {
  let days = 0n;
  for (let date = start; date < end; date = plusDays(date, 1)) days += 1n;
  return days;
}

function halfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator);
}

/** C(0), C(1), … up to the first one after `until`. */
function cycleDates(event: OracleEvent, until: string): readonly string[] {
  const { date, unit, length, billCycleDay } = event;
  let first = date;
  if (unit === 'MONTHS') {
    first = dayInMonth(date, 0, billCycleDay);
    if (first < date) first = dayInMonth(date, length, billCycleDay);
  }
  const dates = [first];
  for (let k = 1; (dates[k - 1] ?? first) <= until; k += 1) {
    dates.push(unit === 'DAYS' ? plusDays(first, k * length) : dayInMonth(first, k * length, billCycleDay));
  }
  return dates;
}

/** Up to where the event is billed at `target`; null = nothing. */
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
    return through === null ? [] : periodsOf(event, end, through);
  });
}

function periodsOf(event: OracleEvent, end: string | null, through: string): readonly OraclePeriod[] {
  const kind = event.kind ?? '';
  const dates = cycleDates(event, through);
  const first = dates[0] ?? event.date;
  const part = (start: string, stop: string, [from, to]: readonly [string, string]): OraclePeriod => {
    const ratio = halfUp(countDays(start, stop) * ratioUnits, countDays(from, to));
    return { kind, start, end: stop, amount: halfUp(event.rate * ratio, ratioUnits) };
  };
  if (end !== null && end <= first) return [part(event.date, end, [plusPeriods(event, end, -1), end])];
  const periods: OraclePeriod[] = [];
  if (first > event.date) periods.push(part(event.date, first, [plusPeriods(event, first, -1), first]));
  dates.forEach((start, k) => {
    const next = dates[k + 1];
    if (start >= through) return;
    if (next !== undefined && next <= through) periods.push({ kind, start, end: next, amount: event.rate });
    else periods.push(part(start, through, [start, plusPeriods(event, start, 1)]));
  });
  return periods;
}

/** Every day of the periods with its kind; throws if a day is in two. */
export function daysOf(
  periods: readonly { readonly kind: string; readonly start: string; readonly end: string }[],
): ReadonlyMap<string, string> {
  const days = new Map<string, string>();
  for (const { kind, start, end } of periods) {
    for (let date = start; date < end; date = plusDays(date, 1)) {
      if (days.has(date)) throw new Error(`${date} is billed twice: ${days.get(date)} and ${kind}`);
      days.set(date, kind);
    }
  }
  return days;
}
