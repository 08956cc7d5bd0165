import type { Leading } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { PluginInfoOptions } from '../gateways/gateway-info.ts';
import type { InvoicePaymentView, PaymentView } from '../views/payment-view.ts';

export interface PaymentReadOptions extends PluginInfoOptions {
  /** Default false. */
  readonly withAttempts?: boolean;
}

/** Reads of payments. */
export interface PaymentReadOperations<C extends Leading = []> {
  /** One payment. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  get(...given: [...C, paymentId: Uuid | string, options?: Given<PaymentReadOptions>]): Promise<PaymentView>;

  /** The payment with this external key. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  getByKey(...given: [...C, externalKey: string, options?: Given<PaymentReadOptions>]): Promise<PaymentView>;

  /** The payment of a transaction. @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020). */
  ofTransaction(
    ...given: [...C, transactionId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /**
   * The payment of the transactions with this external key; of several payments that of the latest.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020).
   */
  ofTransactionKey(
    ...given: [...C, transactionExternalKey: string, options?: Given<PaymentReadOptions>]
  ): Promise<PaymentView>;

  /**
   * One payment with the invoice that it pays, null of a direct one.
   * @throws BillingError PAYMENT_NO_SUCH_PAYMENT (7020).
   */
  invoicePayment(
    ...given: [...C, paymentId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<InvoicePaymentView>;

  /** The account's payments, oldest first. @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002). */
  ofAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<readonly PaymentView[]>;

  /**
   * The account's payments with the invoices that they pay, oldest first.
   * @throws BillingError ACCOUNT_DOES_NOT_EXIST_FOR_ID (3002).
   */
  invoicePaymentsOfAccount(
    ...given: [...C, accountId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;

  /**
   * Every payment of the invoice, failed ones included, oldest first.
   * @throws BillingError INVOICE_NOT_FOUND (4006).
   */
  invoicePaymentsOfInvoice(
    ...given: [...C, invoiceId: Uuid | string, options?: Given<PaymentReadOptions>]
  ): Promise<readonly InvoicePaymentView[]>;
}
