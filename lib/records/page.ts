/** A window of a list in record-id order; a negative `limit` lists descending (http-api §8). */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /**
   * Records that match: exact up to MAX_COUNTED_RECORDS, one more than that above it, so that a page need not count them
   * all.
   */
  readonly total: number;
  /** All records of that type in the tenant (or in the account, for account-scoped lists). */
  readonly max: number;
}
