import { invalidField, invalidParameter } from '../../values/errors/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { shortenText } from '../../values/text/index.ts';
import { BUILT_IN_TEMPLATE } from './built-in-template.ts';
import { builtInTexts } from './built-in-texts.ts';
import { fromMostSpecific, LAST_LOCALE, type Locale, parseLocale } from './locale.ts';
import { parseTemplate } from './template.ts';

type Translations = ReadonlyMap<string, string>;

export type TenantTranslations = ReadonlyMap<Locale, Translations>;

/** The text of a key in the language of a document. */
export type TextOf = (key: string) => string;

/** Returns the locales whose uploaded texts a document can use, the best match first. */
export function localesToLookUp(locale: Locale, defaultLocale: Locale): readonly Locale[] {
  return [...new Set([locale, defaultLocale].flatMap(fromMostSpecific))];
}

/**
 * Returns the texts of a document (§14 rule 3). Tries its locale, its language, the default locale and the default
 * language, in this order. Each time, searches the uploaded texts first, then the built-in texts. A key without a text
 * is shown unchanged.
 */
export function documentTexts(uploaded: TenantTranslations, locale: Locale, defaultLocale: Locale): TextOf {
  const bundles = localesToLookUp(locale, defaultLocale).flatMap((each) => [
    uploaded.get(each),
    builtInTexts.get(each),
  ]);
  const last = builtInTexts.get(fromMostSpecific(LAST_LOCALE).at(-1) ?? LAST_LOCALE);
  return (key) => findText([...bundles, last], key) ?? key;
}

/**
 * Returns a function that translates the names of plans, phases and usages (§14 rule 3). The function returns undefined
 * for a name that the tenant has not translated.
 */
export function catalogNames(
  uploaded: TenantTranslations,
  locale: Locale,
  defaultLocale: Locale,
): (name: string) => string | undefined {
  const bundles = localesToLookUp(locale, defaultLocale).map((each) => uploaded.get(each));
  return (name) => findText(bundles, name);
}

/**
 * Returns the language of the texts: the document's language if there are texts in that language, otherwise the
 * default language.
 */
export function languageOfTexts(uploaded: TenantTranslations, locale: Locale, defaultLocale: Locale): Locale {
  const isWritten = (each: Locale) => uploaded.has(each) || builtInTexts.has(each);
  if (fromMostSpecific(locale).some(isWritten)) return locale;
  return fromMostSpecific(defaultLocale).some(isWritten) ? defaultLocale : LAST_LOCALE;
}

function findText(bundles: readonly (Translations | undefined)[], key: string) {
  for (const bundle of bundles) {
    const text = bundle?.get(key);
    if (text !== undefined) return text;
  }
  return undefined;
}

export const DocumentTextKind = {
  TEMPLATE: 'TEMPLATE',
  /** Template for accounts with the tag MANUAL_PAY. */
  MANUAL_PAY_TEMPLATE: 'MANUAL_PAY_TEMPLATE',
  TRANSLATION: 'TRANSLATION',
  CATALOG_TRANSLATION: 'CATALOG_TRANSLATION',
} as const;
export type DocumentTextKind = (typeof DocumentTextKind)[keyof typeof DocumentTextKind];

export type DocumentText =
  | {
      readonly kind: Extract<DocumentTextKind, 'TEMPLATE' | 'MANUAL_PAY_TEMPLATE'>;
      /** Locale of the template. By default, the template applies to every locale without its own template. */
      readonly locale?: string | null;
    }
  | {
      readonly kind: Extract<DocumentTextKind, 'TRANSLATION' | 'CATALOG_TRANSLATION'>;
      /** Locale of the text, such as `en_US` or `de`. */
      readonly locale: string;
    };

export type DocumentTextUpload = DocumentText & {
  /** A template (Mustache, at most 256 Ki characters) or translations (Java properties, at most 1 Mi characters). */
  readonly text: string;
  /** If true, replaces an existing text. If false (the default), rejects the upload if the text exists. */
  readonly replace?: boolean | undefined;
};

export type DocumentTextPreview = DocumentText & {
  /** The text to show, as in an upload. */
  readonly text: string;
  readonly invoiceId: Uuid;
};

/** An unsaved text that a document shows instead of the saved text. */
export interface UnsavedText {
  readonly kind: DocumentTextKind;
  readonly locale: Locale | null;
  readonly text: string;
}

/** Options of a document. */
export interface DocumentOptions {
  /**
   * Called if the tenant had no seller data on the document's date (§14 rule 7). The document itself does not show that
   * the data is missing.
   */
  readonly onMissingSeller?: () => void;
}

const { TEMPLATE, MANUAL_PAY_TEMPLATE, CATALOG_TRANSLATION } = DocumentTextKind;

const nameOf: Readonly<Record<DocumentTextKind, string>> = {
  TEMPLATE: 'INVOICE_TEMPLATE',
  MANUAL_PAY_TEMPLATE: 'INVOICE_MP_TEMPLATE',
  TRANSLATION: 'INVOICE_TRANSLATION',
  CATALOG_TRANSLATION: 'CATALOG_TRANSLATION',
};

/** Returns the tenant's key for the text. A template without a locale is the default for all locales. */
export function documentTextKey(kind: DocumentTextKind, locale: Locale | null): string {
  return locale === null ? nameOf[kind] : `${nameOf[kind]}_${locale}`;
}

/** Reads a locale. @throws BillingError INVALID_PARAMETER (60002). */
export function requireLocale(text: string): Locale {
  const locale = parseLocale(text);
  if (locale !== undefined) return locale;
  throw invalidParameter(`"${shortenText(text)}" is not a locale; expected one such as en_US`);
}

/**
 * Checks a value before any operation stores it under the key of a document text (platform §3 rule 5).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for an unreadable template or properties, INVALID_PARAMETER
 * (60002) for a key whose locale is invalid or not in canonical spelling.
 */
export function checkDocumentText(key: string, value: string): void {
  const kind = Object.values(DocumentTextKind).find(
    (each) => key === nameOf[each] || key.startsWith(`${nameOf[each]}_`),
  );
  if (kind === undefined) throw invalidField(`${shortenText(key)} is not a key of a document text`);
  const written = key.slice(nameOf[kind].length + 1);
  const locale = written === '' ? written : requireLocale(written);
  if (written !== locale) {
    throw invalidParameter(
      `No lookup would find the key ${shortenText(key)}. Write its locale as ${locale}.`,
    );
  }
  if (kind === TEMPLATE || kind === MANUAL_PAY_TEMPLATE) parseTemplate(value);
  else parseProperties(value);
}

/** Returns the keys of the account's templates, the best match first (§14 rule 2). */
export function templateKeys(locale: Locale, isManualPay: boolean): readonly string[] {
  const kinds = isManualPay ? [MANUAL_PAY_TEMPLATE, TEMPLATE] : [TEMPLATE];
  return kinds.flatMap((kind) =>
    [...fromMostSpecific(locale), null].map((each) => documentTextKey(kind, each)),
  );
}

export function translationKeys(
  kind: Extract<DocumentTextKind, 'TRANSLATION' | 'CATALOG_TRANSLATION'>,
  locales: readonly Locale[],
): ReadonlyMap<Locale, string> {
  return new Map(locales.map((locale) => [locale, documentTextKey(kind, locale)]));
}

/**
 * Maximum number of characters and entries in an uploaded translation. This is enough for two names for each of 10,000
 * plans.
 */
export const MAX_PROPERTIES_CHARACTERS = 1_048_576;
const MAX_PROPERTIES_ENTRIES = 25_000;

/**
 * Returns the default text in the format of an upload: the built-in template, or the built-in texts in the language of
 * the locale or in English. Returns null for catalog names, which have no built-in texts.
 */
export function builtInText(kind: DocumentTextKind, locale: Locale | null): string | null {
  const locales = [locale ?? LAST_LOCALE, LAST_LOCALE].flatMap(fromMostSpecific);
  const texts = locales.map((each) => builtInTexts.get(each)).find((each) => each !== undefined);
  if (kind === TEMPLATE || kind === MANUAL_PAY_TEMPLATE) return BUILT_IN_TEMPLATE;
  return kind === CATALOG_TRANSLATION || texts === undefined ? null : formatProperties(texts);
}

/** Writes Java properties that `parseProperties` can read. Keys must not contain blanks. */
function formatProperties(texts: Translations): string {
  const escapedValue = (text: string) =>
    text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`).replace(/^ /, String.raw`\ `);
  return [...texts].map(([key, text]) => `${key} = ${escapedValue(text)}\n`).join('');
}

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };
const blank = /[ \t\f]/;

/**
 * Reads Java properties (`key = value`, `key: value` or `key value` in each line; comments begin with `#` or `!`; a
 * line ending in `\` continues in the next one; `\t`, `\n`, `\r`, `\f`, `\uXXXX`). The last value of a repeated key
 * wins.
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a `\u` without four hexadecimal digits, a NUL character
 * or half of a surrogate pair, and for text that exceeds the bounds (platform §16).
 */
export function parseProperties(source: string): ReadonlyMap<string, string> {
  if (source.length > MAX_PROPERTIES_CHARACTERS)
    throw invalidField(
      `The text has ${source.length} characters; at most ${MAX_PROPERTIES_CHARACTERS} are read`,
    );
  const entries = new Map<string, string>();
  let read = 0;
  for (const { line, text } of logicalLines(source.replace(/^\uFEFF/, ''))) {
    read += 1;
    if (read > MAX_PROPERTIES_ENTRIES)
      throw invalidField(`The text has more than ${MAX_PROPERTIES_ENTRIES} entries`);
    const end = endOfKey(text);
    const key = decodeEscapes(text.slice(0, end), line);
    const value = decodeEscapes(text.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, ''), line);
    entries.set(key, value);
  }
  return entries;
}

/**
 * Yields the lines without leading blanks and line continuations. `line` is the number of the first line, counted
 * from 1.
 */
function* logicalLines(source: string): Generator<{ readonly line: number; readonly text: string }> {
  let begun: { line: number; pieces: string[] } | null = null;
  for (const [index, each] of source.split(/\r\n|\r|\n/).entries()) {
    const text = each.replace(/^[ \t\f]+/, '');
    if (begun === null && (text === '' || text.startsWith('#') || text.startsWith('!'))) continue;
    begun ??= { line: index + 1, pieces: [] };
    const goesOn = isContinued(text);
    begun.pieces.push(goesOn ? text.slice(0, -1) : text);
    if (goesOn) continue;
    yield { line: begun.line, text: begun.pieces.join('') };
    begun = null;
  }
  if (begun !== null) yield { line: begun.line, text: begun.pieces.join('') };
}

/** Returns true if the line ends with an odd number of backslashes, so that the last backslash is not escaped. */
function isContinued(text: string): boolean {
  let backslashes = 0;
  while (text.charAt(text.length - 1 - backslashes) === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** Returns the end of the key: the first blank, `=` or `:` that is not escaped. */
function endOfKey(text: string): number {
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '=' || character === ':' || blank.test(character)) return index;
  }
  return text.length;
}

function decodeEscapes(text: string, line: number): string {
  const plain = text.replaceAll(/\\(?:u(.{0,4})|(.?))/gsu, (_, digits: string | undefined, other: string) => {
    if (digits === undefined) return escapes[other] ?? other;
    if (/^[0-9A-Fa-f]{4}$/.test(digits)) return String.fromCharCode(Number.parseInt(digits, 16));
    throw invalidField(`Line ${line}: \\u needs four hexadecimal digits`, { line });
  });
  if (plain.isWellFormed() && !plain.includes('\u0000')) return plain;
  throw invalidField(`Line ${line} contains a NUL character or half of a surrogate pair`, { line });
}
