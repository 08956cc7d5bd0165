import type { Leading } from '../../records/index.ts';
import type { Given } from '../../values/given/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { PluginInfoOptions } from '../gateways/gateway-info.ts';
import type { InvoicePaymentView, PaymentView } from '../state/payment-view.ts';

export interface PaymentReadOptions extends PluginInfoOptions {
  /** Default false. */
  readonly withAttempts?: boolean;
}

/** Reads of payments. */
export interface PaymentReadOperations<C extends Leading = []> {
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
