import type { Leading } from '../records/index.ts';
import type { Uuid } from '../values/ids/index.ts';

/** Everything that is stored about an account. */
export interface AccountExportOperations<C extends Leading = []> {
  /**
   * The account, all that belongs to it, its history, audit and queue entries, from one snapshot: for each table that has
   * rows a header line `-- <table> <column>|…` and one line per row. Memory does not grow with the account, and the
   * snapshot has ended before the first piece is given. The caller reads to the end or calls the iterator's `return`.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), before anything is given.
   */
  export(...given: [...C, accountId: Uuid | string]): Promise<AsyncIterable<string>>;
}
