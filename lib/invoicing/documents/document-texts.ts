import { builtInTexts } from './built-in-texts.ts';
import { fromMostSpecific, LAST_LOCALE, type Locale } from './locale.ts';

/** Translations of one locale, by key. */
export type Translations = ReadonlyMap<string, string>;

/** The translations that a tenant has uploaded, by locale. */
export type TenantTranslations = ReadonlyMap<Locale, Translations>;

/** The text of a key in the language of a document. */
export type TextOf = (key: string) => string;

/** The locales whose uploaded texts a document may show, the best first. */
export function localesToLookUp(locale: Locale, defaultLocale: Locale): readonly Locale[] {
  return [...new Set([locale, defaultLocale].flatMap(fromMostSpecific))];
}

/**
 * The texts of a document (§14 rule 3): those of its locale, of its language, of the default locale and of that one's
 * language, what the tenant has uploaded before what is built in; and the key itself where none has it.
 */
export function documentTexts(uploaded: TenantTranslations, locale: Locale, defaultLocale: Locale): TextOf {
  const bundles = localesToLookUp(locale, defaultLocale).flatMap((each) => [
    uploaded.get(each),
    builtInTexts.get(each),
  ]);
  return firstOf([...bundles, builtInTexts.get(languageOf(LAST_LOCALE))]);
}

/** The names of plans, phases and usages (§14 rule 3): undefined where the tenant translates none. */
export function catalogNames(
  uploaded: TenantTranslations,
  locale: Locale,
  defaultLocale: Locale,
): (name: string) => string | undefined {
  const bundles = localesToLookUp(locale, defaultLocale).map((each) => uploaded.get(each));
  return (name) => found(bundles, name);
}

/** The language of the texts: that of the document's locale where there are texts in it, else the default one. */
export function languageOfTexts(uploaded: TenantTranslations, locale: Locale, defaultLocale: Locale): Locale {
  const isWritten = (each: Locale) => uploaded.has(each) || builtInTexts.has(each);
  if (fromMostSpecific(locale).some(isWritten)) return locale;
  return fromMostSpecific(defaultLocale).some(isWritten) ? defaultLocale : LAST_LOCALE;
}

function languageOf(locale: Locale): Locale {
  return fromMostSpecific(locale).at(-1) ?? locale;
}

function firstOf(bundles: readonly (Translations | undefined)[]): TextOf {
  return (key) => found(bundles, key) ?? key;
}

function found(bundles: readonly (Translations | undefined)[], key: string): string | undefined {
  for (const bundle of bundles) {
    const text = bundle?.get(key);
    if (text !== undefined) return text;
  }
  return undefined;
}
