import type { Leading, Page, PageRequest, PaymentResponse } from '../../records/index.ts';
import type { HostInput } from '../../values/host-values/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Duration, Instant, LocalDate } from '../../values/time/index.ts';
import type { CancellationPolicy, OverdueDefinition } from '../config/overdue-config.ts';
import type { OverdueFormat } from '../config/read-config.ts';

export interface OverdueOperations<C extends Leading = []>
  extends OverdueConfigOperations<C>,
    OverdueAccountOperations<C> {}

/** An overdue state, current or predicted (§10). */
export interface OverdueStateView {
  /** Name of the state. For an account that is not overdue, the name is `__KILLBILL__CLEAR__OVERDUE_STATE__`. */
  readonly name: string;
  /** Message for the customer. It may be empty. */
  readonly externalMessage: string;
  /** Days between the retries of a failed payment (the tenant's `payment.retry.days`). */
  readonly daysBetweenPaymentRetries: readonly number[];
  readonly isDisableEntitlementAndChangesBlocked: boolean;
  /** If true, plan changes and new subscriptions are rejected. */
  readonly isBlockChanges: boolean;
  readonly isClearState: boolean;
  /**
   * The number of days until the next check in this state, or null if the account is never checked, or if the
   * interval is given in months or years.
   */
  readonly reevaluationIntervalDays: number | null;
}

export interface OverdueReason {
  readonly state: string;
  /** True if all criteria of the condition are met. The account gets the first state for which this is true. */
  readonly holds: boolean;
  readonly criteria: readonly OverdueCriterionReason[];
  /** The result as one English sentence. */
  readonly text: string;
}

/** The result of one criterion. */
export interface OverdueCriterionReason {
  readonly kind: 'TIME' | 'COUNT' | 'TOTAL' | 'RESPONSE' | 'TAG_CARRIED' | 'TAG_MISSING';
  readonly holds: boolean;
  /** Text such as `unpaid since 2012-05-31, 30 days of 30`. */
  readonly text: string;
}

export interface OverdueStep {
  readonly date: LocalDate;
  readonly state: OverdueStateView;
}

/** The state of an account on a day. */
export interface OverduePreview {
  readonly accountId: Uuid;
  readonly date: LocalDate;
  readonly state: OverdueStateView;
  /** True if the account or its paying parent is exempt, so that the state does not change. */
  readonly isExempt: boolean;
  /** The states that the account enters up to `date`, in order. */
  readonly steps: readonly OverdueStep[];
  /** One entry per configured state as of `date`, the most severe state first. */
  readonly reasons: readonly OverdueReason[];
}

export interface OverdueInvoice {
  readonly invoiceId: Uuid;
  /** Date since which the invoice is unpaid. It is the invoice date or, for a former draft, the commit date. */
  readonly unpaidSince: LocalDate;
  readonly balance: Decimal;
}

export interface OverdueExplanation {
  readonly accountId: Uuid;
  readonly state: OverdueStateView;
  /** The start of the state, or null if the account was never in another state. */
  readonly since: Instant | null;
  /** Today in the account's zone. */
  readonly date: LocalDate;
  /**
   * The first state whose condition is met, or null if no condition is met. It can differ from `state` until the next
   * check, and while the account is exempt.
   */
  readonly matched: string | null;
  /**
   * The account that has the tag OVERDUE_ENFORCEMENT_OFF: the account itself or its paying parent. The value is null if
   * neither account has the tag.
   */
  readonly exemptBy: Uuid | null;
  /** The account whose unpaid invoices are evaluated: the account itself or its paying parent. */
  readonly payingAccountId: Uuid;
  readonly currency: string | null;
  readonly unpaidCount: number;
  readonly unpaidTotal: Decimal;
  /** The earliest `unpaidSince` of all invoices, or null if nothing is unpaid. */
  readonly unpaidSince: LocalDate | null;
  /**
   * Reason for the last failed payment of an unpaid invoice. The reason is OTHER if it is unknown, and null if no
   * payment failed.
   */
  readonly lastPaymentResponse: PaymentResponse | null;
  readonly controlTags: readonly string[];
  readonly invoices: readonly OverdueInvoice[];
  /** Time of the next check, provided that nothing else changes. The value is null if no check is scheduled. */
  readonly nextCheck: Instant | null;
  /** One entry per configured state, the most severe state first. */
  readonly reasons: readonly OverdueReason[];
  /** The explanation in a few English sentences. */
  readonly text: string;
}

/** An account in an overdue state. */
export interface OverdueAccountView {
  readonly accountId: Uuid;
  readonly externalKey: string;
  readonly name: string | null;
  readonly email: string | null;
  /** Name of the state. */
  readonly state: string;
}

/** A page of overdue accounts. */
export interface OverdueAccountsRequest extends PageRequest {
  /** Name of the state whose accounts are returned. Defaults to all states except clear. */
  readonly state?: string | null | undefined;
}

export interface OverdueAccountOperations<C extends Leading = []> {
  /** Returns a page of the accounts that are overdue now, in the order in which they first became overdue. */
  accounts(...given: [...C, request: HostInput<OverdueAccountsRequest>]): Promise<Page<OverdueAccountView>>;

  /** Returns the state of an account. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  ofAccount(...given: [...C, accountId: Uuid | string]): Promise<OverdueStateView>;

  /**
   * Returns the state at the end of a day if nothing is paid or invoiced until then, and tags and configuration stay
   * the same. Stores nothing.
   * @param date today in the account's zone or later.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVALID_PARAMETER (60002) for a past or too distant
   * day.
   */
  preview(...given: [...C, accountId: Uuid | string, date: LocalDate | string]): Promise<OverduePreview>;

  /**
   * Explains the state: the matching condition with its amounts, dates and invoices, and the next check.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  explain(...given: [...C, accountId: Uuid | string]): Promise<OverdueExplanation>;
}

/** A configuration from a host (§1.1), with states from the most to the least severe. */
export interface NewOverdueDefinition {
  /**
   * Days between checks of accounts that owe money but are not overdue. Defaults to the threshold of the last state.
   */
  readonly initialReevaluationInterval?: number | null;
  readonly overdueStates: readonly NewOverdueState[];
}

/** A state of a new configuration. It requires either a condition or `isClearState`. */
export interface NewOverdueState {
  /** Name of 1 to 50 characters. */
  readonly name: string;
  /** If true, the state is never entered. */
  readonly isClearState?: boolean;
  readonly condition?: NewOverdueCondition | null;
  readonly externalMessage?: string;
  /** If true, plan changes and new subscriptions are rejected. */
  readonly isBlockChanges?: boolean;
  /** If true, service, billing and changes are blocked. */
  readonly isDisableEntitlement?: boolean;
  /** Policy that determines when billing of canceled subscriptions ends. Defaults to NONE. */
  readonly subscriptionCancellationPolicy?: CancellationPolicy;
  /** Days until the next check. Defaults to the time until the threshold of the previous state. */
  readonly autoReevaluationIntervalDays?: number | null;
}

/** A condition is met if all of its criteria are met. Null and absent criteria are equivalent. */
export interface NewOverdueCondition {
  /** Age of the oldest unpaid invoice. */
  readonly timeSinceEarliestUnpaidInvoiceEqualsOrExceeds?: Duration | null;
  readonly numberOfUnpaidInvoicesEqualsOrExceeds?: number | null;
  /** Total balance of the unpaid invoices, in the account's currency. */
  readonly totalUnpaidInvoiceBalanceEqualsOrExceeds?: Decimal | string | null;
  /** Reason for the last failed payment of an unpaid invoice. */
  readonly responseForLastFailedPayment?: readonly PaymentResponse[] | null;
  /** A control tag that the account must have. */
  readonly controlTagInclusion?: string | null;
  /** A control tag that the account must not have. */
  readonly controlTagExclusion?: string | null;
}

export interface OverdueUploadOptions {
  /** Format of the document. Defaults to XML if the document starts with `<`, and otherwise to JSON. */
  readonly format?: OverdueFormat;
}

export interface OverdueConfigOperations<C extends Leading = []> {
  /**
   * Replaces the tenant's overdue configuration (§1). It applies from the next trigger or check of an account, and is
   * the value of the tenant's key OVERDUE_CONFIG. Deleting that key restores the default.
   * @param config XML or JSON of at most 256 Ki characters, as text, or as bytes of UTF-8 or of UTF-16 with a byte
   * order mark; or the definition itself.
   * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010) with every error in `problems`, with line and column if
   * the input is text; TOO_LARGE (60012), MISSING_OR_INVALID_FIELD (60003) for an invalid amount.
   */
  upload(
    ...given: [...C, config: Uint8Array | string | NewOverdueDefinition, options?: OverdueUploadOptions]
  ): Promise<void>;

  /** Returns the configuration in force, with default values filled in. */
  get(...given: [...C]): Promise<OverdueDefinition>;

  /** Returns the configuration as XML. Uploaded XML is returned unchanged; JSON is converted. */
  getXml(...given: [...C]): Promise<string>;
}
