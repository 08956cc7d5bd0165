import { NumberField, type NumberPart, type NumberPattern } from '../../tenants/index.ts';
import { dayOfMonth, type LocalDate, monthOf, yearOf } from '../../values/time/index.ts';

/** What has a number in a sequence of its tenant, and a date that tells by which pattern it is shown. */
interface Numbered {
  /** 0 = none. */
  readonly number: number;
  readonly date: LocalDate;
}

/** The number by the pattern of the date (§1.7); null where the tenant has none for it, and where there is no number. */
export function formattedNumber(numbered: Numbered, patterns: readonly NumberPattern[]): string | null {
  const pattern = patterns.findLast(({ from }) => from === null || from <= numbered.date);
  if (pattern === undefined || numbered.number === 0) return null;
  return pattern.parts.map((part) => textOf(part, numbered)).join('');
}

function textOf(part: NumberPart, { number, date }: Numbered): string {
  if (typeof part === 'string') return part;
  const value = part.field === NumberField.NUMBER ? number : dateField(part.field, date);
  return String(value).padStart(part.digits, '0');
}

function dateField(field: Exclude<NumberField, 'n'>, date: LocalDate): number {
  switch (field) {
    case 'yyyy':
      return yearOf(date);
    case 'yy':
      return yearOf(date) % 100;
    case 'mm':
      return monthOf(date);
    case 'dd':
      return dayOfMonth(date);
  }
}
