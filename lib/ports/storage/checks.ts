import type { Invoice, Tenant } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** A record whose reference leads to no record of its own tenant and account. */
export interface LostReference {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** Table and column, without prefix: `invoice_items.invoice_id`. */
  readonly column: string;
  readonly recordId: number;
  readonly targetId: Uuid;
}

/** An audited record that has not exactly one audit row of its creation. */
export interface UnauditedRecord {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** As audit rows name it. */
  readonly tableName: string;
  readonly id: Uuid;
  readonly insertions: number;
}

export interface CheckedRecords {
  /** The last record that was looked at; null = there are no more. */
  readonly lastRecordId: number | null;
  readonly lost: readonly LostReference[];
  readonly unaudited: readonly UnauditedRecord[];
}

/** What checks of one tenant's data read beside the areas' own reads; as many statements for any number of accounts. */
export interface CheckReads {
  /** Invoices of these accounts after a record id, in creation order, at most `limit`. */
  invoicesAfter(request: {
    readonly accountRecordIds: readonly number[];
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<readonly Invoice[]>;
  /** Those of these keys that live queue entries have, in whatever state. */
  queuedKeys(uniqueKeys: readonly string[]): Promise<ReadonlySet<string>>;
}

/** Cross-tenant reads of the checks. Nothing is written and no lock is taken. */
export interface CheckStore {
  /** In the order of their creation. */
  tenantsAfter(request: {
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<readonly Tenant[]>;
  /** The tables whose records refer to each other or are audited. */
  readonly tables: readonly string[];
  /** Looks at records of one of `tables` after a record id, at most `limit`; of one tenant, or of all (null). */
  checkRecords(request: {
    readonly table: string;
    readonly tenantRecordId: number | null;
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<CheckedRecords>;
  /** When the latest of the queue's work that is done fell due: the clock has come to it; null = none is kept. */
  latestWork(): Promise<Instant | null>;
  /** Queue entries that are live and have an outcome as well, at most `limit`. */
  doubledEntries(
    limit: number,
  ): Promise<readonly { readonly recordId: number; readonly tenantRecordId: number }[]>;
}
