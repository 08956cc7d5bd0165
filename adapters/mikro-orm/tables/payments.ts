import {
  autoPayHoldFields,
  type InvoiceRefund,
  invoicePaymentFields,
  type New,
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
import { instantAtOrNull, jsonReadOrNull, searchOnly, textOrNull } from '../sql/columns.ts';
import { columnsOf } from './described-columns.ts';
import { RecordTable } from './record-table.ts';

/** A payment method with its authors. Only searches use the authors. */
export type StoredPaymentMethod = New<PaymentMethod> & {
  readonly createdBy?: string | null;
  readonly updatedBy?: string | null;
  readonly updatedDate?: Instant | null;
};

const methodColumns = {
  ...columnsOf(paymentMethodFields),
  ...searchOnly({ createdBy: textOrNull, updatedBy: textOrNull, updatedDate: instantAtOrNull }),
};

export const paymentMethodsTable = new RecordTable<StoredPaymentMethod>('payment_methods', methodColumns, {
  uniques: { id: 'id', external_key: 'tenant_record_id, external_key' },
  violations: {
    // The engine generates unique ids, so a duplicate comes from a gateway's list.
    id: {
      code: ErrorCode.PAYMENT_REFRESH_PAYMENT_METHOD,
      message: (id) =>
        `The payment methods were not refreshed: a payment plugin listed the method with ${id}, which belongs to a different account`,
    },
    external_key: {
      code: ErrorCode.PAYMENT_INVALID_PARAMETER,
      message: (key) => `A payment method with ${key} already exists; choose a different key`,
    },
  },
  indexes: {
    page: 'tenant_record_id, record_id where is_active',
    account: 'tenant_record_id, account_record_id, record_id',
  },
});

/** The state of most payments. The index that searches use for other states excludes it. */
export const USUAL_PAYMENT_STATE = 'PURCHASE_SUCCESS';
export const UNUSUAL_PAYMENTS = `state_name <> '${USUAL_PAYMENT_STATE}'`;

export const paymentsTable = new RecordTable('payments', columnsOf(paymentFields), {
  uniques: {
    id: 'id',
    external_key: 'tenant_record_id, external_key',
    number: 'tenant_record_id, payment_number',
  },
  violations: {
    external_key: {
      code: ErrorCode.PAYMENT_INVALID_PARAMETER,
      message: (key) => `A payment with ${key} already exists; choose a different key or use that payment`,
    },
  },
  indexes: {
    page: 'tenant_record_id, record_id',
    account: 'tenant_record_id, account_record_id, record_id',
    state: `tenant_record_id, state_name, record_id where ${UNUSUAL_PAYMENTS}`,
  },
});

/** Open refunds of invoice payments. */
export const OPEN_INVOICE_REFUNDS = `invoice_refund is not null and status in ('UNKNOWN', 'PENDING')`;

/** Failed attempts to take money. */
export const FAILED_PAYMENTS = `status in ('PAYMENT_FAILURE', 'PLUGIN_FAILURE', 'PAYMENT_SYSTEM_OFF') and transaction_type in ('AUTHORIZE', 'CAPTURE', 'PURCHASE')`;

const transactionColumns = {
  ...columnsOf(paymentTransactionFields),
  invoiceRefund: jsonReadOrNull('invoice_refund', readInvoiceRefund),
};

export const paymentTransactionsTable = new RecordTable<New<PaymentTransaction>>(
  'payment_transactions',
  transactionColumns,
  {
    // payments §1.7 rules 2 and 3
    uniques: {
      id: 'id',
      active_key: `tenant_record_id, external_key where status in ('SUCCESS', 'PENDING', 'UNKNOWN') and transaction_type <> 'CHARGEBACK'`,
      leased: 'tenant_record_id, payment_id where lease_until is not null',
    },
    violations: {
      active_key: {
        code: ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS,
        message: (key) =>
          `Another transaction with ${key} has succeeded or is still open; choose a different key`,
      },
      leased: {
        code: ErrorCode.PAYMENT_INTERNAL_ERROR,
        message: () =>
          'The gateway is processing another transaction of this payment; try again when it is finished',
      },
    },
    indexes: {
      payment: 'tenant_record_id, payment_id, record_id',
      external_key: 'tenant_record_id, external_key',
      // payments §9.5 rule 1 d
      open_invoice_refund: `tenant_record_id, account_record_id, record_id where ${OPEN_INVOICE_REFUNDS}`,
      // reports §2 and §4
      effective: 'tenant_record_id, effective_date, record_id',
      failed: `tenant_record_id, effective_date, record_id where ${FAILED_PAYMENTS}`,
    },
  },
);

export const paymentAttemptsTable = new RecordTable('payment_attempts', columnsOf(paymentAttemptFields), {
  uniques: { id: 'id' },
  indexes: {
    payment_key: 'tenant_record_id, payment_external_key, record_id',
    transaction_key: 'tenant_record_id, transaction_external_key, record_id',
    // payments §7.2 rule 4
    open: `created_date where state_name = 'INIT'`,
  },
});

export const invoicePaymentsTable = new RecordTable('invoice_payments', columnsOf(invoicePaymentFields), {
  // payments §1.7 rule 4
  uniques: {
    id: 'id',
    attempt_key: `tenant_record_id, transaction_external_key where type = 'ATTEMPT'`,
    payment_key: `tenant_record_id, payment_id, type, transaction_external_key where type <> 'ATTEMPT'`,
  },
  indexes: {
    invoice: 'tenant_record_id, invoice_id, record_id',
    payment: 'tenant_record_id, payment_id, record_id',
  },
});

export const autoPayHoldsTable = new RecordTable('auto_pay_holds', columnsOf(autoPayHoldFields), {
  uniques: { id: 'id', invoice: 'tenant_record_id, invoice_id where is_active' },
  indexes: { account: 'tenant_record_id, account_record_id, record_id' },
});

function readInvoiceRefund(stored: InvoiceRefund): InvoiceRefund {
  const adjustments = stored.adjustments.map((each) => ({ ...each, amount: decimal(String(each.amount)) }));
  return { ...stored, adjustments };
}
