import { enumeration } from '../values/fields/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

import type { Principal } from './user.ts';

/** A reference to a tenant. Rows contain `recordId`, and callers see `id`. */
export interface TenantRef {
  readonly id: Uuid;
  readonly recordId: number;
  /** The host's transaction that sessions join. If this field is absent, each session begins its own transaction. */
  readonly within?: HostTransaction;
}

/** The tenant id stored in rows that belong to no tenant (platform §17 rule 2). */
export const SYSTEM_TENANT: TenantRef = Object.freeze({
  id: '00000000-0000-0000-0000-000000000000' as Uuid,
  recordId: 0,
});

/** A transaction that the host begins and ends, and may roll back. Each call of `within` creates a new object. */
export interface HostTransaction {
  /** The host's own handle of the transaction. Only the storage can use this handle. */
  readonly host: unknown;
}

export const CallOrigin = enumeration('EXTERNAL', 'INTERNAL', 'TEST');
export type CallOrigin = keyof typeof CallOrigin;

/**
 * Author, tenant and time of a call (platform §5.2). `createdDate` is the clock reading at the start of the call,
 * stored in every row that the call writes. `userToken` identifies these rows and the work that they cause later.
 */
export interface CallContext {
  readonly tenant: TenantRef;
  readonly userName: string;
  readonly principal: string | null;
  readonly reasonCode: string | null;
  readonly comments: string | null;
  readonly userToken: Uuid;
  readonly callOrigin: CallOrigin;
  readonly createdDate: Instant;
  /** Passed on to plugins; none by default. */
  readonly pluginProperties?: readonly PluginProperty[];
  /** If true, floating-point errors in the caller's amounts are removed by rounding. Defaults to false. */
  readonly roundsFloatNoise?: boolean;
}

/** The author of a change that does not belong to a tenant, such as a change to a tenant, user or role. */
export interface SystemAuthor {
  readonly userName: string;
  readonly reasonCode?: string | null;
  readonly comments?: string | null;
  /** Token of the call. Defaults to a new id. */
  readonly userToken?: Uuid;
  /**
   * The user who makes the call. Users cannot grant more access than they have. If this field is absent, the caller is
   * the host, which may do everything.
   */
  readonly principal?: Principal | null;
}

/** Authors (`changedBy`) of changes by background work (platform §5.3). */
export const ActingComponent = {
  SUBSCRIPTION_TRANSITION: 'SubscriptionBaseTransition',
  NEXT_BILLING_DATE: 'NextBillingDateNotifier',
  PARENT_INVOICE: 'CreateParentInvoice',
  E_INVOICES: 'EInvoiceService',
  PAYMENT_REQUEST: 'PaymentRequestProcessor',
  PAYMENT_RETRY: 'PaymentRetryService',
  JANITOR: 'Janitor',
  OVERDUE: 'OverdueService',
  ENTITLEMENT: 'EntitlementService',
  USAGE: 'UsageService',
  COUPONS: 'CouponService',
  FEATURES: 'FeatureService',
} as const;
export type ActingComponent = (typeof ActingComponent)[keyof typeof ActingComponent];

/**
 * The first parameter of each operation. It is the context, or is omitted if the operation is already bound to a
 * context.
 */
export type Leading = readonly [] | WithContext;
export type WithContext = readonly [context: CallContext];

export interface PluginProperty {
  readonly key: string;
  readonly value: string | null;
  readonly isUpdatable?: boolean;
}
