import {
  type AutoPayHold,
  autoPayHoldFields,
  type InvoicePayment,
  type InvoiceRefund,
  invoicePaymentFields,
  type New,
  type Payment,
  type PaymentAttempt,
  type PaymentMethod,
  type PaymentTransaction,
  paymentAttemptFields,
  paymentFields,
  paymentMethodFields,
  paymentTransactionFields,
} from '../../../lib/records/index.ts';
import { ErrorCode } from '../../../lib/values/errors/index.ts';
import { decimal } from '../../../lib/values/money/index.ts';
import type { Instant } from '../../../lib/values/time/index.ts';
import { aside, instantAtOrNull, jsonReadOrNull, textOrNull } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A payment method with who wrote it, for searches. */
export type StoredPaymentMethod = New<PaymentMethod> & {
  readonly createdBy?: string | null;
  readonly updatedBy?: string | null;
  readonly updatedDate?: Instant | null;
};

export const paymentMethodsTable = new RecordTable<StoredPaymentMethod>(
  {
    name: 'payment_methods',
    ofTenant: true,
    uniques: [
      {
        name: 'id',
        columns: ['id'],
        // Ids of the engine's own are of no other method, so this one was listed by a gateway.
        violation: {
          code: ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD,
          message:
            'The payment methods were not refreshed: a payment plugin lists one that is not of the account there',
        },
      },
      {
        name: 'external_key',
        columns: ['tenant_record_id', 'external_key'],
        violation: {
          code: ErrorCode.PAYMENT_INVALID_PARAMETER,
          message: 'A payment method with this external key exists already; choose another key',
        },
      },
    ],
    indexes: [
      { name: 'page', columns: ['tenant_record_id', 'record_id'], where: 'is_active' },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
    ],
  },
  {
    ...columnsOf(paymentMethodFields),
    createdBy: aside(textOrNull('created_by')),
    updatedBy: aside(textOrNull('updated_by')),
    updatedDate: aside(instantAtOrNull('updated_date')),
  },
);

export const paymentsTable = new RecordTable<New<Payment>>(
  {
    name: 'payments',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        name: 'external_key',
        columns: ['tenant_record_id', 'external_key'],
        violation: {
          code: ErrorCode.PAYMENT_INVALID_PARAMETER,
          message: 'A payment with this external key exists already; choose another key or use that payment',
        },
      },
      { name: 'number', columns: ['tenant_record_id', 'payment_number'] },
    ],
    indexes: [
      { name: 'page', columns: ['tenant_record_id', 'record_id'] },
      { name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] },
    ],
  },
  columnsOf(paymentFields),
);

/** Which transactions are refunds of invoices' payments whose outcome is open. */
export const OPEN_INVOICE_REFUNDS = `invoice_refund is not null and status in ('UNKNOWN', 'PENDING')`;

export const paymentTransactionsTable = new RecordTable<New<PaymentTransaction>>(
  {
    name: 'payment_transactions',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        // payments §1.7 rule 2
        name: 'active_key',
        columns: ['tenant_record_id', 'external_key'],
        where: `status in ('SUCCESS', 'PENDING', 'UNKNOWN') and transaction_type <> 'CHARGEBACK'`,
        violation: {
          code: ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
          message:
            'Another transaction with this external key has succeeded or is still open; choose another key',
        },
      },
      {
        // payments §1.7 rule 3
        name: 'leased',
        columns: ['tenant_record_id', 'payment_id'],
        where: 'lease_until is not null',
        violation: {
          code: ErrorCode.PAYMENT_INTERNAL_ERROR,
          message: 'Another transaction of this payment is with the gateway; try again when it is settled',
        },
      },
    ],
    indexes: [
      { name: 'payment', columns: ['tenant_record_id', 'payment_id', 'record_id'] },
      { name: 'external_key', columns: ['tenant_record_id', 'external_key'] },
      {
        // payments §9.5 rule 1 d
        name: 'open_invoice_refund',
        columns: ['tenant_record_id', 'account_record_id', 'record_id'],
        where: OPEN_INVOICE_REFUNDS,
      },
    ],
  },
  {
    ...columnsOf(paymentTransactionFields),
    invoiceRefund: jsonReadOrNull('invoice_refund', readInvoiceRefund),
  },
);

export const paymentAttemptsTable = new RecordTable<New<PaymentAttempt>>(
  {
    name: 'payment_attempts',
    ofTenant: true,
    uniques: [{ name: 'id', columns: ['id'] }],
    indexes: [
      { name: 'payment_key', columns: ['tenant_record_id', 'payment_external_key', 'record_id'] },
      { name: 'transaction_key', columns: ['tenant_record_id', 'transaction_external_key', 'record_id'] },
      {
        // payments §7.2 rule 4
        name: 'open',
        columns: ['created_date'],
        where: `state_name = 'INIT'`,
      },
    ],
  },
  columnsOf(paymentAttemptFields),
);

export const invoicePaymentsTable = new RecordTable<New<InvoicePayment>>(
  {
    name: 'invoice_payments',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      {
        // payments §1.7 rule 4
        name: 'attempt_key',
        columns: ['tenant_record_id', 'transaction_external_key'],
        where: `type = 'ATTEMPT'`,
      },
      {
        name: 'payment_key',
        columns: ['tenant_record_id', 'payment_id', 'type', 'transaction_external_key'],
        where: `type <> 'ATTEMPT'`,
      },
    ],
    indexes: [
      { name: 'invoice', columns: ['tenant_record_id', 'invoice_id', 'record_id'] },
      { name: 'payment', columns: ['tenant_record_id', 'payment_id', 'record_id'] },
    ],
  },
  columnsOf(invoicePaymentFields),
);

export const autoPayHoldsTable = new RecordTable<New<AutoPayHold>>(
  {
    name: 'auto_pay_holds',
    ofTenant: true,
    uniques: [
      { name: 'id', columns: ['id'] },
      { name: 'invoice', columns: ['tenant_record_id', 'invoice_id'], where: 'is_active' },
    ],
    indexes: [{ name: 'account', columns: ['tenant_record_id', 'account_record_id', 'record_id'] }],
  },
  columnsOf(autoPayHoldFields),
);

function readInvoiceRefund(stored: InvoiceRefund): InvoiceRefund {
  const adjustments = stored.adjustments.map((each) => ({ ...each, amount: decimal(String(each.amount)) }));
  return { ...stored, adjustments };
}
