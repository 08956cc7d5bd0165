import type { CatalogEntry, New, PlanRow } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface CatalogEntryReads {
  /** Entries of the tenant (null) or of one account, in creation order. */
  ofScope(accountRecordId: number | null): Promise<readonly CatalogEntry[]>;
  /** Entries of these accounts; unknown accounts have none. */
  ofAccounts(accountIds: readonly Uuid[]): Promise<readonly CatalogEntry[]>;
  /** Entries of these names in both scopes, and the name of the entry catalog where there is one. */
  named(names: readonly string[]): Promise<readonly CatalogEntry[]>;
  /** Entries that belong to these, in both scopes. */
  childrenOf(parentIds: readonly Uuid[]): Promise<readonly CatalogEntry[]>;
  /** Rows of these plans by plan, effective date and creation. */
  rowsOf(planNames: readonly string[]): Promise<readonly PlanRow[]>;
  /** Plans with rows that later revisions of the catalog brought, in both scopes. */
  plansChangedSince(revision: number): Promise<readonly string[]>;
  /** Whether any account of the tenant has entries. */
  existForAccounts(): Promise<boolean>;
  /** Those of these plans that a subscription of the tenant has or ever had, override plans of them included. */
  usedPlans(planNames: readonly string[]): Promise<readonly string[]>;
}

/** A row before storage has numbered it and noted the revision that brings it. */
export type NewPlanRow = Omit<New<PlanRow>, 'sinceRevision'>;

/** What one operation adds and removes. */
export interface CatalogEntryChange {
  readonly addedEntries?: readonly New<CatalogEntry>[];
  readonly addedRows?: readonly NewPlanRow[];
  readonly erasedEntries?: readonly CatalogEntry[];
  readonly erasedRows?: readonly PlanRow[];
}

export interface CatalogEntryWrites {
  /** Writes the change with its audit rows and raises `catalogRevision`. The caller holds the lock of `catalogs.lock`. */
  apply(change: CatalogEntryChange): Promise<void>;
}
