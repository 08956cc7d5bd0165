import type {
  CatalogEntry,
  New,
  NewCatalogVersion,
  PlanRow,
  StoredCatalogContent,
  StoredCatalogPart,
  StoredCatalogSource,
  StoredCatalogVersion,
  StoredOverridePlan,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

export interface CatalogReads {
  /** The tenant's versions, ascending by effective date, without their content. */
  versions(): Promise<readonly StoredCatalogVersion[]>;
  /** What these versions are made of. */
  contents(versionRecordIds: readonly number[]): Promise<readonly StoredCatalogContent[]>;
  /** The parts with these record ids, each once. */
  parts(recordIds: readonly number[]): Promise<readonly StoredCatalogPart[]>;
  /** The tenant row's `catalogRevision`. */
  revision(): Promise<number>;
  /** Override plans by their exact names, in no order; names of other plans are left out. */
  findOverridePlans(planNames: readonly string[]): Promise<readonly StoredOverridePlan[]>;
  /** The override plans with these parents and `overrideHash`es, in no order. */
  findOverridePlansOf(
    definitions: readonly Pick<StoredOverridePlan, 'parentPlanName' | 'overrideHash'>[],
  ): Promise<readonly StoredOverridePlan[]>;
  /** The highest number of the tenant's override plans; 0 without any. */
  lastOverridePlanNumber(): Promise<number>;
  /** Whether the tenant was created with the default catalog and has not deleted it (catalog §14). */
  usesGlobalDefault(): Promise<boolean>;
  /** When the tenant stored its first version, even if that was removed since; null: it never had one. */
  firstStored(): Promise<Instant | null>;
  /**
   * All versions of every upload that still has a version in the catalog, removed ones included, in the order in which
   * they were stored.
   */
  sources(): Promise<readonly StoredCatalogSource[]>;
}

export interface CatalogWrites {
  /** Takes the tenant's catalog lock (one upload or new override plan at a time), until the transaction ends. */
  lock(): Promise<void>;
  /** As `lock`, for deleting plans: also waits for those who hold `keepPlans`. Taken instead of `lock`. */
  lockForDeletion(): Promise<void>;
  /**
   * Until the transaction ends no plan is deleted, so that a plan chosen from the catalog read after this can be used.
   * Does not wait for uploads and others who keep plans.
   */
  keepPlans(): Promise<void>;
  /**
   * Inserts versions (audited as TENANT_KVS), with those of their parts that the tenant does not have yet, and raises
   * `catalogRevision`; returns the id of the first. The caller holds the lock.
   */
  insert(versions: readonly NewCatalogVersion[]): Promise<Uuid>;
  /** Stores new override plans, audited; `catalogRevision` stays, since no version changes. */
  insertOverridePlans(plans: readonly New<StoredOverridePlan>[]): Promise<void>;
  /**
   * Takes versions out of the catalog, whose rows stay, and puts others in, as one change: audited as TENANT_KVS,
   * revision raised by 1. A version that replaces one of the same date bills running subscriptions as that one did, so it
   * counts as held since the same revision. The caller holds the lock.
   */
  replace(change: {
    readonly removed: readonly Uuid[];
    readonly added: readonly NewCatalogVersion[];
  }): Promise<void>;
  /** From now on the tenant no longer uses the default catalog. */
  leaveGlobalDefault(): Promise<void>;
}

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
