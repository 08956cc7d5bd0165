import type { Leading } from '../records/index.ts';
import type { Given } from '../values/given/index.ts';
import type { Uuid } from '../values/ids/index.ts';
import type { Decimal } from '../values/money/index.ts';
import type { LocalDate } from '../values/time/index.ts';
import type {
  ChargebackReversalInput,
  CompletionInput,
  PaymentAmountInput,
  PaymentResult,
} from './payment-operations.ts';
import type { RefundAdjustmentInput } from './planning/refund-adjustments.ts';
import type { ControlledInput } from './plugins/gateway-info.ts';

/** One payment of an invoice. */
export interface InvoicePaymentInput extends ControlledInput {
  readonly invoiceId: Uuid;
  /** The account of the invoice, where it is to be checked. */
  readonly accountId?: Uuid | null;
  /** Default: the balance. */
  readonly amount?: Decimal | null;
  /** Default: the account's default method; not with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /** Whether it was paid by cheque, cash or transfer; default false. */
  readonly isExternal?: boolean;
  readonly externalKey?: string | null;
  readonly transactionExternalKey?: string | null;
}

/** Payment of all that is unpaid. */
export interface PayAllInput extends ControlledInput {
  readonly accountId: Uuid;
  /** What is spent, on the oldest invoice first; default all that is owed. */
  readonly amount?: Decimal | null;
  /** Default: the account's default method; not with `isExternal`. */
  readonly paymentMethodId?: Uuid | null;
  /** Whether it was paid by cheque, cash or transfer: what is left over becomes account credit then; default false. */
  readonly isExternal?: boolean;
  /** Whether what is left over may become account credit; if not it is refused, and nothing is paid; default true. */
  readonly mayCredit?: boolean;
  /** Invoices up to this target date; default today in the account's zone. */
  readonly targetDate?: LocalDate | null;
}

/** The invoices that were tried, oldest first, those that could not be paid included. */
export interface PaidInvoices {
  readonly invoiceIds: readonly Uuid[];
  /** The earliest and the latest target date of them. */
  readonly startDate: LocalDate | null;
  readonly endDate: LocalDate | null;
}

export interface InvoiceRefundInput extends Omit<PaymentAmountInput, 'amount'> {
  readonly paymentId: Uuid;
  /** Default: the sum of the adjustments. */
  readonly amount?: Decimal | null;
  /** Whether the items of `adjustments` are taken off the invoice too; default false: it owes the amount again. */
  readonly isAdjusted?: boolean;
  readonly adjustments?: readonly RefundAdjustmentInput[];
  /** Whether the money goes back another way than it came: by a payment of its own; default false. */
  readonly isExternal?: boolean;
  /** With `isExternal`: the method of that payment; default the account's external one. */
  readonly paymentMethodId?: Uuid | null;
}

export interface InvoiceChargebackInput extends PaymentAmountInput {
  /** Whether one of more than what is left is recorded as a failed transaction instead of refused; default false. */
  readonly recordsExcess?: boolean;
}

/**
 * Payments of invoices (payments §9). Errors as of the operations on payments; a gateway that declines is no error.
 */
export interface InvoicePaymentOperations<C extends Leading = []> {
  /**
   * Pays an invoice; null = there was nothing to pay, or it cannot be paid now.
   * @throws BillingError INVOICE_NOT_FOUND (4006), PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021),
   * PAYMENT_NO_SUCH_PAYMENT_METHOD (7000), PAYMENT_NO_SUCH_PAYMENT_PLUGIN (7028), PAYMENT_PLUGIN_EXCEPTION (7199) for
   * more than is owed.
   */
  pay(...given: [...C, input: Given<InvoicePaymentInput>]): Promise<PaymentResult | null>;

  /**
   * Pays the unpaid invoices of an account, the oldest first; one that fails does not stop the others. Null = there was
   * none.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002), PAYMENT_NO_SUCH_PAYMENT_METHOD (7000),
   * PAYMENT_NO_DEFAULT_PAYMENT_METHOD (7021), SECURITY_NOT_ENOUGH_PERMISSIONS (40000) for a rest that may not become
   * credit.
   */
  payAll(...given: [...C, input: Given<PayAllInput>]): Promise<PaidInvoices | null>;

  /**
   * Gives money of a paid invoice back; with adjustments the invoice stays settled, without it owes it again.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_REFUND_AMOUNT_TOO_HIGH (4906),
   * INVOICE_REFUND_AMOUNT_DONT_MATCH_ITEMS_TO_ADJUST (4907), INVOICE_ITEMS_ADJUSTMENT_MISSING (4025).
   */
  refund(...given: [...C, input: Given<InvoiceRefundInput>]): Promise<PaymentResult>;

  /**
   * Records what the network has taken back of a paid invoice: it owes it again.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), INVOICE_CHARGE_BACK_AMOUNT_TOO_HIGH (4901),
   * INVOICE_CHARGE_BACK_AMOUNT_IS_NEGATIVE (4902).
   */
  chargeback(...given: [...C, input: Given<InvoiceChargebackInput>]): Promise<PaymentResult>;

  /**
   * Records that a chargeback has ended in the merchant's favour.
   * @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900), PAYMENT_NO_SUCH_SUCCESS_PAYMENT (7024).
   */
  reverseChargeback(...given: [...C, input: Given<ChargebackReversalInput>]): Promise<PaymentResult>;

  /** Asks the gateway once more for a pending transaction. @throws BillingError INVOICE_PAYMENT_NOT_FOUND (4900). */
  complete(...given: [...C, input: Given<CompletionInput>]): Promise<PaymentResult>;
}
