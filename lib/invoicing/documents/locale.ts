declare const localeBrand: unique symbol;

/** A locale in the form of the tenant's keys: `de`, `fr_FR`, `zh_Hant_TW`. Its language tag has `-` instead of `_`. */
export type Locale = string & { readonly [localeBrand]: 'Locale' };

export type TextDirection = 'ltr' | 'rtl';

/** The language with complete built-in texts, and the fallback for formats. */
export const LAST_LOCALE = 'en_US' as Locale;

const form = /^[A-Za-z]{2,8}(?:[_-][A-Za-z0-9]{1,8}){0,3}$/;

/** Right-to-left scripts in current use. */
const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa', 'Yezi']);

/**
 * Returns the canonical locale of `text`, such as `de_AT` for `DE-at` and `he` for `iw`. Returns undefined if the text
 * is invalid.
 */
export function parseLocale(text: string): Locale | undefined {
  const trimmed = text.trim();
  if (!form.test(trimmed)) return undefined;
  try {
    const [tag] = Intl.getCanonicalLocales(trimmed.replaceAll('_', '-'));
    return tag === undefined ? undefined : (tag.replaceAll('-', '_') as Locale);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the language tag for HTML and `Intl`, such as `fr-FR`. */
export function languageTag(locale: Locale): string {
  return locale.replaceAll('_', '-');
}

/** Returns the locale, then the locale without its last part, and so on: `zh_Hant_TW`, `zh_Hant`, `zh`. */
export function fromMostSpecific(locale: Locale): readonly Locale[] {
  const parts = locale.split('_');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('_') as Locale);
}

export function directionOf(locale: Locale): TextDirection {
  const { script } = new Intl.Locale(languageTag(locale)).maximize();
  return script !== undefined && rightToLeft.has(script) ? 'rtl' : 'ltr';
}

/** Returns the first locale for which this runtime has number and date formats. */
export function formattable(...locales: readonly Locale[]): Locale {
  const known = locales.find((each) => Intl.NumberFormat.supportedLocalesOf(languageTag(each)).length > 0);
  return known ?? LAST_LOCALE;
}
