import type { Invoice } from '../../records/index.ts';
import { NumberField, type NumberPart, type NumberPattern } from '../../tenants/index.ts';
import { dayOfMonth, type LocalDate, monthOf, yearOf } from '../../values/time/index.ts';

type Numbered = Pick<Invoice, 'invoiceNumber' | 'invoiceDate'>;

/**
 * The number of an invoice by the pattern of its date (§1.7); null where the tenant has none for it, and for an invoice
 * without number.
 */
export function formattedNumber(invoice: Numbered, patterns: readonly NumberPattern[]): string | null {
  const pattern = patterns.findLast(({ from }) => from === null || from <= invoice.invoiceDate);
  if (pattern === undefined || invoice.invoiceNumber === 0) return null;
  return pattern.parts.map((part) => textOf(part, invoice)).join('');
}

function textOf(part: NumberPart, { invoiceNumber, invoiceDate }: Numbered): string {
  if (typeof part === 'string') return part;
  const value = part.field === NumberField.NUMBER ? invoiceNumber : dateField(part.field, invoiceDate);
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
