import type { InvoiceFormatter, InvoiceFormatterFactory } from '../../ports/index.ts';
import type { Account } from '../../records/index.ts';
import { callHost, guarded, plainError, pluginFailure } from '../../runtime/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import { type DocumentFormats, documentFormats } from './document-formats.ts';
import { type Locale, languageTag } from './locale.ts';

/** Characters of an amount, a quantity, a day or a period as a host's formatter may write it. */
const MAX_FORMATTED_CHARACTERS = 1_000;

/** Gives the formats of a document of an account. */
export type FormatsOf = (locale: Locale, account: Pick<Account, 'id'>) => DocumentFormats;

/**
 * The built-in formats, with those of the host's factory in their place (§14 rule 5).
 * @throws (on use) BillingError UNEXPECTED (60000) that names the factory, if it throws or answers nonsense.
 */
export function formatsFrom(factory: InvoiceFormatterFactory | undefined, tenantId: Uuid): FormatsOf {
  if (factory === undefined) return documentFormats;
  return (locale, account) => {
    const builtIn = documentFormats(locale);
    const context = { tenantId, accountId: account.id, locale: languageTag(locale), builtIn };
    const own = asked(factory, 'formatter', () => factory.formatter(context));
    if (typeof own !== 'object' || own === null) throw failure(factory, 'answered no formatter');
    return { ...builtIn, ...checked(factory, guarded(own)) };
  };
}

const members = ['amount', 'number', 'date', 'period'] as const satisfies readonly (keyof InvoiceFormatter)[];

function checked(
  factory: InvoiceFormatterFactory,
  own: Partial<InvoiceFormatter>,
): Partial<InvoiceFormatter> {
  const given = members.flatMap((name) => {
    const format = asked(factory, name, () => own[name]) as ((...values: unknown[]) => unknown) | undefined;
    if (format === undefined) return [];
    const text = (...values: unknown[]): string => {
      const answer = asked(factory, name, () => format(...values));
      if (typeof answer === 'string' && answer.length <= MAX_FORMATTED_CHARACTERS) return answer;
      throw failure(factory, `answered no text of at most ${MAX_FORMATTED_CHARACTERS} characters in ${name}`);
    };
    return [[name, text]];
  });
  return Object.fromEntries(given);
}

function asked<T>(factory: InvoiceFormatterFactory, member: string, call: () => T): T {
  try {
    return callHost(call);
  } catch (thrown) {
    throw failure(factory, `failed in ${member}; the log of the server tells why`, plainError(thrown));
  }
}

function failure(factory: InvoiceFormatterFactory, what: string, cause?: unknown) {
  return pluginFailure({ kind: 'invoice formatter', name: factory.name }, what, cause);
}
