import type { IncomingHttpHeaders } from 'node:http';

/**
 * The two dialects of the interface (http-api §4): D, as the service is documented, and K, for clients that send only
 * `X-Killbill-…` headers. They differ in the lines of one table and nowhere else.
 */
export const Dialect = { D: 'D', K: 'K' } as const;
export type Dialect = (typeof Dialect)[keyof typeof Dialect];

/** A value that depends on the dialect. */
export type PerDialect<T> = Readonly<Record<Dialect, T>>;

/** Header prefix that messages name (http-api §4 line 11). */
export const headerPrefixOf: PerDialect<string> = { D: 'X-Service-', K: 'X-Killbill-' };

const documentPrefix = 'X-Service-';
const aliasPrefix = 'X-Killbill-';

/** Prefixes that are read like `X-Service-` unless others are set (`server.headers.aliasPrefixes`). */
export const DEFAULT_ALIAS_PREFIXES: readonly string[] = [aliasPrefix];

/** The families of headers that a server knows: `X-Service-…`, and its aliases (http-api §2). */
export interface HeaderFamilies {
  /** As they are written, `X-Service-` first. */
  readonly prefixes: readonly string[];
  /** The value of `X-Service-<suffix>`, else of its first alias that was sent; undefined if none was. */
  header(headers: IncomingHttpHeaders, suffix: string): string | undefined;
  /**
   * K with at least one `X-Killbill-…` header and no `X-Service-…` header, else D; `fallback` with neither (http-api §4).
   * Other aliases say nothing about the dialect.
   */
  dialectOf(headers: IncomingHttpHeaders, fallback: Dialect): Dialect;
}

export function headerFamilies(aliases: readonly string[] = DEFAULT_ALIAS_PREFIXES): HeaderFamilies {
  const prefixes = [documentPrefix, ...aliases.filter((alias) => !isSame(alias, documentPrefix))];
  const lower = prefixes.map((prefix) => prefix.toLowerCase());
  const document = documentPrefix.toLowerCase();
  const dialectK = prefixes.some((prefix) => isSame(prefix, aliasPrefix)) ? aliasPrefix.toLowerCase() : null;
  return {
    prefixes,
    header(headers, suffix) {
      const name = suffix.toLowerCase();
      for (const prefix of lower) {
        const value = text(headers[prefix + name]);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    dialectOf(headers, fallback) {
      let isAlias = false;
      for (const name in headers) {
        if (name.startsWith(document)) return Dialect.D;
        if (dialectK !== null && name.startsWith(dialectK)) isAlias = true;
      }
      return isAlias ? Dialect.K : fallback;
    },
  };
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Node reads header bytes as Latin-1; clients send UTF-8. Text that is not UTF-8 stays as it was read. */
function text(value: string | string[] | undefined): string | undefined {
  const raw = Array.isArray(value) ? value[0] : value;
  if (raw === undefined || /^[\x20-\x7e]*$/.test(raw)) return raw;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(raw, 'latin1'));
  } catch {
    return raw;
  }
}
