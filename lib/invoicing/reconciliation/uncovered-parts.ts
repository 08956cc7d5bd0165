import type { Decimal } from '../../values/money/index.ts';
import { type LocalDate, maxDate } from '../../values/time/index.ts';

/** Days of one kind of recurring charge: plan, phase and rate (invoicing, vocabulary). */
export interface ChargedInterval {
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
  readonly planName: string;
  readonly phaseName: string;
  readonly rate: Decimal;
}

/** A maximal stretch of `of` that no interval of its kind covers. */
export interface UncoveredPart<T extends ChargedInterval> {
  readonly of: T;
  readonly startDate: LocalDate;
  readonly endDate: LocalDate;
}

export interface UncoveredPartsInput<T extends ChargedInterval> {
  /** Sorted by start, without overlap. */
  readonly intervals: readonly T[];
  /** Sorted by start, without overlap. */
  readonly covers: readonly ChargedInterval[];
  /** Days before it are not looked at; null = all days are. */
  readonly windowStart: LocalDate | null;
}

/** The parts of `intervals` that no interval of `covers` of the same kind covers, in date order; linear in both lists. */
export function uncoveredParts<T extends ChargedInterval>(
  input: UncoveredPartsInput<T>,
): readonly UncoveredPart<T>[] {
  const { intervals, covers, windowStart } = input;
  const parts: UncoveredPart<T>[] = [];
  let firstCover = 0;
  for (const of of intervals) {
    let startDate = windowStart !== null && windowStart > of.startDate ? windowStart : of.startDate;
    while (endsUpTo(covers[firstCover], startDate)) firstCover += 1;
    for (const cover of coversOf(of, covers, firstCover)) {
      if (cover.startDate > startDate) parts.push({ of, startDate, endDate: cover.startDate });
      startDate = maxDate(startDate, cover.endDate);
    }
    if (startDate < of.endDate) parts.push({ of, startDate, endDate: of.endDate });
  }
  return parts;
}

function endsUpTo(cover: ChargedInterval | undefined, date: LocalDate): boolean {
  return cover !== undefined && cover.endDate <= date;
}

/** The intervals of `covers`, from `firstCover` on, that are of the same kind and begin before the interval ends. */
function coversOf(
  interval: ChargedInterval,
  covers: readonly ChargedInterval[],
  firstCover: number,
): readonly ChargedInterval[] {
  const found: ChargedInterval[] = [];
  for (let index = firstCover; index < covers.length; index += 1) {
    const cover = covers[index];
    if (cover === undefined || cover.startDate >= interval.endDate) break;
    if (isSameKind(cover, interval)) found.push(cover);
  }
  return found;
}

function isSameKind(a: ChargedInterval, b: ChargedInterval): boolean {
  return (
    a.planName === b.planName && a.phaseName === b.phaseName && (a.rate === b.rate || a.rate.equals(b.rate))
  );
}
