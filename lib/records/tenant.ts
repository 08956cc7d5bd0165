import { f, type RecordOf } from '../values/fields/index.ts';

/** A customer of the installation whose data is isolated (platform §2). `apiSecretHash` never leaves the engine. */
export const tenantFields = {
  recordId: f.recordId,
  id: f.id(),
  externalKey: f.orNull(f.text()),
  apiKey: f.text(),
  apiSecretHash: f.text(),
  /** True while the tenant uses the server's default catalog (catalog §14). */
  useGlobalDefault: f.flag(),
  /**
   * A revision that each change to the catalog increases in the same transaction. Caches compare it to detect changes
   * (catalog §13).
   */
  catalogRevision: f.integer(),
  /** The record id of the tenant's configuration, or null if the tenant has no configuration (platform §4.1). */
  configurationRecordId: f.orNull(f.bigint()),
  /**
   * The record id of the tenant's overdue configuration, or null if the tenant has no overdue configuration (overdue
   * §1.2).
   */
  overdueConfigRecordId: f.orNull(f.bigint()),
  /** The record id of the tenant's callback, or null if the tenant has no callback (platform §10.1). */
  callbackRecordId: f.orNull(f.bigint()),
  /**
   * A revision that each change to a payment state machine increases in the same transaction. The value is null if the
   * tenant has no state machine (payments §3.1).
   */
  stateMachineRevision: f.orNull(f.bigint()),
  /** The record id of the active USAGE_TERMS value, or null if the terms have no thresholds. */
  usageThresholdsRecordId: f.orNull(f.bigint()),
  createdDate: f.instant(),
};
export interface Tenant extends RecordOf<typeof tenantFields> {}

/** A secret that signs the pushes of a tenant (platform §10.3). */
export const signingSecretFields = {
  recordId: f.recordId,
  id: f.id(),
  /** The secret, of the form `whsec_…`, encrypted with the server key. */
  secret: f.text(),
  /**
   * The system time in milliseconds until which a replaced secret is still used to sign, or null for the current
   * secret.
   */
  signsUntilMs: f.orNull(f.bigint()),
  isActive: f.flag(),
  createdDate: f.instant(),
};
export interface SigningSecret extends RecordOf<typeof signingSecretFields> {}

/** A value of a tenant's key (platform §3). It never changes, except that it may become inactive. */
export const keyValueFields = {
  recordId: f.recordId,
  id: f.id(),
  key: f.text(),
  value: f.text(),
  /** True if a new value of the key replaces this value. */
  isSingle: f.flag(),
  isActive: f.flag(),
  createdDate: f.instant(),
  updatedDate: f.instant(),
};
export interface TenantKeyValue extends RecordOf<typeof keyValueFields> {}
