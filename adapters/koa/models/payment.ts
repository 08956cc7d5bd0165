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
import type { Decimal } from '../../../lib/values/money/index.ts';
import {
  derivedField,
  type Field,
  field,
  maybe,
  model,
  modelWith,
  replaceRequestFields,
} from '../wire/model.ts';
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
    from: (property: PropertyRecord) => property.isUpdatable ?? false,
  }),
});

export const PaymentMethodPluginDetail = model('PaymentMethodPluginDetail', {
  externalPaymentMethodId: field(text(), 'C', { nullable: true }),
  isDefaultPaymentMethod: field(bool, 'C', { nullable: true }),
  properties: field(listOf(PluginProperty), 'C', { nullable: true }),
});

export const PaymentMethod = model('PaymentMethod', {
  paymentMethodId: derivedField(uuid, ({ id }: PaymentMethodView) => id),
  externalKey: field(externalKey, 'C'),
  accountId: field(uuid, 'C'),
  isDefault: bool,
  pluginName: field(text(), 'C', { required: true }),
  pluginInfo: field(PaymentMethodPluginDetail, 'C', { nullable: true }),
  auditLogs,
});

/** A transaction in a response. It also contains the key of its payment. */
interface ShownTransaction extends PaymentTransactionView {
  readonly paymentExternalKey: string;
}

export const PaymentTransaction = model('PaymentTransaction', {
  transactionId: derivedField(uuid, ({ id }: ShownTransaction) => id),
  transactionExternalKey: field(externalKey, 'C', { from: (view: ShownTransaction) => view.externalKey }),
  paymentId: uuid,
  paymentExternalKey: field(externalKey, 'C'),
  transactionType: field(enumeration(TransactionType), 'C'),
  ...recordFields(paymentTransactionFields, ['amount', 'currency', 'effectiveDate', 'processedAmount']),
  ...recordFields(paymentTransactionFields, [
    'processedCurrency',
    'status',
    'gatewayErrorCode',
    'gatewayErrorMsg',
  ]),
  firstPaymentReferenceId: maybe(text(), pluginFact('firstPaymentReferenceId')),
  secondPaymentReferenceId: maybe(text(), pluginFact('secondPaymentReferenceId')),
  properties: field(listOf(PluginProperty), 'C', { nullable: true, from: pluginFact('properties') }),
  auditLogs,
});

function pluginFact(name: keyof NonNullable<PaymentTransactionView['pluginInfo']>) {
  return ({ pluginInfo }: PaymentTransactionView) => pluginInfo?.[name] ?? null;
}

const transactionInput = {
  ...PaymentTransaction.fields,
  transactionId: field(uuid, 'I'),
  paymentId: field(uuid, 'I'),
  effectiveDate: field(timestamp, 'I'),
  status: field(enumeration(TransactionStatus), 'I'),
};

export const PaymentTransactionInput = replaceRequestFields(PaymentTransaction, transactionInput);

/** An item adjustment that is part of a refund. */
const RefundedItem = modelWith('I', 'RefundedInvoiceItem', {
  invoiceItemId: field(uuid, 'I', { required: true }),
  invoiceId: uuid,
  amount: decimalNumber,
  description: text(),
});

export const InvoicePaymentTransaction = model('InvoicePaymentTransaction', {
  ...transactionInput,
  isAdjusted: field(bool, 'I', { nullable: true }),
  adjustments: field(listOf(RefundedItem), 'I', { nullable: true }),
});

const PaymentAttempt = model('PaymentAttempt', {
  ...recordFields(paymentAttemptFields, ['accountId', 'paymentMethodId', 'paymentExternalKey']),
  ...recordFields(paymentAttemptFields, ['transactionId', 'transactionExternalKey', 'transactionType']),
  effectiveDate: timestamp,
  stateName: enumeration(ShownAttemptState),
  ...recordFields(paymentAttemptFields, ['amount', 'currency']),
  pluginName: derivedField(text(), ({ pluginNames }: AttemptView) => pluginNames.join(',')),
  pluginProperties: maybe(listOf(PluginProperty)),
  // A scheduled attempt is not stored yet (payments §8.2).
  auditLogs: auditLogsOf('id', ({ stateName }: AttemptView) => stateName !== ShownAttemptState.SCHEDULED),
});

function totals<N extends keyof PaymentView['totals']>(...names: readonly N[]) {
  const fields = names.map((name) => [
    name,
    derivedField(decimalNumber, (view: PaymentView) => view.totals[name]),
  ]);
  return Object.fromEntries(fields) as Readonly<Record<N, Field<Decimal, 'R'>>>;
}

const paymentFields = {
  accountId: uuid,
  paymentId: derivedField(uuid, ({ id }: PaymentView) => id),
  paymentNumber: derivedField(text(), ({ paymentNumber }: PaymentView) => String(paymentNumber)),
  paymentExternalKey: derivedField(text(), ({ externalKey: key }: PaymentView) => key),
  ...totals('authAmount', 'capturedAmount', 'purchasedAmount', 'refundedAmount', 'creditedAmount'),
  currency: maybe(currency, ({ totals }: PaymentView) => totals.currency),
  paymentMethodId: uuid,
  transactions: derivedField(
    listOf(PaymentTransaction),
    ({ transactions, externalKey: paymentExternalKey }: PaymentView): readonly ShownTransaction[] =>
      transactions.map((each) => ({ ...each, paymentExternalKey })),
  ),
  paymentAttempts: maybe(listOf(PaymentAttempt), ({ attempts }: PaymentView) => attempts),
};

export const Payment = model('Payment', { ...paymentFields, auditLogs });

const { PAYMENT_SYSTEM_OFF: _readOnly, ...fixedStatuses } = TransactionStatus;

/** An operator's correction of a transaction and its payment. */
export const AdminPayment = modelWith('I', 'AdminPayment', {
  lastSuccessPaymentState: enumeration(PaymentStateName),
  currentPaymentStateName: enumeration(PaymentStateName),
  transactionStatus: field(enumeration(fixedStatuses), 'I', { required: true }),
});

export const InvoicePayment = model('InvoicePayment', {
  targetInvoiceId: maybe(uuid),
  ...paymentFields,
  auditLogs,
});

export const InvoicePaymentRequest = replaceRequestFields(InvoicePayment, {
  accountId: field(uuid, 'I', { required: true }),
  purchasedAmount: field(decimalNumber, 'I'),
  paymentMethodId: field(uuid, 'I'),
  paymentExternalKey: field(externalKey, 'I'),
  transactions: field(listOf(PaymentTransactionInput), 'I', { nullable: true }),
});

export function auditedIdsOfPayment(payment: PaymentView): readonly Uuid[] {
  const attempts = payment.attempts ?? [];
  return [payment.id, ...payment.transactions.map(({ id }) => id), ...attempts.map(({ id }) => id)];
}
