import type { UsageStretch } from '../../ports/storage/index.ts';
import { MAX_YEAR, MIN_YEAR } from '../../values/limits.ts';
import {
  addDays,
  type Instant,
  type LocalDate,
  localDate,
  localDateOf,
  startOfDay,
  type TimeZone,
  yearOf,
} from '../../values/time/index.ts';
import type { Bounds } from './usage-buckets.ts';

const msPerDay = 86_400_000;

const NO_DAYS: ReadonlySet<LocalDate> = new Set();

/**
 * Parts of time as days of the usage zone, so that whole days need none of their points (§3.1). Parts that follow each other
 * share their calendar look-ups. Archived days have no points: a bound at the start of one cuts none of the days beside it,
 * whatever their offsets.
 */
export function usageStretches(
  parts: readonly Bounds[],
  zone: TimeZone,
  archived: ReadonlySet<LocalDate> = NO_DAYS,
): readonly UsageStretch[] {
  const days = new DaysOfZone(zone, archived);
  return parts.map((part) => stretchBetween(part, days));
}

function stretchBetween({ start, end }: Bounds, days: DaysOfZone): UsageStretch {
  const [from, to] = [days.around(start), days.around(end)];
  const [first, last] = [from.after, to.before];
  const hasWhole = first !== null && last !== null && first <= last;
  return {
    start,
    end,
    wholeDays: hasWhole ? { first, last } : null,
    cutDays: [...new Set([...from.cut, ...to.cut])].toSorted((a, b) => a - b),
  };
}

interface DaysAround {
  /** The last day that lies before the instant with all its time, the first one that lies after it; null beyond the calendar. */
  readonly before: LocalDate | null;
  readonly after: LocalDate | null;
  /** What lies between. */
  readonly cut: readonly LocalDate[];
}

class DaysOfZone {
  readonly #zone: TimeZone;
  readonly #archived: ReadonlySet<LocalDate>;
  readonly #starts = new Map<LocalDate, Instant>();
  readonly #around = new Map<Instant, DaysAround>();

  constructor(zone: TimeZone, archived: ReadonlySet<LocalDate>) {
    this.#zone = zone;
    this.#archived = archived;
  }

  /**
   * Near a change of the zone's offset a day may go on after another has begun (in St. John's, clocks were once set back at
   * 00:01): then the days beside it count as cut too.
   */
  around(at: Instant): DaysAround {
    const found = this.#around.get(at) ?? this.#daysAround(at);
    this.#around.set(at, found);
    return found;
  }

  #daysAround(at: Instant): DaysAround {
    const day = localDateOf(at, this.#zone);
    const isStart = this.#startOf(day) === at;
    const isArchived = [-1, 0, 1].some((days) => this.#archived.has((day + days) as LocalDate));
    if (!this.#isRegular(day) && !(isStart && isArchived)) {
      const cut = [daysLater(day, -1), day, daysLater(day, 1)].filter((each) => each !== null);
      return { before: daysLater(day, -2), after: daysLater(day, 2), cut };
    }
    if (isStart) return { before: daysLater(day, -1), after: day, cut: [] };
    return { before: daysLater(day, -1), after: daysLater(day, 1), cut: [day] };
  }

  /** Whether the day and its neighbours have 24 hours each. */
  #isRegular(day: LocalDate): boolean {
    if (isAtEdge(day)) return false;
    const starts = [-1, 0, 1, 2].map((days) => this.#startOf(addDays(day, days)));
    return starts.every((start, index) => index === 0 || start - (starts[index - 1] ?? 0) === msPerDay);
  }

  #startOf(day: LocalDate): Instant {
    const start = this.#starts.get(day) ?? startOfDay(day, this.#zone);
    this.#starts.set(day, start);
    return start;
  }
}

/** The first and last year of the calendar, where it may have no neighbours. */
function isAtEdge(day: LocalDate): boolean {
  return yearOf(day) === MIN_YEAR || yearOf(day) === MAX_YEAR;
}

function daysLater(day: LocalDate, days: number): LocalDate | null {
  if (!isAtEdge(day)) return addDays(day, days);
  const [first, last] = [localDate(MIN_YEAR, 1, 1), localDate(MAX_YEAR, 12, 31)];
  return day + days < first || day + days > last ? null : addDays(day, days);
}
