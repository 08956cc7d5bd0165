import type { StoredOverridePlan } from '../../catalog/stored-override-plan.ts';
import type {
  NewCatalogVersion,
  StoredCatalogContent,
  StoredCatalogPart,
  StoredCatalogVersion,
} from '../../catalog/stored-version.ts';
import type { Uuid } from '../../ids/index.ts';
import type { New } from './session.ts';

export interface CatalogReads {
  /** The tenant's versions, ascending by effective date, without their content. */
  versions(): Promise<readonly StoredCatalogVersion[]>;
  /** What these versions are made of. */
  contents(versionRecordIds: readonly number[]): Promise<readonly StoredCatalogContent[]>;
  /** The parts with these record ids. */
  parts(recordIds: readonly number[]): Promise<readonly StoredCatalogPart[]>;
  /** The tenant row's `catalogRevision`. */
  revision(): Promise<number>;
  /** Override plans by their exact names, in no order; names of others are left out. */
  findOverridePlans(planNames: readonly string[]): Promise<readonly StoredOverridePlan[]>;
  /** The override plans of a parent with these `overrideHash`es, in no order. */
  findOverridePlansOf(
    parentPlanName: string,
    overrideHashes: readonly string[],
  ): Promise<readonly StoredOverridePlan[]>;
  /** The highest number of the tenant's override plans; 0 without any. */
  lastOverridePlanNumber(): Promise<number>;
}

export interface CatalogWrites {
  /** Takes the tenant's catalog lock (one upload or new override plan at a time), until the transaction ends. */
  lock(): Promise<void>;
  /**
   * Inserts versions (audited as TENANT_KVS) with those of their parts that the tenant does not have yet, and raises
   * `catalogRevision`; returns the id of the first. The caller holds the lock.
   */
  insert(versions: readonly NewCatalogVersion[]): Promise<Uuid>;
  /** Stores a new override plan, audited; `catalogRevision` stays, since no version changes. */
  insertOverridePlan(plan: New<StoredOverridePlan>): Promise<void>;
}
