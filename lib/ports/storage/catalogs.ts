import type { StoredCatalogVersion } from '../../catalog/stored-version.ts';
import type { Uuid } from '../../ids/index.ts';
import type { New } from './session.ts';

export interface CatalogReads {
  /** The tenant's versions, ascending by effective date, without source texts. */
  versions(): Promise<readonly Omit<StoredCatalogVersion, 'sourceText'>[]>;
  /** The tenant row's `catalogRevision`. */
  revision(): Promise<number>;
}

export interface CatalogWrites {
  /** Takes the tenant's catalog lock (one upload at a time), until the transaction ends. */
  lock(): Promise<void>;
  /** Inserts versions (audited as TENANT_KVS) and raises `catalogRevision`; returns the id of the first. */
  insert(versions: readonly New<StoredCatalogVersion>[]): Promise<Uuid>;
}
