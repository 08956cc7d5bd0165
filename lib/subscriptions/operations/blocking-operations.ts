import type { BlockedRef, BlockingOptions, BlockingStateRequest } from '../../ports/index.ts';
import type { BlockingState, BlockingStateType, Leading } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

export interface BlockingStateFilter {
  /** Only states on objects of these types; default all. */
  readonly types?: readonly BlockingStateType[] | undefined;
  /** Only states of these services; default all. */
  readonly services?: readonly string[] | undefined;
}

/**
 * What keeps an account, bundle or subscription from change, service or billing. A plugin of the host may refuse what
 * changes it: ENTITLEMENT_PLUGIN_API_ABORTED (8003).
 */
export interface BlockingOperations<C extends Leading = []> {
  /**
   * Says what a service allows on an object from a date on, past or future; it holds until the same service says
   * otherwise for the same object (§14.1). A state that says nothing new is not stored.
   * @returns the account of the object.
   * @throws BillingError SUBSCRIPTION_BLOCKING_STATE_INVALID_ARG (1107), MISSING_OR_INVALID_FIELD (60003),
   * ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), SUBSCRIPTION_INVALID_SUBSCRIPTION_ID
   * (1082), INVALID_PARAMETER (60002), BUSY (60018).
   */
  add(
    ...given: [...C, object: Given<BlockedRef>, request: Given<BlockingStateRequest & BlockingOptions>]
  ): Promise<{ readonly accountId: Uuid }>;

  /**
   * Stops service and billing of all subscriptions of a bundle from a date on, default now (§14.3). Pausing a bundle that
   * is paused on that date stores nothing.
   * @throws BillingError SUBSCRIPTION_GET_INVALID_BUNDLE_ID (1081), INVALID_PARAMETER (60002), BUSY (60018).
   */
  pauseBundle(...given: [...C, bundleId: Uuid | string, options?: Given<BlockingOptions>]): Promise<void>;

  /**
   * Resumes a paused bundle from a date on, default now. It may be stored before the pause that it ends. Resuming a
   * bundle that was resumed before that date stores nothing.
   * @throws as `pauseBundle`.
   */
  resumeBundle(...given: [...C, bundleId: Uuid | string, options?: Given<BlockingOptions>]): Promise<void>;

  /**
   * The active states of an account, its bundles and its subscriptions, past and future, with the starts and ends of
   * services, in time order (§14.4); read a part at a time.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<BlockingStateFilter>]
  ): Promise<readonly BlockingState[]>;
}
