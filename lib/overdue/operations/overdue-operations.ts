import type { Leading, PaymentResponse } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Duration, Instant, LocalDate } from '../../values/time/index.ts';
import type { CancellationPolicy, OverdueDefinition } from '../config/overdue-config.ts';
import type { OverdueFormat } from '../config/read-config.ts';

/** What happens to those who do not pay, and who that is. */
export interface OverdueOperations<C extends Leading = []>
  extends OverdueConfigOperations<C>,
    OverdueAccountOperations<C> {}

/** An overdue state, as an account is in it or would be (§10). */
export interface OverdueStateView {
  /** Of the configuration; `__KILLBILL__CLEAR__OVERDUE_STATE__` for an account that is not overdue. */
  readonly name: string;
  /** For the customer; empty if there is none. */
  readonly externalMessage: string;
  /** Days between the retries of a failed payment: the tenant's `payment.retry.days`. */
  readonly daysBetweenPaymentRetries: readonly number[];
  /** Whether the service is off and nothing is billed. */
  readonly isDisableEntitlementAndChangesBlocked: boolean;
  /** Whether changes of plan and new subscriptions are refused. */
  readonly isBlockChanges: boolean;
  readonly isClearState: boolean;
  /** Days after which an account in this state is looked at again; null: never, or a number of months or years. */
  readonly reevaluationIntervalDays: number | null;
}

/** Why an account is, or is not, in a state of the configuration. */
export interface OverdueReason {
  readonly state: string;
  /** Whether its condition holds as a whole. An account is in the first state whose condition does. */
  readonly holds: boolean;
  readonly criteria: readonly OverdueCriterionReason[];
  /** All of it in one English sentence. */
  readonly text: string;
}

/** Why one part of a condition holds, or does not. */
export interface OverdueCriterionReason {
  readonly kind: 'TIME' | 'COUNT' | 'TOTAL' | 'RESPONSE' | 'TAG_CARRIED' | 'TAG_MISSING';
  readonly holds: boolean;
  /** The amounts or dates that were compared: `unpaid since 2012-05-31, 30 days of 30`. */
  readonly text: string;
}

/** A day of the dunning calendar. */
export interface OverdueStep {
  /** In the account's zone. */
  readonly date: LocalDate;
  readonly state: OverdueStateView;
}

/** In which state an account would be on a day. */
export interface OverduePreview {
  readonly accountId: Uuid;
  readonly date: LocalDate;
  readonly state: OverdueStateView;
  /** Whether the account, or the parent that pays for it, is exempt from overdue: then it stays in its state. */
  readonly isExempt: boolean;
  /** The states that it would come to from today on up to that day, in order: the dunning calendar. */
  readonly steps: readonly OverdueStep[];
  /** One for each state of the configuration that can be entered, from the most severe on, as of that day. */
  readonly reasons: readonly OverdueReason[];
}

/** An unpaid invoice that counts for overdue. */
export interface OverdueInvoice {
  readonly invoiceId: Uuid;
  /** The day from which its age counts: the invoice date, or the commit date of one that was a draft first. */
  readonly unpaidSince: LocalDate;
  readonly balance: Decimal;
}

export interface OverdueExplanation {
  readonly accountId: Uuid;
  readonly state: OverdueStateView;
  /** Since when it is in that state; null for an account that never was in another. */
  readonly since: Instant | null;
  /** Today in the account's zone, for which the rest is worked out. */
  readonly date: LocalDate;
  /**
   * Name of the state whose condition is the first to hold now; null for none. It differs from that of `state` until the
   * account is looked at again, and while the account is exempt.
   */
  readonly matched: string | null;
  /** The account with the tag OVERDUE_ENFORCEMENT_OFF: itself or the parent that pays for it; null for none. */
  readonly exemptBy: Uuid | null;
  /** Whose unpaid invoices count: its own, or those of the parent that pays for it. */
  readonly payingAccountId: Uuid;
  readonly currency: string | null;
  readonly unpaidCount: number;
  readonly unpaidTotal: Decimal;
  /** The earliest `unpaidSince`, from which times count; null if nothing is unpaid. */
  readonly unpaidSince: LocalDate | null;
  /** Why the last payment of an unpaid invoice has failed, OTHER if the gateway did not say; null if none has. */
  readonly lastPaymentResponse: PaymentResponse | null;
  /** Names of the account's own control tags. */
  readonly controlTags: readonly string[];
  readonly invoices: readonly OverdueInvoice[];
  /** When the account is looked at again if nothing happens before; null for never. */
  readonly nextCheck: Instant | null;
  /** One for each state of the configuration that can be entered, from the most severe on. */
  readonly reasons: readonly OverdueReason[];
  /** All of it in a few English sentences. */
  readonly text: string;
}

/** In which overdue state accounts are, and why. */
export interface OverdueAccountOperations<C extends Leading = []> {
  /**
   * The state of an account.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  ofAccount(...given: [...C, accountId: Uuid | string]): Promise<OverdueStateView>;

  /**
   * In which state the account would be at the end of a day if nothing is paid until then, nothing new is invoiced, and
   * neither tags nor the configuration change; stores nothing.
   * @param date today in the account's zone or later.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), INVALID_PARAMETER (60002) for a day that is past or too
   * far ahead.
   */
  preview(...given: [...C, accountId: Uuid | string, date: LocalDate | string]): Promise<OverduePreview>;

  /**
   * Why the account is in its state: the condition that matched, with the amounts, dates and invoices behind it, and when
   * it is looked at again.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  explain(...given: [...C, accountId: Uuid | string]): Promise<OverdueExplanation>;
}

/** An overdue configuration as a host may give it (§1.1): states from the most to the least severe. */
export interface NewOverdueDefinition {
  /** Days after which an account with a debt that is not overdue is looked at again; default: the time of the last state. */
  readonly initialReevaluationInterval?: number | null;
  readonly overdueStates: readonly NewOverdueState[];
}

/** A state that accounts may come to. It needs a condition, or `isClearState`. */
export interface NewOverdueState {
  /** 1 to 50 characters. */
  readonly name: string;
  /** True: accounts are never put into it. */
  readonly isClearState?: boolean;
  readonly condition?: NewOverdueCondition | null;
  /** For the customer; default none. */
  readonly externalMessage?: string;
  /** Whether changes of plan and new subscriptions are refused. */
  readonly isBlockChanges?: boolean;
  /** Whether the service is off and nothing is billed; changes are refused then too. */
  readonly isDisableEntitlement?: boolean;
  /** Whether subscriptions are cancelled, and from when on they are not billed; default NONE. */
  readonly subscriptionCancellationPolicy?: CancellationPolicy;
  /** Days after which the account is looked at again; default: those until the time of the state before. */
  readonly autoReevaluationIntervalDays?: number | null;
}

/** When an account is in a state: all that is given must hold. Null is as good as absent. */
export interface NewOverdueCondition {
  /** How long the oldest unpaid invoice has been unpaid. */
  readonly timeSinceEarliestUnpaidInvoiceEqualsOrExceeds?: Duration | null;
  readonly numberOfUnpaidInvoicesEqualsOrExceeds?: number | null;
  /** In the currency of the account. */
  readonly totalUnpaidInvoiceBalanceEqualsOrExceeds?: Decimal | string | null;
  /** Why the last payment of an unpaid invoice has failed. */
  readonly responseForLastFailedPayment?: readonly PaymentResponse[] | null;
  /** Name of a control tag that the account has. */
  readonly controlTagInclusion?: string | null;
  /** Name of a control tag that the account has not. */
  readonly controlTagExclusion?: string | null;
}

export interface OverdueUploadOptions {
  /** Form of a document; default: XML if it begins with `<`, else JSON. */
  readonly format?: OverdueFormat;
}

/** What happens to those who do not pay. */
export interface OverdueConfigOperations<C extends Leading = []> {
  /**
   * Replaces the tenant's overdue configuration as a whole (§1). Accounts meet it at their next trigger or check. It is
   * the value of the tenant's key OVERDUE_CONFIG, whose deletion brings the default back.
   * @param config XML or JSON of at most 256 Ki characters, as text or as bytes of UTF-8, or of UTF-16 with a byte order
   * mark; or the definition itself.
   * @throws BillingError OVERDUE_INVALID_FOR_TENANT (5010) with every error found as `problems`, those of a text each with
   * line and column; nothing is stored then. TOO_LARGE (60012), MISSING_OR_INVALID_FIELD (60003) for an amount that
   * is none.
   */
  upload(
    ...given: [...C, config: Uint8Array | string | NewOverdueDefinition, options?: OverdueUploadOptions]
  ): Promise<void>;

  /** The configuration in force, with what it leaves open filled in; the default one for a tenant without its own. */
  get(...given: [...C]): Promise<OverdueDefinition>;

  /** The same as XML: the text that was uploaded, unchanged; one that was uploaded as JSON is written as XML. */
  getXml(...given: [...C]): Promise<string>;
}
