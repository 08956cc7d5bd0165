import type { Leading, PaymentResponse } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Decimal } from '../../values/money/index.ts';
import type { Instant, LocalDate } from '../../values/time/index.ts';

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
  /** Name of the state. */
  readonly state: string;
  /** Whether its condition holds as a whole. An account is in the first state whose condition does. */
  readonly holds: boolean;
  /** The parts of the condition. */
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
  /** The state that begins on that day. */
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

/** Why an account is in its overdue state. */
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
