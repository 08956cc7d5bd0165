import type { ReadSession } from '../../ports/storage/index.ts';
import type { TenantKeyValue } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { BUILT_IN_TEMPLATE } from '../documents/built-in-template.ts';
import { localesToLookUp, type TenantTranslations } from '../documents/document-texts.ts';
import type { Locale } from '../documents/locale.ts';
import { parseProperties } from '../documents/properties-text.ts';
import { parseTemplate, type TemplateNode } from '../documents/template.ts';
import { DocumentTextKind, templateKeys, translationKeys } from '../documents/text-keys.ts';

/** Characters of templates, and of translations, that stay parsed. */
const MAX_CACHED_DOCUMENT_TEXT_CHARACTERS = 8 * 1_048_576;

/** What a document is asked for in. */
export interface DocumentLocale {
  /** Of the account, or the default one. */
  readonly locale: Locale;
  readonly defaultLocale: Locale;
  readonly isManualPay: boolean;
}

/** The tenant's texts for a document. */
export interface DocumentTexts {
  readonly template: readonly TemplateNode[];
  readonly translations: TenantTranslations;
  readonly catalogTranslations: TenantTranslations;
}

const builtIn = parseTemplate(BUILT_IN_TEMPLATE);

/** Templates and translations of the tenants. Which one is in force is read each time; a text is parsed once. */
export class DocumentTextLoader {
  readonly #templates = new ParsedTexts(parseTemplate);
  readonly #translations = new ParsedTexts(parseProperties);

  /** In one statement. */
  async load(
    session: ReadSession,
    { locale, defaultLocale, isManualPay }: DocumentLocale,
  ): Promise<DocumentTexts> {
    const locales = localesToLookUp(locale, defaultLocale);
    const templates = templateKeys(locale, isManualPay);
    const texts = translationKeys(DocumentTextKind.TRANSLATION, locales);
    const names = translationKeys(DocumentTextKind.CATALOG_TRANSLATION, locales);
    const rows = await session.keyValues.find([...templates, ...texts.values(), ...names.values()]);
    const rowOf = new Map(rows.map((row) => [row.key, row]));
    const translationsIn = (keys: ReadonlyMap<Locale, string>): TenantTranslations =>
      new Map(
        [...keys].flatMap(([each, key]) => {
          const row = rowOf.get(key);
          return row === undefined ? [] : [[each, this.#translations.of(row)]];
        }),
      );
    const template = templates.map((key) => rowOf.get(key)).find((row) => row !== undefined);
    return {
      template: template === undefined ? builtIn : this.#templates.of(template),
      translations: translationsIn(texts),
      catalogTranslations: translationsIn(names),
    };
  }
}

/** What stored texts say, by the ids of their rows, which never change; the oldest are forgotten first. */
class ParsedTexts<T> {
  readonly #parse: (text: string) => T;
  readonly #parsed = new Map<Uuid, { readonly result: T; readonly characters: number }>();
  #characters = 0;

  constructor(parse: (text: string) => T) {
    this.#parse = parse;
  }

  of({ id, value }: TenantKeyValue): T {
    const known = this.#parsed.get(id);
    if (known !== undefined) return known.result;
    const result = this.#parse(value);
    this.#parsed.set(id, { result, characters: value.length });
    this.#characters += value.length;
    for (const [oldest, { characters }] of this.#parsed) {
      if (this.#characters <= MAX_CACHED_DOCUMENT_TEXT_CHARACTERS) break;
      this.#parsed.delete(oldest);
      this.#characters -= characters;
    }
    return result;
  }
}
