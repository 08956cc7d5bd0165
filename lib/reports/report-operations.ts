import type { Leading, PaymentResponse, TransactionStatus, TransactionType } from '../records/index.ts';
import type { HostInput } from '../values/host-values/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Currency, Decimal } from '../values/money/index.ts';
import type { Instant } from '../values/time/index.ts';

/** A range of months. The first and the last month are both included. */
export interface MonthsRequest {
  /** First month, such as `2026-01`. Defaults to the month 11 months before `to`. */
  readonly from?: string | null | undefined;
  /** Last month. Defaults to the current UTC month. */
  readonly to?: string | null | undefined;
}

/** The figures of a month in one currency (§2). */
export interface MonthFigures {
  readonly currency: Currency;
  /** Total of the committed invoices dated in the month, after adjustments. */
  readonly invoiced: Decimal;
  readonly invoiceCount: number;
  /** Total of the month's successful payments, minus its refunds and chargebacks. */
  readonly collected: Decimal;
  /** Number of failed attempts to take money. */
  readonly failedCount: number;
  readonly failedAmount: Decimal;
  /** Number of successful payments that had failed at first. */
  readonly recoveredCount: number;
  readonly recoveredAmount: Decimal;
}

export interface ReportedMonth {
  /** The month, such as `2026-01`. */
  readonly month: string;
  /** The system time at which the figures were counted, or null before the first count has ended. */
  readonly countedAt: Instant | null;
  /** True if the figures are missing or out of date. A later call continues the calculation. */
  readonly isCounting: boolean;
  /** One entry per currency, sorted by currency. */
  readonly currencies: readonly MonthFigures[];
}

export interface MonthsReport {
  /** True if no month is being counted. */
  readonly isComplete: boolean;
  /** The months, oldest first. */
  readonly months: readonly ReportedMonth[];
}

export interface PlanFigures {
  readonly planName: string;
  readonly subscriptions: number;
  /** Sum of the quantities of the plan's active subscriptions. */
  readonly quantity: number;
}

export interface SubscriptionsReport {
  /** The system time at which the figures were counted, or null before the first count has ended. */
  readonly countedAt: Instant | null;
  /** True if the figures are missing or out of date. A later call continues the calculation. */
  readonly isCounting: boolean;
  /** The plans with active subscriptions, sorted by name. */
  readonly plans: readonly PlanFigures[];
}

export interface OverdueReport {
  /** The overdue states that accounts have, sorted by name. The clear state is omitted. */
  readonly states: readonly { readonly name: string; readonly accounts: number }[];
}

export interface FailedPaymentsRequest {
  /** Start of the range. Defaults to seven days before `to`. */
  readonly from?: Instant | null | undefined;
  /** Exclusive end of the range. Defaults to now. */
  readonly to?: Instant | null | undefined;
  /** Maximum number of rows, from 1 to 100. Defaults to 20. */
  readonly limit?: number | undefined;
}

/** A failed attempt to take money (§4). */
export interface FailedPaymentView {
  readonly paymentId: Uuid;
  readonly transactionId: Uuid;
  readonly transactionType: TransactionType;
  readonly status: TransactionStatus;
  readonly date: Instant;
  readonly accountId: Uuid;
  readonly accountKey: string;
  readonly accountName: string | null;
  /** The invoice that the payment pays, or null for a direct payment. */
  readonly invoiceId: Uuid | null;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly gatewayErrorCode: string | null;
  readonly gatewayErrorMsg: string | null;
  readonly paymentResponse: PaymentResponse | null;
  /** True if a later transaction of the same payment, or of another payment of the same invoice, succeeded. */
  readonly isRecovered: boolean;
}

export interface FindRequest {
  /** An id, external key or invoice number, or part of an account's name, e-mail address, external key or company. */
  readonly text: string;
  /** Maximum number of results, from 1 to 20. Defaults to 20. */
  readonly limit?: number | undefined;
}

export const FoundKind = {
  ACCOUNT: 'ACCOUNT',
  INVOICE: 'INVOICE',
  PAYMENT: 'PAYMENT',
  SUBSCRIPTION: 'SUBSCRIPTION',
  BUNDLE: 'BUNDLE',
} as const;
export type FoundKind = (typeof FoundKind)[keyof typeof FoundKind];

/** An object that matches a search (§5). */
export interface FoundObject {
  readonly kind: FoundKind;
  readonly id: Uuid;
  /** Name, number or external key of the object. */
  readonly title: string;
  readonly accountId: Uuid;
  readonly accountName: string | null;
  /** Additional information as short text, such as the amount and status of an invoice. */
  readonly detail: string;
}

/** Figures and searches for operators (reports §1). They do not change business data. */
export interface ReportOperations<C extends Leading = []> {
  /**
   * Returns the invoiced and collected amounts per month and currency. Each call counts a limited part of the missing
   * or outdated figures. Repeat the call until `isComplete` is true.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid month or more than 60 months.
   */
  months(...given: [...C, request?: HostInput<MonthsRequest>]): Promise<MonthsReport>;

  /**
   * Returns the active subscriptions by plan. Each call counts a limited part of the figures, as a call of `months`
   * does.
   */
  subscriptions(...given: C): Promise<SubscriptionsReport>;

  /** Returns the number of accounts in each overdue state. The figures are current. */
  overdue(...given: C): Promise<OverdueReport>;

  /**
   * Returns failed payments, latest first.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid limit, or a range of more than 90 days.
   */
  failedPayments(
    ...given: [...C, request?: HostInput<FailedPaymentsRequest>]
  ): Promise<readonly FailedPaymentView[]>;

  /**
   * Finds accounts, invoices, payments, subscriptions and bundles, exact matches first.
   * @throws BillingError INVALID_PARAMETER (60002) for an invalid limit.
   */
  find(...given: [...C, request: FindRequest]): Promise<readonly FoundObject[]>;
}
