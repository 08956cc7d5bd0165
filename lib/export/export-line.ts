import { stringifyExactJson } from '../values/money/index.ts';
import { formatInstant, type Instant } from '../values/time/index.ts';

/** The header of a table's section (accounts §16 rule 1). */
export function headerLine(table: string, columns: readonly string[]): string {
  return `-- ${table} ${columns.join('|')}\n`;
}

/** One row: null is empty; anything but text, number and boolean is JSON. */
export function rowLine(values: readonly unknown[]): string {
  return `${values.map(cellText).join('|')}\n`;
}

/** `yyyy-mm-ddThh:mm:ss.sss+00:00`; empty for none. */
export function timeText(value: unknown): string {
  return value === null ? '' : withOffset(formatInstant(Number(value) as Instant));
}

/** The wire form of an instant as the export writes it. */
export function withOffset(text: string): string {
  return text.replace(/Z$/, '+00:00');
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return escaped(typeof value === 'string' ? value : stringifyExactJson(value));
}

/** Characters that would end a value or a line are escaped; nothing is quoted (accounts §16 rule 2). */
function escaped(text: string): string {
  return text.replaceAll('\n', '\\N{LINE FEED}').replaceAll('|', '\\N{VERTICAL LINE}');
}
