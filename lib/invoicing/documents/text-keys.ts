import { invalidField, invalidParameter } from '../../values/errors/index.ts';
import { shortened } from '../../values/text/index.ts';
import { fromMostSpecific, type Locale, parseLocale } from './locale.ts';
import { parseProperties } from './properties-text.ts';
import { parseTemplate } from './template.ts';

/** What a tenant can upload for its documents (§14 rules 2 and 3). */
export const DocumentTextKind = {
  TEMPLATE: 'TEMPLATE',
  /** For accounts that carry MANUAL_PAY. */
  MANUAL_PAY_TEMPLATE: 'MANUAL_PAY_TEMPLATE',
  TRANSLATION: 'TRANSLATION',
  /** Names of plans, phases and usages. */
  CATALOG_TRANSLATION: 'CATALOG_TRANSLATION',
} as const;
export type DocumentTextKind = (typeof DocumentTextKind)[keyof typeof DocumentTextKind];

/** Which text of a tenant's documents. */
export type DocumentText =
  | {
      readonly kind: Extract<DocumentTextKind, 'TEMPLATE' | 'MANUAL_PAY_TEMPLATE'>;
      /** Default: for every locale that has no template of its own. */
      readonly locale?: string | null;
    }
  | {
      readonly kind: Extract<DocumentTextKind, 'TRANSLATION' | 'CATALOG_TRANSLATION'>;
      /** Such as `en_US` or `de`. */
      readonly locale: string;
    };

/** A text to be stored. */
export type DocumentTextUpload = DocumentText & {
  /** A template (Mustache, at most 256 Ki characters) or translations (Java properties, at most 1 Mi characters). */
  readonly text: string;
  /** Whether one that is there already is replaced; default false: it is refused. */
  readonly replace?: boolean | undefined;
};

const { TEMPLATE, MANUAL_PAY_TEMPLATE } = DocumentTextKind;

const nameOf: Readonly<Record<DocumentTextKind, string>> = {
  TEMPLATE: 'INVOICE_TEMPLATE',
  MANUAL_PAY_TEMPLATE: 'INVOICE_MP_TEMPLATE',
  TRANSLATION: 'INVOICE_TRANSLATION',
  CATALOG_TRANSLATION: 'CATALOG_TRANSLATION',
};

/** The tenant's key for the text; translations need a locale, a template without one is for all that have none. */
export function documentTextKey(kind: DocumentTextKind, locale: Locale | null): string {
  return locale === null ? nameOf[kind] : `${nameOf[kind]}_${locale}`;
}

/** The locale of a path or of a caller. @throws BillingError INVALID_PARAMETER (60002). */
export function localeGiven(text: string): Locale {
  const locale = parseLocale(text);
  if (locale !== undefined) return locale;
  throw invalidParameter(`"${shortened(text)}" is not a locale; expected one such as en_US`);
}

/**
 * Checks a value before it is stored under one of these keys, whichever way it comes (platform §3 rule 5).
 * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for a template or properties that cannot be read, INVALID_PARAMETER
 * (60002) for a key whose locale is none, or is not spelt as it is looked up.
 */
export function checkDocumentText(key: string, value: string): void {
  const kind = kindOfKey(key);
  const written = key.slice(nameOf[kind].length + 1);
  if (written !== '') checkSpelling(key, written, localeGiven(written));
  if (kind === TEMPLATE || kind === MANUAL_PAY_TEMPLATE) parseTemplate(value);
  else parseProperties(value);
}

function kindOfKey(key: string): DocumentTextKind {
  const kinds = Object.values(DocumentTextKind);
  const kind = kinds.find((each) => key === nameOf[each] || key.startsWith(`${nameOf[each]}_`));
  if (kind !== undefined) return kind;
  throw invalidField(`${shortened(key)} is no key of a text for documents`);
}

function checkSpelling(key: string, written: string, locale: Locale): void {
  if (written === locale) return;
  throw invalidParameter(`The key ${shortened(key)} would not be found: its locale is spelt ${locale}`);
}

/** The keys in which a document of the account looks for a template, the best first (§14 rule 2). */
export function templateKeys(locale: Locale, isManualPay: boolean): readonly string[] {
  const kinds = isManualPay ? [MANUAL_PAY_TEMPLATE, TEMPLATE] : [TEMPLATE];
  return kinds.flatMap((kind) =>
    [...fromMostSpecific(locale), null].map((each) => documentTextKey(kind, each)),
  );
}

/** The keys of translations in these locales. */
export function translationKeys(
  kind: Extract<DocumentTextKind, 'TRANSLATION' | 'CATALOG_TRANSLATION'>,
  locales: readonly Locale[],
): ReadonlyMap<Locale, string> {
  return new Map(locales.map((locale) => [locale, documentTextKey(kind, locale)]));
}
