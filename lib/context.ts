import type { Clock, IdGenerator, PluginProperty } from './ports/index.ts';
import type { Authorship } from './ports/storage/index.ts';
import type { Principal } from './security/model.ts';
import type { Uuid } from './values/ids/index.ts';
import { checkStorable } from './values/text/index.ts';
import type { Instant } from './values/time/index.ts';

/** A tenant as every layer below the front door knows it. `recordId` is what rows carry, `id` what callers see. */
export interface TenantRef {
  readonly id: Uuid;
  readonly recordId: number;
}

export const CallOrigin = { EXTERNAL: 'EXTERNAL', INTERNAL: 'INTERNAL', TEST: 'TEST' } as const;
export type CallOrigin = (typeof CallOrigin)[keyof typeof CallOrigin];

/**
 * Who does what, for which tenant, since when (platform.md §5.2). `createdDate` is read once from the clock at the
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
  /** What the caller has to say to plugins; default nothing. */
  readonly pluginProperties?: readonly PluginProperty[];
}

/** Who makes a change that belongs to no tenant: a tenant itself, a user, a role. */
export interface SystemAuthor {
  readonly userName: string;
  readonly reasonCode?: string | null;
  readonly comments?: string | null;
  /** Default a new id. */
  readonly userToken?: Uuid;
  /** Who calls, and so may neither hand out nor manage more than they hold; absent: the host itself, which may do all. */
  readonly principal?: Principal | null;
}

/** Component names that stand in `changedBy` for work which the engine does by itself (platform.md §5.3). */
export const ActingComponent = {
  SUBSCRIPTION_TRANSITION: 'SubscriptionBaseTransition',
  NEXT_BILLING_DATE: 'NextBillingDateNotifier',
  PARENT_INVOICE: 'CreateParentInvoice',
  PAYMENT_REQUEST: 'PaymentRequestProcessor',
  PAYMENT_RETRY: 'PaymentRetryService',
  JANITOR: 'Janitor',
  ENTITLEMENT: 'EntitlementService',
} as const;
export type ActingComponent = (typeof ActingComponent)[keyof typeof ActingComponent];

/**
 * What a call context contributes to the audit rows of everything that the call writes.
 * @throws BillingError MISSING_OR_INVALID_FIELD for an author, reason or comment that cannot be stored.
 */
export function authorshipOf(context: CallContext): Authorship {
  checkStorable('User', context.userName);
  checkStorable('Reason', context.reasonCode);
  checkStorable('Comment', context.comments);
  return {
    userName: context.userName,
    reasonCode: context.reasonCode,
    comments: context.comments,
    createdDate: context.createdDate,
    userTokenOf: () => context.userToken,
  };
}

/**
 * The same for a change of no tenant.
 * @throws BillingError MISSING_OR_INVALID_FIELD for an author, reason or comment that cannot be stored.
 */
export function systemAuthorshipOf(
  author: SystemAuthor,
  { clock, ids }: { readonly clock: Clock; readonly ids: IdGenerator },
): Authorship {
  checkStorable('User', author.userName);
  checkStorable('Reason', author.reasonCode);
  checkStorable('Comment', author.comments);
  const userToken = author.userToken ?? ids.next();
  return {
    userName: author.userName,
    reasonCode: author.reasonCode ?? null,
    comments: author.comments ?? null,
    createdDate: clock.now(),
    userTokenOf: () => userToken,
  };
}
