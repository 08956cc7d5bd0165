import type { InvoiceFormatter, InvoiceFormatterFactory } from '../../ports/index.ts';
import type { Account } from '../../records/index.ts';
import { callHost, guardedObject, plainError, pluginFailure } from '../../runtime/index.ts';
import { converterOf } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import {
  type Currency,
  type Decimal,
  formatDecimal,
  minorUnits,
  roundToCurrency,
} from '../../values/money/index.ts';
import { formatLocalDate, type LocalDate } from '../../values/time/index.ts';
import { type Locale, languageTag } from './locale.ts';

/** Maximum number of cached locale formats. Each format uses about 60 KiB. */
const MAX_CACHED_DOCUMENT_FORMATS = 64;

/** Formats amounts, numbers and days for the reader of a document. */
export interface DocumentFormats {
  /** Formats an amount with the currency's symbol and decimals, rounded half up: `$1,234.50`. Zero has no sign. */
  amount(amount: Decimal, currency: Currency): string;
  /** Formats a price with as many decimals as it needs, at least those of the currency and at most nine: `$0.0025`. */
  price(price: Decimal, currency: Currency): string;
  /** Formats a rate in percent: `19%`. */
  percent(rate: Decimal): string;
  /** Formats a number with at most nine decimals. */
  number(value: Decimal): string;
  /** Formats a date in the Gregorian calendar, regardless of the locale's own calendar: `Nov 23, 2026`. */
  date(date: LocalDate): string;
  /**
   * Formats a period from its first to its last day: `Nov 23 – Dec 22, 2026`. A period of one day is shown as a date.
   */
  period(firstDay: LocalDate, lastDay: LocalDate): string;
  /** Returns the name of the country with this two-letter code. Returns any other text unchanged. */
  country(code: string): string;
}

const DAY_MS = 86_400_000;
/** Maximum number of decimals of numbers, prices and rates. */
const MAX_DECIMALS = 9;
const made = new Map<Locale, DocumentFormats>();

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
  const numbers = new Intl.NumberFormat(tag, {
    maximumFractionDigits: MAX_DECIMALS,
    signDisplay: 'negative',
  });
  const percents = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: MAX_DECIMALS });
  const countries = new Intl.DisplayNames(tag, { type: 'region' });
  const amountsIn = currencyFormats(tag, minorUnits);
  const pricesIn = currencyFormats(tag, (currency) => Math.max(MAX_DECIMALS, minorUnits(currency)));
  return {
    amount: (amount, currency) => amountsIn(currency).format(exact(amount)),
    price: (price, currency) => pricesIn(currency).format(exact(price)),
    percent: (rate) => percents.format(exact(rate.dividedBy(100))),
    number: (value) => numbers.format(exact(value)),
    date: (date) => dates.format(date * DAY_MS),
    country: (code) => (/^[A-Za-z]{2}$/.test(code) ? (countries.of(code.toUpperCase()) ?? code) : code),
    period: (firstDay, lastDay) => dates.formatRange(firstDay * DAY_MS, lastDay * DAY_MS),
  };
}

/** Formats a price like an amount, but with more decimals if the price needs them. */
export function formatPrice(
  formats: Pick<DocumentFormats, 'amount' | 'price'>,
  price: Decimal,
  currency: Currency,
): string {
  const isAmount = roundToCurrency(price, currency).equals(price);
  return isAmount ? formats.amount(price, currency) : formats.price(price, currency);
}

/** Returns the formats of amounts with the currency's decimals and at most `maxDecimals`. */
function currencyFormats(tag: string, maxDecimals: (currency: Currency) => number) {
  const made = new Map<Currency, Intl.NumberFormat>();
  return (currency: Currency): Intl.NumberFormat => {
    const known = made.get(currency);
    if (known !== undefined) return known;
    const format = new Intl.NumberFormat(tag, {
      style: 'currency',
      currency,
      minimumFractionDigits: minorUnits(currency),
      maximumFractionDigits: maxDecimals(currency),
      signDisplay: 'negative',
    });
    made.set(currency, format);
    return format;
  };
}

/** Converts an amount to text, which `Intl` accepts without losing digits. */
function exact(value: Decimal): Intl.StringNumericLiteral {
  return formatDecimal(value) as Intl.StringNumericLiteral;
}

/** Maximum number of characters of an amount, quantity, day or period that a host's formatter returns. */
const MAX_FORMATTED_CHARACTERS = 1_000;

export type FormatsOf = (locale: Locale, account: Pick<Account, 'id'>) => DocumentFormats;

/**
 * Returns the built-in formats, overridden by the host's factory (§14 rule 5).
 * @throws (on use) BillingError UNEXPECTED (60000) naming the factory if it throws or returns an invalid value.
 */
export function formatsFrom(factory: InvoiceFormatterFactory | undefined, tenantId: Uuid): FormatsOf {
  if (factory === undefined) return documentFormats;
  return (locale, account) => {
    const builtIn = documentFormats(locale);
    const context = {
      tenantId,
      accountId: account.id,
      locale: languageTag(locale),
      builtIn: plainFormats(builtIn),
    };
    const own = callFormatter(factory, 'formatter', () => factory.formatter(context));
    if (typeof own !== 'object' || own === null) throw failure(factory, 'returned no formatter');
    return { ...builtIn, ...checkFormatResults(factory, guardedObject(own)) };
  };
}

const takeDate = converterOf('date') as (given: string, at: string) => LocalDate;

/** Returns the built-in formats for a host, which passes dates as text. */
function plainFormats({ amount, number, date, period }: DocumentFormats): InvoiceFormatter {
  return {
    amount,
    number,
    date: (day) => date(takeDate(day, 'date')),
    period: (firstDay, lastDay) => period(takeDate(firstDay, 'firstDay'), takeDate(lastDay, 'lastDay')),
  };
}

const members = ['amount', 'number', 'date', 'period'] as const satisfies readonly (keyof InvoiceFormatter)[];

function checkFormatResults(factory: InvoiceFormatterFactory, own: Partial<InvoiceFormatter>) {
  const given = members.flatMap((name) => {
    const format = callFormatter(factory, name, () => own[name]) as
      | ((...values: unknown[]) => unknown)
      | undefined;
    if (format === undefined) return [];
    const isOfDates = name === 'date' || name === 'period';
    const text = (...values: unknown[]): string => {
      const plain = isOfDates ? values.map((date) => formatLocalDate(date as LocalDate)) : values;
      const answer = callFormatter(factory, name, () => format(...plain));
      if (typeof answer === 'string' && answer.length <= MAX_FORMATTED_CHARACTERS) return answer;
      throw failure(
        factory,
        `did not return text of at most ${MAX_FORMATTED_CHARACTERS} characters from ${name}`,
      );
    };
    return [[name, text]];
  });
  return Object.fromEntries(given);
}

function callFormatter<T>(factory: InvoiceFormatterFactory, member: string, call: () => T): T {
  try {
    return callHost(call);
  } catch (thrown) {
    throw failure(factory, `failed in ${member}; see the server log for the reason`, plainError(thrown));
  }
}

function failure(factory: InvoiceFormatterFactory, what: string, cause?: unknown) {
  return pluginFailure({ kind: 'invoice formatter', name: factory.name }, what, cause);
}
