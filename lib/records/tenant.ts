import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** An isolated customer of the installation (platform §2). `apiSecretHash` never leaves the engine. */
export interface Tenant {
  readonly recordId: number;
  readonly id: Uuid;
  readonly externalKey: string | null;
  readonly apiKey: string;
  readonly apiSecretHash: string;
  /** True while the tenant uses the server's default catalog (catalog §14). */
  readonly useGlobalDefault: boolean;
  /** Raised by every catalog change, in its transaction; caches compare it (catalog §13). */
  readonly catalogRevision: number;
  /** Record id of the row that holds the tenant's configuration; null = none (platform §4.1). */
  readonly configurationRecordId: number | null;
  /** Record id of the row that holds the tenant's overdue configuration; null = none (overdue §1.2). */
  readonly overdueConfigRecordId: number | null;
  /** Record id of the row that holds the tenant's callback; null = events are sent nowhere (platform §10.1). */
  readonly callbackRecordId: number | null;
  /** Raised by every change of a payment state machine, in its transaction; null = there has been none (payments §3.1). */
  readonly stateMachineRevision: number | null;
  /** The active USAGE_TERMS row, if it has thresholds. */
  readonly usageThresholdsRecordId: number | null;
  readonly createdDate: Instant;
}

/** A secret that signs the pushes of a tenant (platform §10.3). */
export interface SigningSecret {
  readonly recordId: number;
  readonly id: Uuid;
  /** `whsec_…`, encrypted with the server key. */
  readonly secret: string;
  /** System time in milliseconds up to which a secret that was replaced still signs; null for the current one. */
  readonly signsUntilMs: number | null;
  readonly isActive: boolean;
  readonly createdDate: Instant;
}

/** One value of a tenant key (platform §3). A row never changes, except that it may become inactive. */
export interface TenantKeyValue {
  readonly recordId: number;
  readonly id: Uuid;
  readonly key: string;
  readonly value: string;
  /** True: the key holds one value, and a new one replaces it. */
  readonly isSingle: boolean;
  readonly isActive: boolean;
  readonly createdDate: Instant;
  readonly updatedDate: Instant;
}
