import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** An isolated deployment unit (platform §2). `apiSecretHash` never leaves the engine. */
export interface Tenant {
  readonly recordId: number;
  readonly id: Uuid;
  readonly externalKey: string | null;
  readonly apiKey: string;
  readonly apiSecretHash: string;
  /** True while the tenant lives on the server's default catalog (catalog §14). */
  readonly useGlobalDefault: boolean;
  /** Raised by every catalog change, in its transaction; caches compare it (catalog §13). */
  readonly catalogRevision: number;
  /** Record id of the row that holds the tenant's configuration; null = none (platform §4.1). */
  readonly configurationRecordId: number | null;
  readonly createdDate: Instant;
}
