import type {
  Account,
  AccountBalance,
  AccountInput,
  Leading,
  Page,
  PageRequest,
} from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface AccountUpdate {
  readonly changes: AccountInput;
  /** If true, null resets a field. If false (the default), null changes nothing. */
  readonly treatNullAsReset?: boolean;
}

/** Accounts of a tenant. */
export interface AccountOperations<C extends Leading = []> {
  /**
   * Creates an account with the defaults of §1.1. No field is required.
   * @throws BillingError ACCOUNT_ALREADY_EXISTS (3000) for an external key in use, MISSING_OR_INVALID_FIELD,
   * CURRENCY_INVALID, EXTERNAL_KEY_LIMIT_EXCEEDED, PAYMENT_NO_SUCH_PAYMENT_METHOD for any payment method (a new
   * account has no payment methods), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002) for an unknown parent.
   */
  create(...given: [...C, input: HostInput<AccountInput>]): Promise<Account>;

  /**
   * Merges `changes` into the account (§4). Absent fields change nothing; null resets a field only with
   * `treatNullAsReset`. The bill cycle day changes only if the tenant's `features.account.allowBCDUpdate`
   * allows it. Subscriptions aligned to that day are then rebilled immediately.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_CANNOT_CHANGE_EXTERNAL_KEY (3005) for a change
   * of any fixed field, PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), ACCOUNT_BUSY (60018).
   */
  update(...given: [...C, accountId: Uuid | string, update: HostInput<AccountUpdate>]): Promise<Account>;

  /**
   * Replaces all personal data of the account, its secondary addresses and their history with a fixed text (§19). The
   * secondary addresses are also removed. Ids, keys, dates and amounts do not change. The host must clear custom
   * fields, descriptions of invoice items and the data stored by gateways.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ACCOUNT_BUSY (60018).
   */
  anonymize(...given: [...C, accountId: Uuid | string]): Promise<void>;

  /**
   * Returns the account with this id.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), also for an account of another tenant.
   */
  get(...given: [...C, accountId: Uuid | string]): Promise<Account>;

  /**
   * Returns the accounts with these ids, in this order, in one query. Unknown ids and repeated ids are omitted.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for more than 1,000 ids.
   */
  list(...given: [...C, accountIds: readonly (Uuid | string)[]]): Promise<readonly Account[]>;

  /**
   * Returns the account with exactly this external key.
   * @throws BillingError ACCOUNT_CANNOT_MAP_NULL_KEY (3004) for an empty key, ACCOUNT_DOES_NOT_EXIST_FOR_KEY (3003).
   */
  getByKey(...given: [...C, externalKey: string]): Promise<Account>;

  /** Returns a page of the tenant's accounts in creation order. */
  page(...given: [...C, request: PageRequest]): Promise<Page<Account>>;

  /**
   * Returns a page of accounts. A key matches an account's id, or part of its name, e-mail, external key or company,
   * ignoring case. A key in operator form (§6) filters by its clauses.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid key in operator form.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<Account>>;

  /**
   * Returns the account whose id equals the key, otherwise the account whose name, e-mail, external key or company
   * equals it. Returns null if no account matches.
   */
  findExactly(...given: [...C, key: string]): Promise<Account | null>;

  /** Returns the direct children in creation order. Returns an empty list for an unknown account (§7 rule 7). */
  children(...given: [...C, accountId: Uuid | string]): Promise<readonly Account[]>;

  /** Returns the stored balance and credit of each account (§8) in one query. */
  balances(
    ...given: [...C, accountIds: readonly (Uuid | string)[]]
  ): Promise<ReadonlyMap<Uuid, AccountBalance>>;
}
