import { signal } from '@preact/signals';
import { labels } from '../texts.ts';
import { browserZone } from './browser.ts';

/** An amount from the API: a Decimal, or text or a number from a REST response. */
export type Amount = { toString(): string } | null | undefined;

/** Returns an amount in its currency without rounding it, such as `€1,234.50`. */
export function money(amount: Amount, currency: string | null | undefined): string {
  if (amount === null || amount === undefined) return '–';
  const text = String(amount);
  if (!currency) return text;
  try {
    // Prices can be finer than the minor unit of the currency.
    const options = { style: 'currency', currency, maximumFractionDigits: 9 } as const;
    return new Intl.NumberFormat('en', options).format(text as Intl.StringNumericLiteral);
  } catch (error) {
    if (error instanceof RangeError) return `${text} ${currency}`;
    throw error;
  }
}

/** Returns a number with separators, without rounding it. */
export function quantity(value: Amount): string {
  if (value === null || value === undefined) return '–';
  return new Intl.NumberFormat('en', { maximumFractionDigits: 9 }).format(
    String(value) as Intl.StringNumericLiteral,
  );
}

/** Returns a date such as `5 Mar 2027` for `2027-03-05`. */
export function day(date: string | null | undefined): string {
  if (!date) return '–';
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
  return format.format(Date.parse(date.slice(0, 10)));
}

/** Returns a period such as `5 Mar 2027 – 5 Apr 2027`, or a single day if the period has only one day. */
export function periodText(start: string | null, end: string | null): string {
  return end === null || end === start ? day(start) : `${day(start)} – ${day(end)}`;
}

/**
 * Returns an instant in a time zone, such as `5 Mar 2027, 09:30`. The zone defaults to the browser's time zone. The
 * text includes a different zone, as in `5 Mar 2027, 09:30 CET`, because a page may show instants in both zones.
 */
export function instant(value: Date | string | null | undefined, timeZone = browserZone): string {
  if (!value) return '–';
  const options: Intl.DateTimeFormatOptions = {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
    ...(timeZone !== browserZone && { timeZoneName: 'short' }),
  };
  return new Intl.DateTimeFormat('en-GB', options).format(new Date(value));
}

/** Returns the end of an id, because ids that were created at the same time start with the same characters. */
export function shortId(id: string): string {
  return `…${id.slice(-6)}`;
}

/** Returns a name of the API such as `PAYMENT_FAILURE` or `billingPeriod` as words: `Payment failure`. */
export function words(name: string | null | undefined): string {
  if (!name) return '–';
  const spaced = name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=[0-9])|_/g, ' ').toLowerCase();
  const text = spaced
    .replaceAll(/\b(api|json|pdf|url|xml)\b/g, (acronym) => acronym.toUpperCase())
    .replaceAll(/\badd on/g, 'add-on');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Returns the label of a name: its own label if it has one, otherwise the name as words. Currency codes stay as is.
 */
export function label(name: string): string {
  const isCurrency = /^[A-Z]{3}$/.test(name);
  return labels[name] ?? (isCurrency ? name : words(name));
}

/** Returns a duration such as `14 days`. */
export function durationText({ unit, number }: { readonly unit: string; readonly number?: number | null }) {
  const name = words(unit).toLowerCase();
  return unit === 'UNLIMITED' ? name : `${number} ${number === 1 ? name.replace(/s$/, '') : name}`;
}

/** Returns a value of the API as text: dates and instants in a readable format, and `–` for a missing value. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return label(String(value));
  if (value instanceof Date) return instant(value);
  if (Array.isArray(value)) return value.map(valueText).join(', ') || '–';
  if (typeof value === 'object' && value.constructor === Object) return JSON.stringify(value);
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return day(text);
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? instant(text) : text;
}

/** The time of the test clock. Null if there is no test clock or the server has not responded yet. */
export const testTime = signal<string | null>(null);

/** Returns the server's time: the time of the test clock if there is one, otherwise the time of the browser. */
export function now(): Date {
  return testTime.value === null ? new Date() : new Date(testTime.value);
}
