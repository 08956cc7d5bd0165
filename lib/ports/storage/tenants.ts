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
   * Key for caches, because a record id may be used again after a rollback. Null if the row is too new for the
   * locking statement to see.
   */
  readonly id: Uuid | null;
}

/** Revisions in the tenant's row, which caches compare. */
export interface TenantRevisions {
  /** Revision that every catalog change increments. */
  readonly catalogRevision: number;
  /** The active PER_TENANT_CONFIG row, or null. */
  readonly configuration: ActiveValue | null;
  /** The active OVERDUE_CONFIG row. Null means the default. */
  readonly overdueConfig: ActiveValue | null;
  /** The active USAGE_TERMS row, if the terms have thresholds. */
  readonly usageThresholds: ActiveValue | null;
  /** The active PUSH_NOTIFICATION_CB row, or null. */
  readonly callback: ActiveValue | null;
  /** Revision that every change of a payment state machine increments. Null without a state machine. */
  readonly stateMachineRevision: number | null;
}

export interface KeyValueReads {
  /** Returns active values of these keys, oldest first. */
  find(keys: readonly string[]): Rows<TenantKeyValue>;
  /** Returns active values of keys that start with `prefix`, case-sensitive, oldest first. */
  findByPrefix(prefix: string): Rows<TenantKeyValue>;
  /** Returns the value of an active or inactive row. */
  valueOf(recordId: number): Promise<string>;
}

export interface KeyValueWrites {
  /** Locks the tenant's row against other writes of catalogs and keys. */
  lock(): Promise<void>;
  /** Inserts values and returns their record ids. The audit records an INSERT. */
  insert(values: readonly New<TenantKeyValue>[]): Rows<number>;
  /** Deactivates values. The audit records a DELETE. */
  deactivate(values: readonly TenantKeyValue[]): Promise<void>;
  /** Sets the tenant's configuration. Null removes it. */
  setConfiguration(recordId: number | null): Promise<void>;
  /** Sets the tenant's overdue configuration. Null removes it. */
  setOverdueConfig(recordId: number | null): Promise<void>;
  /** Sets the tenant's usage terms with thresholds. Null removes them. */
  setUsageThresholds(recordId: number | null): Promise<void>;
  /** Sets the tenant's callback for events from now on. Null removes it. */
  setCallback(recordId: number | null): Promise<void>;
  /** Invalidates caches of payment state machines. */
  raiseStateMachineRevision(): Promise<void>;
}

export interface SigningSecretReads {
  /** Returns the active secrets, newest first. */
  active(): Rows<SigningSecret>;
}

export interface SigningSecretWrites {
  /** Inserts a secret. The audit records an INSERT. */
  insert(secret: New<SigningSecret>): Promise<void>;
  /** Writes `signsUntilMs` and `isActive`. The audit records an UPDATE, or a DELETE if the secret becomes inactive. */
  update(secrets: readonly SigningSecret[]): Promise<void>;
}

export interface SellerReads {
  /**
   * Returns the newest version that was created up to the instant, or the newest of all if `until` is null. If all
   * versions were created later, returns the first one. Null if there is no version.
   */
  find(until: Instant | null): Promise<Seller | null>;
  /** Returns all versions, newest first. */
  versions(): Rows<SellerVersion>;
  /** Returns the logo of the version; null if it has none, undefined if the version does not exist. */
  logo(id: Uuid): Promise<SellerLogo | null | undefined>;
}

export interface SellerWrites {
  /** Inserts a version and returns its record id. The audit records an INSERT. */
  insert(seller: New<Seller>): Promise<number>;
}
