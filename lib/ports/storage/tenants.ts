import type { New, Rows, SigningSecret, TenantKeyValue } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** The active row of a key with one value. */
export interface ActiveValue {
  readonly recordId: number;
  /** Key for caches, because a record id may be reused after a rollback. Null: too new for the locking statement to see. */
  readonly id: Uuid | null;
}

/** Revisions in the tenant's row, for caches. */
export interface TenantRevisions {
  /** Raised by every catalog change. */
  readonly catalogRevision: number;
  /** Returns the active PER_TENANT_CONFIG row; null if there is none. */
  readonly configuration: ActiveValue | null;
  /** The active OVERDUE_CONFIG row; null means default. */
  readonly overdueConfig: ActiveValue | null;
  /** The active USAGE_TERMS row, if it has thresholds. */
  readonly usageThresholds: ActiveValue | null;
  /** Returns the active PUSH_NOTIFICATION_CB row; null if there is none. */
  readonly callback: ActiveValue | null;
  /** Raised by every change of a payment state machine; null for none. */
  readonly stateMachineRevision: number | null;
}

export interface KeyValueReads {
  /** Active values of these keys, oldest first. */
  find(keys: readonly string[]): Rows<TenantKeyValue>;
  /** Active values of keys that start with `prefix`, case-sensitive, oldest first. */
  findByPrefix(prefix: string): Rows<TenantKeyValue>;
  /** Returns the value of an active or inactive row. */
  valueOf(recordId: number): Promise<string>;
}

export interface KeyValueWrites {
  /** Locks the tenant's row against other writes of catalog or keys. */
  lock(): Promise<void>;
  /** Returns the record ids; audited as INSERT. */
  insert(values: readonly New<TenantKeyValue>[]): Rows<number>;
  /** Audited as DELETE. */
  deactivate(values: readonly TenantKeyValue[]): Promise<void>;
  /** Sets the tenant's configuration; null for none. */
  setConfiguration(recordId: number | null): Promise<void>;
  /** Sets the tenant's overdue configuration; null for none. */
  setOverdueConfig(recordId: number | null): Promise<void>;
  /** Sets the tenant's usage terms with thresholds; null for none. */
  setUsageThresholds(recordId: number | null): Promise<void>;
  /** Sets the tenant's callback for events from now on; null for none. */
  setCallback(recordId: number | null): Promise<void>;
  /** Invalidates caches of payment state machines. */
  raiseStateMachineRevision(): Promise<void>;
}

export interface SigningSecretReads {
  /** Active secrets, newest first. */
  active(): Rows<SigningSecret>;
}

export interface SigningSecretWrites {
  /** Audited as INSERT. */
  insert(secret: New<SigningSecret>): Promise<void>;
  /** Writes `signsUntilMs` and `isActive`; audited as UPDATE, or as DELETE if the secret becomes inactive. */
  update(secrets: readonly SigningSecret[]): Promise<void>;
}
