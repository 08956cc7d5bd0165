import type {
  BillingActionPolicy,
  BlockingStateType,
  PhaseType,
  ProductCategory,
} from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { BillingPeriod, DatedInstant, RequestedDate } from '../../values/time/index.ts';
import type { PriceOverrideRequest } from './price-override-request.ts';

/** How a new subscription or a change takes a plan. */
export interface TermsOfPlan {
  /** Phase to start in; the ones before it are skipped. */
  readonly phaseType?: PhaseType | null | undefined;
  /** 1 to 31. */
  readonly billCycleDayLocal?: number | null | undefined;
  /** At least 1. */
  readonly quantity?: number | null | undefined;
  /**
   * Prices to pay instead of the plan's, in the account's currency; they make an override plan `<plan>-<n>` (catalog
   * §10).
   */
  readonly priceOverrides?: readonly PriceOverrideRequest[] | null | undefined;
}

/**
 * Plan, phase, prices, quantity and bill cycle day of a subscription to create. Absent, null and, in texts, empty members
 * are the same.
 */
export interface CreationTerms extends TermsOfPlan {
  /** Name of the plan; excludes the four members below. */
  readonly planName?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly productCategory?: ProductCategory | null | undefined;
  readonly billingPeriod?: BillingPeriod | null | undefined;
  readonly priceList?: string | null | undefined;
}

/** The bundle of a new subscription, and its keys. */
export interface CreationPlace {
  /** Only to add to an existing bundle. */
  readonly bundleId?: Uuid | null | undefined;
  /** Default the new bundle's id. */
  readonly bundleExternalKey?: string | null | undefined;
  /** Default the new subscription's id. */
  readonly externalKey?: string | null | undefined;
}

export interface CreationDates {
  /** Start of the service; absent = now. */
  readonly entitlementDate?: RequestedDate | null | undefined;
  /** Start of billing; absent = now. */
  readonly billingDate?: RequestedDate | null | undefined;
}

/** The plan to change to, and how it is taken. Absent, null and, in texts, empty members are the same. */
export interface ChangePlanRequest extends TermsOfPlan {
  /** Name of the plan; the three members below count only without one. */
  readonly planName?: string | null | undefined;
  readonly productName?: string | null | undefined;
  readonly billingPeriod?: BillingPeriod | null | undefined;
  /** Default by the catalog's rule, else the current list (catalog §8 rule 4). */
  readonly priceList?: string | null | undefined;
}

/** At most one of the two; neither = by the catalog's rule. */
export interface ChangePlanOptions {
  readonly requestedDate?: RequestedDate | null | undefined;
  /** ILLEGAL is refused. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
}

/** When the service ends: now, or at the end of what is invoiced. */
export const EntitlementActionPolicy = { IMMEDIATE: 'IMMEDIATE', END_OF_TERM: 'END_OF_TERM' } as const;
export type EntitlementActionPolicy = (typeof EntitlementActionPolicy)[keyof typeof EntitlementActionPolicy];

export interface CancelSubscriptionOptions {
  /** A date ends the service there; an instant ends service and billing there. Absent = now. */
  readonly requestedDate?: RequestedDate | null | undefined;
  /** When the service ends; `requestedDate` is ignored then. */
  readonly entitlementPolicy?: EntitlementActionPolicy | null | undefined;
  /** When billing ends; absent = by the catalog's rule. ILLEGAL is refused. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
  /** Billing ends at the requested date too; only without policies. Default false. */
  readonly useRequestedDateForBilling?: boolean | undefined;
}

/** What becomes of a requested bill cycle day when a bundle is transferred (subscriptions §17.4 rule 5). */
export const BcdTransfer = {
  /** It stays. */
  USE_EXISTING: 'USE_EXISTING',
  /** The day of the transfer in the target account's calendar takes its place. */
  ALIGN_WITH_EFF_DT: 'ALIGN_WITH_EFF_DT',
  /** It is dropped: the day follows from the plan's billing alignment. */
  NONE: 'NONE',
} as const;
export type BcdTransfer = (typeof BcdTransfer)[keyof typeof BcdTransfer];

export interface TransferBundleOptions {
  /** A day of the source account's calendar, past or future; absent = now. */
  readonly requestedDate?: RequestedDate | null | undefined;
  /** The date up to which the source account is billed: END_OF_TERM (default) or IMMEDIATE. */
  readonly billingPolicy?: BillingActionPolicy | null | undefined;
  /** Default USE_EXISTING. */
  readonly bcdTransfer?: BcdTransfer | null | undefined;
}

/** What a service allows or blocks on an account, bundle or subscription; absent flags are false (subscriptions §14.1). */
export interface BlockingStateRequest {
  readonly service?: string | null | undefined;
  readonly stateName?: string | null | undefined;
  readonly isBlockChange?: boolean | null | undefined;
  readonly isBlockEntitlement?: boolean | null | undefined;
  readonly isBlockBilling?: boolean | null | undefined;
}

export interface BlockingOptions {
  /** The date from which it holds, past or future; default now. */
  readonly requestedDate?: RequestedDate | null | undefined;
}

/** An account, a bundle or a subscription. */
export interface BlockedRef {
  readonly type: BlockingStateType;
  readonly id: Uuid;
}

/** The result of a cancellation: when service and billing end. */
export interface CancelledSubscription {
  readonly accountId: Uuid;
  readonly entitlementEnd: DatedInstant;
  readonly billingEnd: DatedInstant;
}

/** When a change of plan, bill cycle day or quantity takes effect. */
export interface ChangedSubscription {
  readonly accountId: Uuid;
  readonly effective: DatedInstant;
}
