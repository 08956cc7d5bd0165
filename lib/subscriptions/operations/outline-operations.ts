import type { Leading, PageRequest } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { BundleFilter } from '../storing/bundles-of-account.ts';
import type { SubscriptionOutline } from '../views/bundle-outline.ts';
import type { BundleWindow, OutlinePage } from '../views/outline-page.ts';

/** Bundles and subscriptions whose rows are made while they are read, for answers of any length. */
export interface OutlineOperations<C extends Leading = []> {
  /**
   * The account's bundles by original creation, all of them or those of the filter; ids and keys that the account does
   * not have are left out.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), ANSWER_TOO_LARGE (60020).
   */
  ofAccount(...given: [...C, accountId: Uuid | string, filter?: Given<BundleFilter>]): Promise<BundleWindow>;

  /**
   * A window of the account's bundles in creation order, with the counts that pagination headers show.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  pageOfAccount(...given: [...C, accountId: Uuid | string, request: PageRequest]): Promise<OutlinePage>;

  /** A window of the tenant's bundles in creation order, without prices. */
  page(...given: [...C, request: PageRequest]): Promise<OutlinePage>;

  /**
   * A window of the bundles whose id, account id or external key is the key, or that meet the clauses of a key in
   * operator form; an empty key gives all bundles (http-api §1 rule 3, §8). Otherwise as `page`.
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<OutlinePage>;

  /**
   * The bundle with this id.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ANSWER_TOO_LARGE (60020).
   */
  bundle(...given: [...C, bundleId: Uuid | string]): Promise<BundleWindow>;

  /**
   * The bundle that holds the key, if the service of one of its base or standalone subscriptions has not been cancelled.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084), ANSWER_TOO_LARGE (60020).
   */
  bundleByKey(...given: [...C, externalKey: string]): Promise<BundleWindow>;

  /**
   * The bundle that holds the key, and all that held it before, under their present keys, the oldest first.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084) if there is none, ANSWER_TOO_LARGE (60020).
   */
  allOfKey(...given: [...C, externalKey: string]): Promise<BundleWindow>;

  /**
   * The subscription with this id.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), ANSWER_TOO_LARGE (60020).
   */
  subscription(...given: [...C, subscriptionId: Uuid | string]): Promise<SubscriptionOutline>;

  /**
   * The subscription with this external key.
   * @throws BillingError SUBSCRIPTION_INVALID_SUBSCRIPTION_EXTERNAL_KEY (1083), ANSWER_TOO_LARGE (60020).
   */
  subscriptionByKey(...given: [...C, externalKey: string]): Promise<SubscriptionOutline>;
}
