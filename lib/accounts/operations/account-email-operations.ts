import type { AccountEmail, Leading } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Secondary addresses of accounts. */
export interface AccountEmailOperations<C extends Leading = []> {
  /** The active addresses in the order of their addition. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  emails(...given: [...C, accountId: Uuid | string]): Promise<readonly AccountEmail[]>;

  /**
   * Adds an address, stored as given. Adding one that is active already writes nothing; the comparison is exact.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), MISSING_OR_INVALID_FIELD for an empty address and one
   * above 254 characters, BUSY.
   */
  addEmail(...given: [...C, accountId: Uuid | string, email: string]): Promise<void>;

  /**
   * Removes an address; one that the account does not have is no error.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), BUSY.
   */
  removeEmail(...given: [...C, accountId: Uuid | string, email: string]): Promise<void>;
}
