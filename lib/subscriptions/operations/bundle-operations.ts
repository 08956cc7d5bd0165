import type { TransferBundleOptions } from '../../ports/index.ts';
import type { Leading, Page, PageRequest } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { TransferBundleRequest } from '../requests/transfer-request.ts';
import type { BundleView } from '../views/bundle-view.ts';

/**
 * Bundles: a base subscription with its add-ons. A plugin of the host may refuse `renameKey` and `transfer`:
 * ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface BundleOperations<C extends Leading = []> {
  /**
   * The bundle with this id, with its subscriptions and their events.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ANSWER_TOO_LARGE (60020).
   */
  get(...given: [...C, bundleId: Uuid | string]): Promise<BundleView>;

  /**
   * The bundle that holds the key, if the service of one of its base or standalone subscriptions has not been cancelled.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084), ANSWER_TOO_LARGE (60020).
   */
  getByKey(...given: [...C, externalKey: string]): Promise<BundleView>;

  /**
   * The bundle that holds the key, and all that held it before, under their present keys, the oldest first.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_KEY (1084) if there is none, ANSWER_TOO_LARGE (60020).
   */
  allOfKey(...given: [...C, externalKey: string]): Promise<readonly BundleView[]>;

  /**
   * A window of the tenant's bundles in creation order, without prices, with the counts that pagination headers show. All
   * rows of the page are in memory; `outlines.page` gives them one after the other.
   */
  page(...given: [...C, request: PageRequest]): Promise<Page<BundleView>>;

  /**
   * A window of the bundles whose id, account id or external key is the key, or that meet the clauses of a key in
   * operator form (http-api §8); otherwise as `page`.
   * @throws BillingError INVALID_PARAMETER (60002) for a key in operator form that cannot be read.
   */
  search(...given: [...C, key: string, request: PageRequest]): Promise<Page<BundleView>>;

  /**
   * Gives the bundle another key, which no other bundle may hold; its present key changes nothing.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_CREATE_ACTIVE_BUNDLE_KEY_EXISTS (1014),
   * MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5), BUSY (60018).
   */
  renameKey(...given: [...C, bundleId: Uuid | string, externalKey: string | null | undefined]): Promise<void>;

  /**
   * Moves a bundle's running subscriptions to another account, in one transaction: they end on the account that they
   * leave and continue, in their phase, in a new bundle with the same key. With a future date the new subscriptions are
   * PENDING until then. Both accounts are invoiced automatically. Custom fields, tags and blocking states are not copied.
   * A transfer cannot be undone; to reverse it, transfer the new bundle back.
   * @returns the id of the new bundle.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002),
   * SUBSCRIPTION_INVALID_SUBSCRIPTION_ID (1082), SUBSCRIPTION_NO_ACTIVE_SUBSCRIPTIONS (1099),
   * SUBSCRIPTION_EXTERNAL_KEY_EXISTS (1016), MISSING_OR_INVALID_FIELD (60003), EXTERNAL_KEY_LIMIT_EXCEEDED (5),
   * INVALID_PARAMETER (60002), BUSY (60018), and from the target account's catalog CATALOG_PLAN_NOT_FOUND (2020),
   * CATALOG_NO_PRICE_FOR_CURRENCY (2010), 2011, CURRENCY_INVALID (3).
   */
  transfer(
    ...given: [...C, bundleId: Uuid | string, request: Given<TransferBundleRequest & TransferBundleOptions>]
  ): Promise<Uuid>;
}
