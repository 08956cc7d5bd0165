/** A section of a list in the order of record ids. A negative `limit` reverses the order (http-api §8). */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Number of matches. It is counted only up to MAX_COUNTED_RECORDS + 1, so that a page need not count all matches. */
  readonly total: number;
  /** Number of all records of this type in the tenant or, for lists of an account, in the account. */
  readonly max: number;
}

/** The rows of a read, without pages. */
export type Rows<T> = Promise<readonly T[]>;
