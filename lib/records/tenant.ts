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
  /** Raised by every catalog change, in its transaction; caches compare it (catalog §13). */
  catalogRevision: integer(),
  /** Record id of the row that holds the tenant's configuration; null = none (platform §4.1). */
  configurationRecordId: orNull(bigint()),
  /** Record id of the row that holds the tenant's overdue configuration; null = none (overdue §1.2). */
  overdueConfigRecordId: orNull(bigint()),
  /** Record id of the row that holds the tenant's callback; null = events are sent nowhere (platform §10.1). */
  callbackRecordId: orNull(bigint()),
  /** Raised by every change of a payment state machine, in its transaction; null = there has been none (payments §3.1). */
  stateMachineRevision: orNull(bigint()),
  /** The active USAGE_TERMS row, if it has thresholds. */
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
  /** System time in milliseconds up to which a secret that was replaced still signs; null for the current one. */
  signsUntilMs: orNull(bigint()),
  isActive: flag(),
  createdDate: instant(),
};
export interface SigningSecret extends RecordOf<typeof signingSecretFields> {}

/** One value of a tenant key (platform §3). A row never changes, except that it may become inactive. */
export const keyValueFields = {
  recordId,
  id: id(),
  key: text(),
  value: text(),
  /** True: the key holds one value, and a new one replaces it. */
  isSingle: flag(),
  isActive: flag(),
  createdDate: instant(),
  updatedDate: instant(),
};
export interface TenantKeyValue extends RecordOf<typeof keyValueFields> {}
