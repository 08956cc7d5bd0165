import type { Locale } from './locale.ts';
import { arabic } from './texts/arabic.ts';
import { english } from './texts/english.ts';
import { french } from './texts/french.ts';
import { german } from './texts/german.ts';
import { hebrew } from './texts/hebrew.ts';
import { japanese } from './texts/japanese.ts';
import { spanish } from './texts/spanish.ts';

export type { TextKey } from './texts/english.ts';

/** Texts by language, for documents whose tenant has uploaded no texts. */
export const builtInTexts: ReadonlyMap<Locale, ReadonlyMap<string, string>> = new Map(
  Object.entries({
    en: english,
    de: german,
    fr: french,
    es: spanish,
    ar: arabic,
    he: hebrew,
    ja: japanese,
  }).map(([language, texts]) => [language as Locale, new Map(Object.entries(texts))]),
);
