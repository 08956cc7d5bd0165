import type { Invoice, Rows, Tenant } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** A reference whose target is missing in its tenant and account. */
export interface LostReference {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** Name of the table and column, without the prefix of the table, such as `invoice_items.invoice_id`. */
  readonly column: string;
  readonly recordId: number;
  readonly targetId: Uuid;
}

/** An audited record that does not have exactly one audit row for its creation. */
export interface UnauditedRecord {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** Name of the table, as in audit rows. */
  readonly tableName: string;
  readonly id: Uuid;
  readonly insertions: number;
}

export interface CheckedRecords {
  /** The last checked record, or null if no records remain. */
  readonly lastRecordId: number | null;
  readonly lost: readonly LostReference[];
  readonly unaudited: readonly UnauditedRecord[];
}

/** The stored sums for a unit on a day, and the actual sums of its points. */
export interface CheckedUsageDay {
  readonly accountRecordId: number;
  readonly subscriptionRecordId: number;
  readonly localDate: LocalDate;
  readonly unitRecordId: number;
  readonly unit: string;
  /** The stored sums. The maximum is null if there are no valid points. */
  readonly stored: { readonly sum: Decimal; readonly max: Decimal | null; readonly count: number };
  /**
   * Count and first ordinal of all points, and sum and maximum of the valid points. The sum and the maximum are null if
   * there are no valid points.
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

/** Additional read operations for the checks of a tenant. Each operation executes a constant number of statements. */
export interface CheckReads {
  /** Returns at most `limit` invoices of these accounts after a record id, in creation order. */
  invoicesAfter(request: {
    readonly accountRecordIds: readonly number[];
    readonly afterRecordId: number;
    readonly limit: number;
  }): Rows<Invoice>;
  /**
   * Returns at most `limit` usage days of these accounts after a position in their order. If the position is null,
   * starts at the first usage day.
   */
  usageDaysAfter(request: {
    readonly accountRecordIds: readonly number[];
    readonly after: UsageDayPlace | null;
    readonly limit: number;
  }): Rows<CheckedUsageDay>;
  /** Returns the items of the billed intervals of these invoices. The result may contain duplicates. */
  billedItems(
    invoiceIds: readonly Uuid[],
  ): Promise<readonly { readonly invoiceId: Uuid; readonly itemId: Uuid }[]>;
  /** Returns the keys of live queue entries. The entries may be in any state. */
  queuedKeys(uniqueKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Returns the record ids of the accounts that have live queue entries with these topics. The entries may be in any
   * state.
   */
  queuedAccounts(
    topics: readonly string[],
    accountRecordIds: readonly number[],
  ): Promise<ReadonlySet<number>>;
}

/** Read operations for checks across tenants. They do not write or lock anything. */
export interface CheckStore {
  tenantsAfter(request: { readonly afterRecordId: number; readonly limit: number }): Rows<Tenant>;
  /** The tables with references or audit rows. */
  readonly tables: readonly string[];
  /** Checks up to `limit` records of a table after a record id, for one tenant or for all tenants (null). */
  checkRecords(request: {
    readonly table: string;
    readonly tenantRecordId: number | null;
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<CheckedRecords>;
  /**
   * Returns the latest due date of finished queue entries, or null if none exist. The clock cannot be earlier than
   * this date.
   */
  latestWork(): Promise<Instant | null>;
  /** Returns live queue entries that already have an outcome. */
  doubledEntries(
    limit: number,
  ): Promise<readonly { readonly recordId: number; readonly tenantRecordId: number }[]>;
}
