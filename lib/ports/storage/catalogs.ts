import type {
  CatalogEntry,
  New,
  NewCatalogVersion,
  PlanRow,
  Rows,
  StoredCatalogContent,
  StoredCatalogPart,
  StoredCatalogSource,
  StoredCatalogVersion,
  StoredOverridePlan,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export interface CatalogReads {
  /** Returns the tenant's versions without content, sorted by effective date. */
  versions(): Rows<StoredCatalogVersion>;
  contents(versionRecordIds: readonly number[]): Rows<StoredCatalogContent>;
  parts(recordIds: readonly number[]): Rows<StoredCatalogPart>;
  /** Returns the `catalogRevision` in the tenant's row. */
  revision(): Promise<number>;
  /** Returns the override plans with exactly these names, in no particular order. */
  findOverridePlans(planNames: readonly string[]): Rows<StoredOverridePlan>;
  /** Returns the override plans that have these parent plans and values of `overrideHash`, in no particular order. */
  findOverridePlansOf(
    definitions: readonly Pick<StoredOverridePlan, 'parentPlanName' | 'overrideHash'>[],
  ): Rows<StoredOverridePlan>;
  /** Returns the highest number of an override plan, or 0 if there are no override plans. */
  lastOverridePlanNumber(): Promise<number>;
  /** Returns true if the tenant was created with the default catalog and has not deleted it (catalog §14). */
  usesGlobalDefault(): Promise<boolean>;
  /**
   * Returns the time at which the tenant stored its first version, even if that version was removed later. Returns null
   * if the tenant has never stored a version.
   */
  firstStored(): Promise<Instant | null>;
  /**
   * Returns all versions of each upload, in the order in which they were stored. Includes removed versions, but omits
   * uploads that no longer have a version in the catalog.
   */
  sources(): Rows<StoredCatalogSource>;
}

export interface CatalogWrites {
  /** Locks the tenant's catalog until the transaction ends. Other uploads and new override plans must wait. */
  lock(): Promise<void>;
  /**
   * Locks the catalog for the deletion of plans. Call this instead of `lock`. This lock also waits for transactions
   * that called `keepPlans`.
   */
  lockForDeletion(): Promise<void>;
  /**
   * Prevents the deletion of plans until the transaction ends, so that a plan read after this call can be used. Does
   * not wait for uploads or for other callers of this function.
   */
  keepPlans(): Promise<void>;
  /**
   * Inserts versions with their new parts (audited as TENANT_KVS) and increments `catalogRevision`. Returns the first
   * id. The catalog must be locked.
   */
  insert(versions: readonly NewCatalogVersion[]): Promise<Uuid>;
  /** Stores new override plans with audit rows. `catalogRevision` does not change. */
  insertOverridePlans(plans: readonly New<StoredOverridePlan>[]): Promise<void>;
  /**
   * Removes and adds versions as one change, which is audited as TENANT_KVS and increments the revision. A replacement
   * with the same date keeps its predecessor's revision, because running subscriptions are billed in the same way. The
   * caller must hold the catalog lock.
   */
  replace(change: {
    readonly removed: readonly Uuid[];
    readonly added: readonly NewCatalogVersion[];
  }): Promise<void>;
  leaveGlobalDefault(): Promise<void>;
}

export interface CatalogEntryReads {
  ofScope(accountRecordId: number | null): Rows<CatalogEntry>;
  ofAccounts(accountIds: readonly Uuid[]): Rows<CatalogEntry>;
  /** Returns the entries with these names in both scopes, and the name of their entry catalog if it exists. */
  named(names: readonly string[]): Rows<CatalogEntry>;
  childrenOf(parentIds: readonly Uuid[]): Rows<CatalogEntry>;
  /** Returns the rows of these plans, sorted by plan, effective date and creation order. */
  rowsOf(planNames: readonly string[]): Rows<PlanRow>;
  /** Returns the plans that have rows newer than this catalog revision, in both scopes. */
  plansChangedSince(revision: number): Rows<string>;
  existForAccounts(): Promise<boolean>;
  /** Returns the given plans that any subscription has ever had, either directly or through an override plan. */
  usedPlans(planNames: readonly string[]): Rows<string>;
}

/** A row to which the storage has not yet assigned its number and revision. */
export type NewPlanRow = Omit<New<PlanRow>, 'sinceRevision'>;

/** The records that one operation adds and removes. */
export interface CatalogEntryChange {
  readonly addedEntries?: readonly New<CatalogEntry>[];
  readonly addedRows?: readonly NewPlanRow[];
  readonly erasedEntries?: readonly CatalogEntry[];
  readonly erasedRows?: readonly PlanRow[];
}

export interface CatalogEntryWrites {
  /** Writes the change with its audit rows and increments `catalogRevision`. Requires `catalogs.lock`. */
  apply(change: CatalogEntryChange): Promise<void>;
}
