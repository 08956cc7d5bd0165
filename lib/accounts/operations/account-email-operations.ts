import type { AccountEmail, Leading } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Operations on the secondary addresses of accounts. */
export interface AccountEmailOperations<C extends Leading = []> {
  /** Returns the active addresses, oldest first. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  emails(...given: [...C, accountId: Uuid | string]): Promise<readonly AccountEmail[]>;

  /**
   * Adds an address as given. Does nothing if this exact address is already active.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), MISSING_OR_INVALID_FIELD for an empty address or an
   * address longer than 254 characters, BUSY.
   */
  addEmail(...given: [...C, accountId: Uuid | string, email: string]): Promise<void>;

  /**
   * Removes an address. Ignores an unknown address.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY.
   */
  removeEmail(...given: [...C, accountId: Uuid | string, email: string]): Promise<void>;
}
