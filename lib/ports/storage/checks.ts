import type { Invoice, Rows, Tenant } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** A reference without a target in its own tenant and account. */
export interface LostReference {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** Table and column without prefix, such as `invoice_items.invoice_id`. */
  readonly column: string;
  readonly recordId: number;
  readonly targetId: Uuid;
}

/** An audited record without exactly one audit row of its creation. */
export interface UnauditedRecord {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** Name of the table, as in audit rows. */
  readonly tableName: string;
  readonly id: Uuid;
  readonly insertions: number;
}

export interface CheckedRecords {
  /** The last checked record. Null if no records remain. */
  readonly lastRecordId: number | null;
  readonly lost: readonly LostReference[];
  readonly unaudited: readonly UnauditedRecord[];
}

/** The stored sums of a unit and day, and the sums of its points. */
export interface CheckedUsageDay {
  readonly accountRecordId: number;
  readonly subscriptionRecordId: number;
  readonly localDate: LocalDate;
  readonly unitRecordId: number;
  readonly unit: string;
  /** The stored sums. The maximum is null without valid points. */
  readonly stored: { readonly sum: Decimal; readonly max: Decimal | null; readonly count: number };
  /**
   * Count and first ordinal of all points, and sum and maximum of the valid points. The last two are null without
   * valid points.
   */
  readonly points: {
    readonly sum: Decimal | null;
    readonly max: Decimal | null;
    readonly count: number;
    readonly first: number | null;
  };
}

export type UsageDayPlace = Pick<
  CheckedUsageDay,
  'accountRecordId' | 'localDate' | 'subscriptionRecordId' | 'unitRecordId'
>;

/** Further reads of a tenant's checks, with a constant number of statements. */
export interface CheckReads {
  /** Returns invoices of these accounts after a record id, in creation order, at most `limit`. */
  invoicesAfter(request: {
    readonly accountRecordIds: readonly number[];
    readonly afterRecordId: number;
    readonly limit: number;
  }): Rows<Invoice>;
  /**
   * Returns days of usage of these accounts after a place in their order (null means from the start), at most
   * `limit`.
   */
  usageDaysAfter(request: {
    readonly accountRecordIds: readonly number[];
    readonly after: UsageDayPlace | null;
    readonly limit: number;
  }): Rows<CheckedUsageDay>;
  /** Returns the items of the billed intervals of these invoices, possibly with duplicates. */
  billedItems(
    invoiceIds: readonly Uuid[],
  ): Promise<readonly { readonly invoiceId: Uuid; readonly itemId: Uuid }[]>;
  /** Returns the keys of live queue entries, in any state. */
  queuedKeys(uniqueKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Returns the record ids of the accounts with live queue entries of these topics, in any state. */
  queuedAccounts(
    topics: readonly string[],
    accountRecordIds: readonly number[],
  ): Promise<ReadonlySet<number>>;
}

/** Reads of the checks across tenants, without writes or locks. */
export interface CheckStore {
  tenantsAfter(request: { readonly afterRecordId: number; readonly limit: number }): Rows<Tenant>;
  /** The tables with references or audit rows. */
  readonly tables: readonly string[];
  /** Checks up to `limit` records of a table after a record id, of one tenant or of all tenants (null). */
  checkRecords(request: {
    readonly table: string;
    readonly tenantRecordId: number | null;
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<CheckedRecords>;
  /**
   * Returns the latest due date of finished queue entries, which is a lower bound of the clock. Null without finished
   * entries.
   */
  latestWork(): Promise<Instant | null>;
  /** Returns live queue entries that have an outcome. */
  doubledEntries(
    limit: number,
  ): Promise<readonly { readonly recordId: number; readonly tenantRecordId: number }[]>;
}
