import { type LocalDate, parseWireDate } from '../../values/time/index.ts';
import type { Property } from './property.ts';

/** What a part of a number is made of: the parts of the invoice date, or the number itself. */
export const NumberField = { YEAR: 'yyyy', SHORT_YEAR: 'yy', MONTH: 'mm', DAY: 'dd', NUMBER: 'n' } as const;
export type NumberField = (typeof NumberField)[keyof typeof NumberField];

/** A text that stands as it is, or a field with at least so many digits. */
export type NumberPart = string | { readonly field: NumberField; readonly digits: number };

/** How the numbers of the invoices from a day on are shown. */
export interface NumberPattern {
  /** The first invoice date that it holds for; null = from the beginning. */
  readonly from: LocalDate | null;
  readonly parts: readonly NumberPart[];
}

const MOST_PATTERNS = 20;
const MOST_CHARACTERS = 64;

const digitsOf: Readonly<Record<NumberField, number>> = { yyyy: 4, yy: 2, mm: 2, dd: 2, n: 1 };

/** Patterns by date, comma-separated: `INV-{n:6}, 2027-01-01 INV-{yyyy}-{n:6}`; a blank text is none. */
export function numberPatterns(): Property<readonly NumberPattern[]> {
  return {
    fallback: [],
    expectation:
      'a pattern such as INV-{yyyy}-{n:6}, with {n} or {n:1} to {n:12} once, {yyyy}, {yy}, {mm}, {dd} and letters, ' +
      'digits and - _ . / # : between them, or several by comma, each but the first after the date from which it holds',
    parse(text) {
      if (text.trim() === '') return [];
      const texts = text.split(',');
      if (texts.length > MOST_PATTERNS) return undefined;
      const patterns = texts.flatMap((each) => patternOf(each.trim()) ?? []);
      return patterns.length === texts.length && areInOrder(patterns) ? patterns : undefined;
    },
  };
}

function patternOf(text: string): NumberPattern | undefined {
  const [, date, pattern = ''] = /^(?:(\S+)\s+)?(\S+)$/.exec(text) ?? [];
  const from = date === undefined ? null : parseWireDate(date);
  const parts = partsOf(pattern);
  return from === undefined || parts === undefined ? undefined : { from, parts };
}

const part = /[\p{L}\p{N}_./#:-]+|\{(?:(yyyy|yy|mm|dd)|n(?::(\d{1,2}))?)\}/guy;

function partsOf(pattern: string): readonly NumberPart[] | undefined {
  if (pattern.length > MOST_CHARACTERS) return undefined;
  const found = [...pattern.matchAll(part)];
  const isWhole = found.reduce((length, [text]) => length + text.length, 0) === pattern.length;
  const parts = found.map(([text, field, digits]): NumberPart => {
    if (!text.startsWith('{')) return text;
    return field === undefined
      ? { field: NumberField.NUMBER, digits: Number(digits ?? digitsOf.n) }
      : { field: field as NumberField, digits: digitsOf[field as NumberField] };
  });
  const numbers = parts.flatMap((each) =>
    typeof each === 'object' && each.field === NumberField.NUMBER ? [each.digits] : [],
  );
  // With the number once, and all else of a fixed length, no two invoices of a pattern look alike.
  const [digits, another] = numbers;
  const isOnce = digits !== undefined && another === undefined && digits >= 1 && digits <= 12;
  return isWhole && isOnce ? parts : undefined;
}

/** Each but the first has a date, and the dates go up. */
function areInOrder(patterns: readonly NumberPattern[]): boolean {
  return patterns.every(({ from }, index) => {
    const before = patterns[index - 1];
    return before === undefined || (from !== null && (before.from === null || before.from < from));
  });
}
