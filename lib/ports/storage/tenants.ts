import type {
  New,
  Rows,
  Seller,
  SellerLogo,
  SellerVersion,
  SigningSecret,
  TenantKeyValue,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Instant } from '../../values/time/index.ts';

/** The active row of a key with one value. */
export interface ActiveValue {
  readonly recordId: number;
  /**
   * Key for caches. It is needed because a record id may be used again after a rollback. The value is null if the row
   * is too new to be visible to the statement that locks it.
   */
  readonly id: Uuid | null;
}

/** Revisions in the tenant's row. Caches compare them to detect changes. */
export interface TenantRevisions {
  /** A revision that increases with each change to the catalog. */
  readonly catalogRevision: number;
  /** The active PER_TENANT_CONFIG row, or null. */
  readonly configuration: ActiveValue | null;
  /** The active OVERDUE_CONFIG row. Null means that the default applies. */
  readonly overdueConfig: ActiveValue | null;
  /** The active USAGE_TERMS row, or null if the terms have no thresholds. */
  readonly usageThresholds: ActiveValue | null;
  /** The active PUSH_NOTIFICATION_CB row, or null. */
  readonly callback: ActiveValue | null;
  /**
   * A revision that increases with each change to a payment state machine, or null if the tenant has no state machine.
   */
  readonly stateMachineRevision: number | null;
}

export interface KeyValueReads {
  /** Returns the active values of these keys, oldest first. */
  find(keys: readonly string[]): Rows<TenantKeyValue>;
  /** Returns the active values of keys that start with `prefix` (case-sensitive), oldest first. */
  findByPrefix(prefix: string): Rows<TenantKeyValue>;
  /** Returns the value in a row, which may be active or inactive. */
  valueOf(recordId: number): Promise<string>;
}

export interface KeyValueWrites {
  /** Locks the tenant's row. Other writes of catalogs and keys must wait. */
  lock(): Promise<void>;
  /** Inserts values and returns their record ids. The audit log records an INSERT. */
  insert(values: readonly New<TenantKeyValue>[]): Rows<number>;
  /** Deactivates values. The audit log records a DELETE. */
  deactivate(values: readonly TenantKeyValue[]): Promise<void>;
  /** Sets the tenant's configuration. Null removes it. */
  setConfiguration(recordId: number | null): Promise<void>;
  /** Sets the tenant's overdue configuration. Null removes it. */
  setOverdueConfig(recordId: number | null): Promise<void>;
  /** Sets the tenant's usage terms with thresholds. Null removes them. */
  setUsageThresholds(recordId: number | null): Promise<void>;
  /** Sets the tenant's callback for all later events. Null removes it. */
  setCallback(recordId: number | null): Promise<void>;
  /** Increments the revision, so that caches of payment state machines are reloaded. */
  raiseStateMachineRevision(): Promise<void>;
}

export interface SigningSecretReads {
  /** Returns the active secrets, newest first. */
  active(): Rows<SigningSecret>;
}

export interface SigningSecretWrites {
  /** Inserts a secret. The audit log records an INSERT. */
  insert(secret: New<SigningSecret>): Promise<void>;
  /**
   * Writes `signsUntilMs` and `isActive`. The audit log records an UPDATE, or a DELETE if the secret becomes inactive.
   */
  update(secrets: readonly SigningSecret[]): Promise<void>;
}

export interface SellerReads {
  /**
   * Returns the newest version that was created at or before the instant, or the newest version if `until` is null. If
   * all versions were created later, returns the first version. Returns null if there is no version.
   */
  find(until: Instant | null): Promise<Seller | null>;
  /** Returns all versions, newest first. */
  versions(): Rows<SellerVersion>;
  /** Returns the logo of the version, null if the version has no logo, or undefined if the version does not exist. */
  logo(id: Uuid): Promise<SellerLogo | null | undefined>;
}

export interface SellerWrites {
  /** Inserts a version and returns its record id. The audit log records an INSERT. */
  insert(seller: New<Seller>): Promise<number>;
}
