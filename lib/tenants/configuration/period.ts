import { timeSpanIfValid } from '../../values/time/index.ts';

/** A length of time in calendar and clock units, each added by itself. */
export interface Period {
  readonly months: number;
  readonly days: number;
  readonly milliseconds: number;
}

export const NO_PERIOD: Period = Object.freeze({ months: 0, days: 0, milliseconds: 0 });

const iso8601 =
  /^P(?=.)(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,6})W)?(?:(\d{1,6})D)?(?:T(?=.)(?:(\d{1,8})H)?(?:(\d{1,9})M)?(?:(\d{1,10})S)?)?$/;

/** The period of an ISO 8601 text such as `P3M`, or of a time span such as `3d`; undefined for any other text. */
export function parsePeriod(text: string): Period | undefined {
  const trimmed = text.trim();
  const match = iso8601.exec(trimmed);
  if (match === null) return spanOf(trimmed);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((digits: string | undefined) => Number(digits ?? 0));
  return {
    months: years * 12 + months,
    days: weeks * 7 + days,
    milliseconds: ((hours * 60 + minutes) * 60 + seconds) * 1_000,
  };
}

function spanOf(text: string): Period | undefined {
  const milliseconds = timeSpanIfValid(text);
  return milliseconds === undefined ? undefined : { ...NO_PERIOD, milliseconds };
}
