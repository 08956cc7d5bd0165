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
  /** Returns the tenant row's `catalogRevision`. */
  revision(): Promise<number>;
  /** Returns override plans by exact name, in undefined order. */
  findOverridePlans(planNames: readonly string[]): Rows<StoredOverridePlan>;
  /** Returns override plans with these parents and `overrideHash`es, in undefined order. */
  findOverridePlansOf(
    definitions: readonly Pick<StoredOverridePlan, 'parentPlanName' | 'overrideHash'>[],
  ): Rows<StoredOverridePlan>;
  /** Returns the highest number of an override plan, or 0 if there are none. */
  lastOverridePlanNumber(): Promise<number>;
  /** Returns true if the tenant was created with the default catalog and has not deleted it (catalog §14). */
  usesGlobalDefault(): Promise<boolean>;
  /**
   * Returns the time at which the tenant stored its first version, even if the version was removed later. Null if the
   * tenant never had one.
   */
  firstStored(): Promise<Instant | null>;
  /**
   * Returns all versions of every upload that still has a version in the catalog, including removed versions, in the
   * order in which they were stored.
   */
  sources(): Rows<StoredCatalogSource>;
}

export interface CatalogWrites {
  /** Locks the tenant's catalog against other uploads and new override plans until the transaction ends. */
  lock(): Promise<void>;
  /** Locks the catalog for the deletion of plans, instead of `lock`. Also waits for holders of `keepPlans`. */
  lockForDeletion(): Promise<void>;
  /**
   * Prevents deletion of plans until the transaction ends, so that a plan read after this call can be used. Does not
   * wait for uploads or other holders.
   */
  keepPlans(): Promise<void>;
  /**
   * Inserts versions with their new parts (audited as TENANT_KVS) and increments `catalogRevision`. Returns the first
   * id. Requires the lock.
   */
  insert(versions: readonly NewCatalogVersion[]): Promise<Uuid>;
  /** Stores new override plans with audit rows. `catalogRevision` does not change. */
  insertOverridePlans(plans: readonly New<StoredOverridePlan>[]): Promise<void>;
  /**
   * Removes and adds versions as one change, which is audited as TENANT_KVS and increments the revision. A
   * replacement of the same date keeps its predecessor's revision, because it bills running subscriptions in the same
   * way. Requires the lock.
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
  /** Returns the rows of these plans, sorted by plan, effective date and creation. */
  rowsOf(planNames: readonly string[]): Rows<PlanRow>;
  /** Returns the plans that have rows of catalog revisions after this one, in both scopes. */
  plansChangedSince(revision: number): Rows<string>;
  existForAccounts(): Promise<boolean>;
  /** Returns the plans that any subscription has ever had, including override plans of these plans. */
  usedPlans(planNames: readonly string[]): Rows<string>;
}

/** A row before the storage assigns its number and revision. */
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
