import type { Uuid } from '../values/ids/index.ts';
import type { Instant } from '../values/time/index.ts';

import type { Principal } from './user.ts';

/** A tenant as every layer below the front door knows it. `recordId` is what rows carry, `id` what callers see. */
export interface TenantRef {
  readonly id: Uuid;
  readonly recordId: number;
  /** The transaction of the host that sessions of the tenant join; absent: each begins one of its own. */
  readonly within?: HostTransaction;
}

/** Whose rows are no tenant's (platform §17 rule 2). */
export const SYSTEM_TENANT: TenantRef = Object.freeze({
  id: '00000000-0000-0000-0000-000000000000' as Uuid,
  recordId: 0,
});

/** A transaction that the host has begun and will end; what is read in it may be rolled back. One object per `within`. */
export interface HostTransaction {
  /** The host's own handle; only the storage knows what it is. */
  readonly host: unknown;
}

export const CallOrigin = { EXTERNAL: 'EXTERNAL', INTERNAL: 'INTERNAL', TEST: 'TEST' } as const;
export type CallOrigin = (typeof CallOrigin)[keyof typeof CallOrigin];

/**
 * Who does what, for which tenant, since when (platform §5.2). `createdDate` is read once from the clock at the
 * start of the call and stands in every row that the call writes; `userToken` ties those rows, and the work that
 * they cause later, together.
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
  /** What the caller tells plugins; default nothing. */
  readonly pluginProperties?: readonly PluginProperty[];
  /** Whether amounts that the caller states may carry noise of binary floating point, which is rounded away; default false. */
  readonly roundsFloatNoise?: boolean;
}

/** Who makes a change that belongs to no tenant: a tenant itself, a user, a role. */
export interface SystemAuthor {
  readonly userName: string;
  readonly reasonCode?: string | null;
  readonly comments?: string | null;
  /** Default: a new id. */
  readonly userToken?: Uuid;
  /**
   * Who calls; they can neither hand out nor manage more than they hold themselves. Absent: the host itself, which may do
   * everything.
   */
  readonly principal?: Principal | null;
}

/** Component names in `changedBy` for work that the engine does by itself (platform §5.3). */
export const ActingComponent = {
  SUBSCRIPTION_TRANSITION: 'SubscriptionBaseTransition',
  NEXT_BILLING_DATE: 'NextBillingDateNotifier',
  PARENT_INVOICE: 'CreateParentInvoice',
  PAYMENT_REQUEST: 'PaymentRequestProcessor',
  PAYMENT_RETRY: 'PaymentRetryService',
  JANITOR: 'Janitor',
  OVERDUE: 'OverdueService',
  ENTITLEMENT: 'EntitlementService',
  USAGE: 'UsageService',
} as const;
export type ActingComponent = (typeof ActingComponent)[keyof typeof ActingComponent];

/** The first parameter of each operation: its context, or none where the context is already bound. */
export type Leading = readonly [] | WithContext;
export type WithContext = readonly [context: CallContext];

export interface PluginProperty {
  readonly key: string;
  readonly value: string | null;
  readonly isUpdatable?: boolean;
}
