/** Days since 1970-01-01. The calendar of the model, without time zones. */
export type Day = number;

const MS_PER_DAY = 86_400_000;
const MONTHS_PER_YEAR = 12;

export const dayOf = (text: string): Day => Date.parse(`${text}T00:00:00Z`) / MS_PER_DAY;

export const textOf = (day: Day): string => new Date(day * MS_PER_DAY).toISOString().slice(0, 10);

/** Adds months. The day of month is `dayOfMonth` or the last day of a shorter month. */
export function addMonths(day: Day, months: number, dayOfMonth = dayInMonth(day)): Day {
  const date = new Date(day * MS_PER_DAY);
  const count = date.getUTCFullYear() * MONTHS_PER_YEAR + date.getUTCMonth() + months;
  const [year, month] = [Math.floor(count / MONTHS_PER_YEAR), count % MONTHS_PER_YEAR];
  const length = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(dayOfMonth, length)) / MS_PER_DAY;
}

export function dayInMonth(day: Day): number {
  return new Date(day * MS_PER_DAY).getUTCDate();
}
