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
