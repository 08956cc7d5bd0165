/** A window of a list in record-id order; a negative `limit` lists descending (http-api §8). */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** Number of matches; at most MAX_COUNTED_RECORDS + 1, so that a page need not count all. */
  readonly total: number;
  /** All records of that type in the tenant, or in the account for lists of an account. */
  readonly max: number;
}

/** The rows of a read, without pages. */
export type Rows<T> = Promise<readonly T[]>;
