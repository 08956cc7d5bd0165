import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** One value of a tenant key (platform §3). A row is never changed but for becoming inactive. */
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
