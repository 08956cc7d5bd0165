import type { Account } from '../../accounts/model.ts';
import type { Uuid } from '../../ids/index.ts';
import type { New } from './session.ts';

/** A window of a list in record-id order; a negative `limit` lists descending (http-api.md §8). */
export interface PageRequest {
  readonly offset: number;
  readonly limit: number;
}
export interface Page<T> {
  readonly rows: readonly T[];
  /** Records that match: exact up to MAX_COUNTED_RECORDS, above it one more, so that a page costs no count of it all. */
  readonly total: number;
  /** All records of that type in the tenant (or in the account, for account-scoped lists). */
  readonly max: number;
}

export interface AccountReads {
  findByIds(ids: readonly Uuid[]): Promise<readonly Account[]>;
  findByRecordIds(recordIds: readonly number[]): Promise<readonly Account[]>;
  findByKeys(externalKeys: readonly string[]): Promise<readonly Account[]>;
  page(request: PageRequest): Promise<Page<Account>>;
}

export interface AccountWrites {
  /** Returns the stored accounts; a taken external key throws BillingError 3000 (ACCOUNT_ALREADY_EXISTS). */
  insert(accounts: readonly New<Account>[]): Promise<readonly Account[]>;
  /** Writes every updatable field; audited as UPDATE. */
  update(accounts: readonly Account[]): Promise<void>;
}
