import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** A secret that signs the push notifications of a tenant (platform §10.3). */
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
