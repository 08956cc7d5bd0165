import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

/** A secondary address of an account (accounts §15); independent of the account's own `email`. */
export interface AccountEmail {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly email: string;
  /** False after its removal; the row stays. */
  readonly isActive: boolean;
  readonly createdDate: Instant;
}
