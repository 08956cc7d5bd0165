import { type Currency, type Decimal, formatDecimal, minorUnits } from '../../values/money/index.ts';
import type { LocalDate } from '../../values/time/index.ts';
import { type Locale, languageTag } from './locale.ts';

/** Locales whose formats of numbers and dates are kept: some 60 KiB each. */
const MAX_CACHED_DOCUMENT_FORMATS = 64;

/** How amounts, numbers and days are written for the reader of a document. */
export interface DocumentFormats {
  /** With the currency's symbol and as many decimals as it has, rounded half up: `$1,234.50`. Zero has no sign. */
  amount(amount: Decimal, currency: Currency): string;
  /** With the decimals that it has, at most nine. */
  number(value: Decimal): string;
  /** Of the Gregorian calendar, whatever calendar the locale uses besides: `Nov 23, 2026`. */
  date(date: LocalDate): string;
  /** From the first day to the day on which the next period begins: `Nov 23 – Dec 23, 2026`. */
  period(start: LocalDate, end: LocalDate): string;
  /** The name of a country by its code of two letters; another text stays as it is. */
  country(code: string): string;
}

const DAY_MS = 86_400_000;
const made = new Map<Locale, DocumentFormats>();

/** The formats of a locale that the runtime knows. */
export function documentFormats(locale: Locale): DocumentFormats {
  const known = made.get(locale);
  if (known !== undefined) return known;
  if (made.size >= MAX_CACHED_DOCUMENT_FORMATS) made.clear();
  const formats = formatsOf(languageTag(locale));
  made.set(locale, formats);
  return formats;
}

function formatsOf(tag: string): DocumentFormats {
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeZone: 'UTC', calendar: 'gregory' });
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 9, signDisplay: 'negative' });
  const countries = new Intl.DisplayNames(tag, { type: 'region' });
  const amounts = new Map<Currency, Intl.NumberFormat>();
  const amountsIn = (currency: Currency): Intl.NumberFormat => {
    const known = amounts.get(currency);
    if (known !== undefined) return known;
    const digits = minorUnits(currency);
    const format = new Intl.NumberFormat(tag, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay: 'negative',
    });
    amounts.set(currency, format);
    return format;
  };
  return {
    amount: (amount, currency) => amountsIn(currency).format(exact(amount)),
    number: (value) => numbers.format(exact(value)),
    date: (date) => dates.format(date * DAY_MS),
    country: (code) => (/^[A-Za-z]{2}$/.test(code) ? (countries.of(code.toUpperCase()) ?? code) : code),
    period: (start, end) => dates.formatRange(start * DAY_MS, end * DAY_MS),
  };
}

/** `Intl` takes decimals as text, and loses no digit of them. */
function exact(value: Decimal): Intl.StringNumericLiteral {
  return formatDecimal(value) as Intl.StringNumericLiteral;
}
