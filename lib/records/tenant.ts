import {
  bigint,
  flag,
  id,
  instant,
  integer,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../values/fields/index.ts';

/** An isolated customer of the installation (platform §2). `apiSecretHash` never leaves the engine. */
export const tenantFields = {
  recordId,
  id: id(),
  externalKey: orNull(text()),
  apiKey: text(),
  apiSecretHash: text(),
  /** True while the tenant uses the server's default catalog (catalog §14). */
  useGlobalDefault: flag(),
  /** Raised in the transaction of every catalog change; caches compare it (catalog §13). */
  catalogRevision: integer(),
  /** Record id of the tenant's configuration, if any (platform §4.1). */
  configurationRecordId: orNull(bigint()),
  /** Record id of the tenant's overdue configuration, if any (overdue §1.2). */
  overdueConfigRecordId: orNull(bigint()),
  /** Record id of the tenant's callback, if any (platform §10.1). */
  callbackRecordId: orNull(bigint()),
  /** Raised in the transaction of every change of a payment state machine; null = none (payments §3.1). */
  stateMachineRevision: orNull(bigint()),
  /** Record id of the active USAGE_TERMS, if they have thresholds. */
  usageThresholdsRecordId: orNull(bigint()),
  createdDate: instant(),
};
export interface Tenant extends RecordOf<typeof tenantFields> {}

/** A secret that signs the pushes of a tenant (platform §10.3). */
export const signingSecretFields = {
  recordId,
  id: id(),
  /** `whsec_…`, encrypted with the server key. */
  secret: text(),
  /** System time in milliseconds until which a replaced secret still signs; null for the current one. */
  signsUntilMs: orNull(bigint()),
  isActive: flag(),
  createdDate: instant(),
};
export interface SigningSecret extends RecordOf<typeof signingSecretFields> {}

/** A value of a tenant key (platform §3); immutable, except that it may become inactive. */
export const keyValueFields = {
  recordId,
  id: id(),
  key: text(),
  value: text(),
  /** True if a new value of the key replaces it. */
  isSingle: flag(),
  isActive: flag(),
  createdDate: instant(),
  updatedDate: instant(),
};
export interface TenantKeyValue extends RecordOf<typeof keyValueFields> {}
