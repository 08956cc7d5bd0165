import {
  type AttemptView,
  type PaymentMethodView,
  PaymentStateName,
  type PaymentTransactionView,
  type PaymentView,
  ShownAttemptState,
} from '../../../lib/payments/index.ts';
import {
  type PluginProperty as PropertyRecord,
  paymentAttemptFields,
  paymentTransactionFields,
  TransactionStatus,
  TransactionType,
} from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { field, model, reading } from '../wire/model.ts';
import { recordFields } from '../wire/record-fields.ts';
import {
  bool,
  currency,
  decimalNumber,
  enumeration,
  externalKey,
  text,
  timestamp,
  uuid,
} from '../wire/scalars.ts';
import { listOf } from '../wire/wire-type.ts';
import { auditLogs, auditLogsOf } from './audit-log.ts';
import { pluginValue } from './plugin-value.ts';

export const PluginProperty = model('PluginProperty', {
  key: field(text(), 'C', { required: true }),
  value: field(pluginValue, 'C', { nullable: true }),
  isUpdatable: field(bool, 'C', {
    nullable: true,
    from: ({ isUpdatable = false }: PropertyRecord) => isUpdatable,
  }),
});

const PaymentMethodPluginDetail = model('PaymentMethodPluginDetail', {
  externalPaymentMethodId: field(text(), 'C', { nullable: true }),
  isDefaultPaymentMethod: field(bool, 'C', { nullable: true }),
  properties: field(listOf(PluginProperty), 'C', { nullable: true }),
});

export const PaymentMethod = model('PaymentMethod', {
  paymentMethodId: field(uuid, 'R', { from: ({ id }: PaymentMethodView) => id }),
  externalKey: field(externalKey, 'C'),
  accountId: field(uuid, 'C'),
  isDefault: field(bool, 'R'),
  pluginName: field(text(), 'C', { required: true }),
  pluginInfo: field(PaymentMethodPluginDetail, 'C', { nullable: true }),
  auditLogs,
});

/** A transaction with the key of its payment. */
interface ShownTransaction extends PaymentTransactionView {
  readonly paymentExternalKey: string;
}

export const PaymentTransaction = model('PaymentTransaction', {
  transactionId: field(uuid, 'R', { from: ({ id }: ShownTransaction) => id }),
  transactionExternalKey: field(externalKey, 'C', {
    from: ({ externalKey: key }: ShownTransaction) => key,
  }),
  paymentId: field(uuid, 'R'),
  paymentExternalKey: field(externalKey, 'C'),
  transactionType: field(enumeration(TransactionType), 'C'),
  ...recordFields(paymentTransactionFields, [
    'amount',
    'currency',
    'effectiveDate',
    'processedAmount',
    'processedCurrency',
    'status',
    'gatewayErrorCode',
    'gatewayErrorMsg',
  ]),
  firstPaymentReferenceId: field(text(), 'R', {
    nullable: true,
    from: ({ pluginInfo }: ShownTransaction) => pluginInfo?.firstPaymentReferenceId ?? null,
  }),
  secondPaymentReferenceId: field(text(), 'R', {
    nullable: true,
    from: ({ pluginInfo }: ShownTransaction) => pluginInfo?.secondPaymentReferenceId ?? null,
  }),
  properties: field(listOf(PluginProperty), 'C', {
    nullable: true,
    from: ({ pluginInfo }: ShownTransaction) => pluginInfo?.properties ?? null,
  }),
  auditLogs,
});

const transactionInput = {
  ...PaymentTransaction.fields,
  transactionId: field(uuid, 'I'),
  paymentId: field(uuid, 'I'),
  effectiveDate: field(timestamp, 'I'),
  status: field(enumeration(TransactionStatus), 'I'),
};

/** A transaction as requests have it: which one it is, and what it is to be. */
export const PaymentTransactionInput = reading(PaymentTransaction, transactionInput);

/** What is taken off an item with a refund. */
const RefundedItem = model('RefundedInvoiceItem', {
  invoiceItemId: field(uuid, 'I', { required: true }),
  invoiceId: field(uuid, 'I'),
  amount: field(decimalNumber, 'I'),
  description: field(text(), 'I'),
});

export const InvoicePaymentTransaction = model('InvoicePaymentTransaction', {
  ...transactionInput,
  isAdjusted: field(bool, 'I', { nullable: true }),
  adjustments: field(listOf(RefundedItem), 'I', { nullable: true }),
});

const PaymentAttempt = model('PaymentAttempt', {
  ...recordFields(paymentAttemptFields, [
    'accountId',
    'paymentMethodId',
    'paymentExternalKey',
    'transactionId',
    'transactionExternalKey',
    'transactionType',
  ]),
  effectiveDate: field(timestamp, 'R'),
  stateName: field(enumeration(ShownAttemptState), 'R'),
  ...recordFields(paymentAttemptFields, ['amount', 'currency']),
  pluginName: field(text(), 'R', { from: ({ pluginNames }: AttemptView) => pluginNames.join(',') }),
  pluginProperties: field(listOf(PluginProperty), 'R', { nullable: true }),
  // An attempt that is only scheduled has not been written yet (payments §8.2).
  auditLogs: auditLogsOf('id', ({ stateName }: AttemptView) => stateName !== ShownAttemptState.SCHEDULED),
});

const paymentFields = {
  accountId: field(uuid, 'R'),
  paymentId: field(uuid, 'R', { from: ({ id }: PaymentView) => id }),
  paymentNumber: field(text(), 'R', { from: ({ paymentNumber }: PaymentView) => String(paymentNumber) }),
  paymentExternalKey: field(text(), 'R', { from: ({ externalKey: key }: PaymentView) => key }),
  authAmount: field(decimalNumber, 'R', { from: ({ totals }: PaymentView) => totals.authAmount }),
  capturedAmount: field(decimalNumber, 'R', { from: ({ totals }: PaymentView) => totals.capturedAmount }),
  purchasedAmount: field(decimalNumber, 'R', { from: ({ totals }: PaymentView) => totals.purchasedAmount }),
  refundedAmount: field(decimalNumber, 'R', { from: ({ totals }: PaymentView) => totals.refundedAmount }),
  creditedAmount: field(decimalNumber, 'R', { from: ({ totals }: PaymentView) => totals.creditedAmount }),
  currency: field(currency, 'R', { nullable: true, from: ({ totals }: PaymentView) => totals.currency }),
  paymentMethodId: field(uuid, 'R'),
  transactions: field(listOf(PaymentTransaction), 'R', {
    from: ({ transactions, externalKey: paymentExternalKey }: PaymentView): readonly ShownTransaction[] =>
      transactions.map((each) => ({ ...each, paymentExternalKey })),
  }),
  paymentAttempts: field(listOf(PaymentAttempt), 'R', {
    nullable: true,
    from: ({ attempts }: PaymentView) => attempts,
  }),
};

export const Payment = model('Payment', { ...paymentFields, auditLogs });

const { PAYMENT_SYSTEM_OFF: _readOnly, ...fixedStatuses } = TransactionStatus;

/** What an operator says of a transaction and its payment. */
export const AdminPayment = model('AdminPayment', {
  lastSuccessPaymentState: field(enumeration(PaymentStateName), 'I'),
  currentPaymentStateName: field(enumeration(PaymentStateName), 'I'),
  transactionStatus: field(enumeration(fixedStatuses), 'I', { required: true }),
});

/** What a request to pay an invoice holds. */
const invoicePaymentInput = {
  accountId: field(uuid, 'I', { required: true }),
  purchasedAmount: field(decimalNumber, 'I'),
  paymentMethodId: field(uuid, 'I'),
  paymentExternalKey: field(externalKey, 'I'),
  transactions: field(listOf(PaymentTransactionInput), 'I', { nullable: true }),
} as const;

export const InvoicePayment = model('InvoicePayment', {
  targetInvoiceId: field(uuid, 'R', { nullable: true }),
  ...paymentFields,
  auditLogs,
});

export const InvoicePaymentRequest = reading(InvoicePayment, invoicePaymentInput);

export function auditedIdsOfPayment(payment: PaymentView): readonly Uuid[] {
  const attempts = payment.attempts ?? [];
  return [payment.id, ...payment.transactions.map(({ id }) => id), ...attempts.map(({ id }) => id)];
}
