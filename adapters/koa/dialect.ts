import type { IncomingHttpHeaders } from 'node:http';

/**
 * Dialects of the HTTP interface (http-api §4). D is the documented dialect. K is for clients that send `X-Killbill-…`
 * headers.
 */
export const Dialect = { D: 'D', K: 'K' } as const;
export type Dialect = (typeof Dialect)[keyof typeof Dialect];

export type PerDialect<T> = Readonly<Record<Dialect, T>>;

/** Header prefix used in messages (http-api §4 line 11). */
export const headerPrefixOf: PerDialect<string> = { D: 'X-Service-', K: 'X-Killbill-' };

const documentPrefix = 'X-Service-';
const aliasPrefix = 'X-Killbill-';

/** Default value of `server.headers.aliasPrefixes`. */
export const DEFAULT_ALIAS_PREFIXES: readonly string[] = [aliasPrefix];

/** The header families that a server accepts: `X-Service-…` and its aliases (http-api §2). */
export interface HeaderFamilies {
  /** `X-Service-` first. */
  readonly prefixes: readonly string[];
  /** Returns the value of `X-Service-<suffix>`, or of the first alias of this header in the request. */
  header(headers: IncomingHttpHeaders, suffix: string): string | undefined;
  /** Returns true if the request has a header with any of the accepted prefixes. */
  isPresent(headers: IncomingHttpHeaders): boolean;
  /**
   * Returns K for a request that has an `X-Killbill-…` header but no `X-Service-…` header, and `fallback` for a request
   * without either header (http-api §4).
   */
  dialectOf(headers: IncomingHttpHeaders, fallback: Dialect): Dialect;
}

export function headerFamilies(aliases: readonly string[] = DEFAULT_ALIAS_PREFIXES): HeaderFamilies {
  const prefixes = [documentPrefix, ...aliases.filter((alias) => !isSame(alias, documentPrefix))];
  const lower = prefixes.map((prefix) => prefix.toLowerCase());
  // The names are cached, because each request reads several headers, and a lookup is faster than building a name.
  const namesBySuffix = new Map<string, readonly string[]>();
  const namesOf = (suffix: string): readonly string[] => {
    const names = namesBySuffix.get(suffix) ?? lower.map((prefix) => prefix + suffix.toLowerCase());
    namesBySuffix.set(suffix, names);
    return names;
  };
  const document = documentPrefix.toLowerCase();
  const dialectK = prefixes.some((prefix) => isSame(prefix, aliasPrefix)) ? aliasPrefix.toLowerCase() : null;
  return {
    prefixes,
    header(headers, suffix) {
      for (const name of namesOf(suffix)) {
        const value = text(headers[name]);
        if (value !== undefined) return value;
      }
      return undefined;
    },
    isPresent(headers) {
      return Object.keys(headers).some((name) => lower.some((prefix) => name.startsWith(prefix)));
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

/** Decodes header text as UTF-8, because Node reads header bytes as Latin-1. Invalid UTF-8 is returned as Latin-1. */
function text(value: string | string[] | undefined): string | undefined {
  const raw = Array.isArray(value) ? value[0] : value;
  if (raw === undefined || /^[\x20-\x7e]*$/.test(raw)) return raw;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(raw, 'latin1'));
  } catch {
    return raw;
  }
}
