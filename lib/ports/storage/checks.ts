import type { Invoice, Tenant } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

/** A record that refers to no record of its own tenant and account. */
export interface LostReference {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** Table and column, without prefix: `invoice_items.invoice_id`. */
  readonly column: string;
  readonly recordId: number;
  readonly targetId: Uuid;
}

/** An audited record without exactly one audit row of its creation. */
export interface UnauditedRecord {
  readonly tenantRecordId: number;
  readonly accountRecordId: number;
  /** As audit rows name it. */
  readonly tableName: string;
  readonly id: Uuid;
  readonly insertions: number;
}

export interface CheckedRecords {
  /** The last record that was checked; null = there are no more. */
  readonly lastRecordId: number | null;
  readonly lost: readonly LostReference[];
  readonly unaudited: readonly UnauditedRecord[];
}

/** What is stored of a unit and day, and what its points come to. */
export interface CheckedUsageDay {
  readonly accountRecordId: number;
  readonly subscriptionRecordId: number;
  readonly localDate: LocalDate;
  readonly unitRecordId: number;
  readonly unit: string;
  /** Max is null where no point counts. */
  readonly stored: { readonly sum: Decimal; readonly max: Decimal | null; readonly count: number };
  /** Count and first ordinal are of all points, the others of those that are not void; null of none. */
  readonly points: {
    readonly sum: Decimal | null;
    readonly max: Decimal | null;
    readonly count: number;
    readonly first: number | null;
  };
}

/** The place of a day in their order. */
export type UsageDayPlace = Pick<
  CheckedUsageDay,
  'accountRecordId' | 'localDate' | 'subscriptionRecordId' | 'unitRecordId'
>;

/** What checks of one tenant's data read besides the areas' own reads; as many statements for any number of accounts. */
export interface CheckReads {
  /** Invoices of these accounts after a record id, in creation order, at most `limit`. */
  invoicesAfter(request: {
    readonly accountRecordIds: readonly number[];
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<readonly Invoice[]>;
  /** Days of usage of these accounts after a place in their order (null = from the start), at most `limit`. */
  usageDaysAfter(request: {
    readonly accountRecordIds: readonly number[];
    readonly after: UsageDayPlace | null;
    readonly limit: number;
  }): Promise<readonly CheckedUsageDay[]>;
  /** The items that billed intervals of these invoices name, each as often as it is named. */
  billedItems(
    invoiceIds: readonly Uuid[],
  ): Promise<readonly { readonly invoiceId: Uuid; readonly itemId: Uuid }[]>;
  /** Those of these keys that belong to live queue entries, in whatever state. */
  queuedKeys(uniqueKeys: readonly string[]): Promise<ReadonlySet<string>>;
  /** Record ids of those of these accounts that have live queue entries of these topics, in whatever state. */
  queuedAccounts(
    topics: readonly string[],
    accountRecordIds: readonly number[],
  ): Promise<ReadonlySet<number>>;
}

/** Cross-tenant reads of the checks. They write nothing and take no lock. */
export interface CheckStore {
  /** In the order of their creation. */
  tenantsAfter(request: {
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<readonly Tenant[]>;
  /** The tables whose records refer to each other or are audited. */
  readonly tables: readonly string[];
  /** Checks records of one of `tables` after a record id, at most `limit`; of one tenant, or of all (null). */
  checkRecords(request: {
    readonly table: string;
    readonly tenantRecordId: number | null;
    readonly afterRecordId: number;
    readonly limit: number;
  }): Promise<CheckedRecords>;
  /** The latest due date among finished queue entries, up to which the clock has therefore come; null = none is stored. */
  latestWork(): Promise<Instant | null>;
  /** Queue entries that are live although they have an outcome, at most `limit`. */
  doubledEntries(
    limit: number,
  ): Promise<readonly { readonly recordId: number; readonly tenantRecordId: number }[]>;
}
