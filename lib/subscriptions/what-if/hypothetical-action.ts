import type { CancelSubscriptionOptions } from '../../ports/index.ts';
import type { ProductCategory } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { CheckedChange } from '../requests/change-request.ts';
import type { CheckedRequest, CreateSubscriptionOptions } from '../requests/create-request.ts';

export const HypotheticalActionType = {
  START_BILLING: 'START_BILLING',
  CHANGE: 'CHANGE',
  STOP_BILLING: 'STOP_BILLING',
} as const;
export type HypotheticalActionType = (typeof HypotheticalActionType)[keyof typeof HypotheticalActionType];

/** A running subscription, with the bundle that the caller names for it. */
export interface SubscriptionInBundle {
  readonly subscriptionId: Uuid;
  readonly bundleId: Uuid;
}

/** An operation on subscriptions that is tried and not done (§20), with the members of its real request. */
export type HypotheticalAction =
  | {
      readonly type: typeof HypotheticalActionType.START_BILLING;
      readonly request: CheckedRequest;
      readonly options: CreateSubscriptionOptions;
    }
  | {
      readonly type: typeof HypotheticalActionType.CHANGE;
      readonly of: SubscriptionInBundle;
      readonly request: CheckedChange;
      /** Category of the plan, where the request names it by its product. */
      readonly productCategory: ProductCategory | null;
    }
  | {
      readonly type: typeof HypotheticalActionType.STOP_BILLING;
      readonly of: SubscriptionInBundle;
      readonly options: CancelSubscriptionOptions;
    };
