import type { New, SigningSecret, TenantKeyValue } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** The active row of a key that holds one value. */
export interface ActiveValue {
  readonly recordId: number;
  /**
   * What a cache goes by: a record id may be given anew after a transaction that was rolled back, an id never is. Null:
   * the row is newer than what the statement that locked the tenant's row could see.
   */
  readonly id: Uuid | null;
}

/** What the tenant's row says about the caches that depend on it. */
export interface TenantRevisions {
  /** Raised by every catalog change. */
  readonly catalogRevision: number;
  /** The active PER_TENANT_CONFIG row; null = the tenant has no configuration of its own. */
  readonly configuration: ActiveValue | null;
  /** The active OVERDUE_CONFIG row; null = the tenant has the default one. */
  readonly overdueConfig: ActiveValue | null;
  /** The active USAGE_TERMS row, if it has thresholds; null = recorded usage passes none. */
  readonly usageThresholds: ActiveValue | null;
  /** The active PUSH_NOTIFICATION_CB row; null = events are sent nowhere. */
  readonly callback: ActiveValue | null;
  /** Raised by every change of a payment state machine; null = there has been none. */
  readonly stateMachineRevision: number | null;
}

export interface KeyValueReads {
  /** Active values of these keys in the order in which they were written. */
  find(keys: readonly string[]): Promise<readonly TenantKeyValue[]>;
  /** Active values of the keys that begin with `prefix`, case-sensitive and without wildcards, in the same order. */
  findByPrefix(prefix: string): Promise<readonly TenantKeyValue[]>;
  /** The value of one row, active or not. */
  valueOf(recordId: number): Promise<string>;
}

export interface KeyValueWrites {
  /** Takes the lock of the tenant's row (one write of catalog or keys at a time), until the transaction ends. */
  lock(): Promise<void>;
  /** Adds values; audited as INSERT. Returns their record ids. */
  insert(values: readonly New<TenantKeyValue>[]): Promise<readonly number[]>;
  /** Ends these values; audited as DELETE. */
  deactivate(values: readonly TenantKeyValue[]): Promise<void>;
  /** Makes a row the tenant's configuration; null = none. */
  setConfiguration(recordId: number | null): Promise<void>;
  /** Makes a row the tenant's overdue configuration; null = none. */
  setOverdueConfig(recordId: number | null): Promise<void>;
  /** Makes a row the tenant's usage terms with thresholds; null = it has none. */
  setUsageThresholds(recordId: number | null): Promise<void>;
  /** Makes a row the tenant's callback, which is told of what happens from now on; null = none. */
  setCallback(recordId: number | null): Promise<void>;
  /** Tells caches that a payment state machine has changed. */
  raiseStateMachineRevision(): Promise<void>;
}

export interface SigningSecretReads {
  /** The tenant's active secrets, newest first. */
  active(): Promise<readonly SigningSecret[]>;
}

export interface SigningSecretWrites {
  /** Audited as INSERT. */
  insert(secret: New<SigningSecret>): Promise<void>;
  /** Writes `signsUntilMs` and `isActive`; audited as UPDATE, or as DELETE if the secret becomes inactive. */
  update(secrets: readonly SigningSecret[]): Promise<void>;
}
