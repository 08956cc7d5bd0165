import type {
  Account,
  AccountBalance,
  AccountInput,
  Leading,
  Page,
  PageRequest,
} from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface AccountUpdate {
  readonly changes: AccountInput;
  /** Whether a null among the changes resets its field; default false. */
  readonly treatNullAsReset?: boolean;
}

/** Accounts of a tenant. */
export interface AccountOperations<C extends Leading = []> {
  /**
   * Creates an account with the defaults of §1.1; no field is required.
   * @throws BillingError ACCOUNT_ALREADY_EXISTS (3000) when the external key is taken, MISSING_OR_INVALID_FIELD,
   * CURRENCY_INVALID, EXTERNAL_KEY_LIMIT_EXCEEDED, PAYMENT_NO_SUCH_PAYMENT_METHOD when a payment method is named: a new
   * account has none; ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002) for the parent.
   */
  create(...given: [...C, input: Given<AccountInput>]): Promise<Account>;

  /**
   * Merges `changes` into the account (§4): absent members change nothing, null resets only with `treatNullAsReset`. A
   * bill cycle day that is set changes only if the tenant's `features.account.allowBCDUpdate` allows it; what is aligned
   * to it is then billed anew at once.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_CANNOT_CHANGE_EXTERNAL_KEY (3005) for any fixed
   * field, PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), ACCOUNT_BUSY (60018).
   */
  update(...given: [...C, accountId: Uuid | string, update: Given<AccountUpdate>]): Promise<Account>;

  /**
   * Forgets whose account it is (§19): a fixed text takes the place of every personal field of the account, of its
   * secondary addresses, which are removed, and of the history of both. Ids, keys, dates and money stay. The host has to
   * clear custom fields, descriptions of invoice items and what gateways store.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_BUSY (60018).
   */
  anonymize(...given: [...C, accountId: Uuid | string]): Promise<void>;

  /**
   * The account with this id.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), also for an account of another tenant.
   */
  get(...given: [...C, accountId: Uuid | string]): Promise<Account>;

  /**
   * The account with this external key, letter for letter.
   * @throws BillingError ACCOUNT_CANNOT_MAP_NULL_KEY (3004) for an empty key, ACCOUNT_DOES_NOT_EXIST_FOR_KEY (3003).
   */
  getByKey(...given: [...C, externalKey: string]): Promise<Account>;

  /** A window of the tenant's accounts in creation order, with the counts that pagination headers show. */
  page(...given: [...C, request: PageRequest]): Promise<Page<Account>>;

  /**
   * A window of the accounts that the key finds: those with this id, or with the key in name, e-mail, external key or
   * company in any letter case; or those that meet the clauses of a key in operator form (§6).
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<Account>>;

  /** The account whose id, else name, e-mail, external key or company is exactly the key; null if there is none. */
  findExactly(...given: [...C, key: string]): Promise<Account | null>;

  /** The direct children in creation order; an account that does not exist has none (§7 rule 7). */
  children(...given: [...C, accountId: Uuid | string]): Promise<readonly Account[]>;

  /** Balance and credit of each account, from the stored sums (§8); one query for any number. */
  balances(
    ...given: [...C, accountIds: readonly (Uuid | string)[]]
  ): Promise<ReadonlyMap<Uuid, AccountBalance>>;
}
