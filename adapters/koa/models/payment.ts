import type {
  InvoicePaymentView,
  PaymentMethodView,
  PaymentTransactionView,
  PaymentView,
} from '../../../lib/payments/index.ts';
import { type AttemptView, ShownAttemptState } from '../../../lib/payments/index.ts';
import type { PluginProperty as PropertyRecord } from '../../../lib/records/index.ts';
import { TransactionStatus, TransactionType } from '../../../lib/records/index.ts';
import type { Uuid } from '../../../lib/values/ids/index.ts';
import { formatInstant } from '../../../lib/values/time/index.ts';
import { field, model } from '../wire/model.ts';
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
import { auditLogs, auditLogsJson } from './audit-log.ts';
import { pluginValue } from './plugin-value.ts';
import type { AuditByRecord } from './subscription.ts';

export const PluginProperty = model('PluginProperty', {
  key: field(text(), 'C', { required: true }),
  value: field(pluginValue, 'C', { nullable: true }),
  isUpdatable: field(bool, 'C', { nullable: true }),
});

const PaymentMethodPluginDetail = model('PaymentMethodPluginDetail', {
  externalPaymentMethodId: field(text(), 'C', { nullable: true }),
  isDefaultPaymentMethod: field(bool, 'C', { nullable: true }),
  properties: field(listOf(PluginProperty), 'C', { nullable: true }),
});

export const PaymentMethod = model('PaymentMethod', {
  paymentMethodId: field(uuid, 'R'),
  externalKey: field(externalKey, 'C'),
  accountId: field(uuid, 'C'),
  isDefault: field(bool, 'R'),
  pluginName: field(text(), 'C', { required: true }),
  pluginInfo: field(PaymentMethodPluginDetail, 'C', { nullable: true }),
  auditLogs,
});

const PaymentTransaction = model('PaymentTransaction', {
  transactionId: field(uuid, 'R'),
  transactionExternalKey: field(externalKey, 'C'),
  paymentId: field(uuid, 'R'),
  paymentExternalKey: field(externalKey, 'C'),
  transactionType: field(enumeration(TransactionType), 'C'),
  amount: field(decimalNumber, 'C', { nullable: true }),
  currency: field(currency, 'C', { nullable: true }),
  effectiveDate: field(timestamp, 'R'),
  processedAmount: field(decimalNumber, 'R', { nullable: true }),
  processedCurrency: field(currency, 'R', { nullable: true }),
  status: field(enumeration(TransactionStatus), 'R'),
  gatewayErrorCode: field(text(), 'R', { nullable: true }),
  gatewayErrorMsg: field(text(), 'R', { nullable: true }),
  firstPaymentReferenceId: field(text(), 'R', { nullable: true }),
  secondPaymentReferenceId: field(text(), 'R', { nullable: true }),
  properties: field(listOf(PluginProperty), 'C', { nullable: true }),
  auditLogs,
});

const PaymentAttempt = model('PaymentAttempt', {
  accountId: field(uuid, 'R'),
  paymentMethodId: field(uuid, 'R', { nullable: true }),
  paymentExternalKey: field(text(), 'R'),
  transactionId: field(uuid, 'R', { nullable: true }),
  transactionExternalKey: field(text(), 'R'),
  transactionType: field(enumeration(TransactionType), 'R'),
  effectiveDate: field(timestamp, 'R'),
  stateName: field(enumeration(ShownAttemptState), 'R'),
  amount: field(decimalNumber, 'R', { nullable: true }),
  currency: field(currency, 'R', { nullable: true }),
  pluginName: field(text(), 'R'),
  pluginProperties: field(listOf(PluginProperty), 'R', { nullable: true }),
  auditLogs,
});

const paymentFields = {
  accountId: field(uuid, 'R'),
  paymentId: field(uuid, 'R'),
  paymentNumber: field(text(), 'R'),
  paymentExternalKey: field(text(), 'R'),
  authAmount: field(decimalNumber, 'R'),
  capturedAmount: field(decimalNumber, 'R'),
  purchasedAmount: field(decimalNumber, 'R'),
  refundedAmount: field(decimalNumber, 'R'),
  creditedAmount: field(decimalNumber, 'R'),
  currency: field(currency, 'R', { nullable: true }),
  paymentMethodId: field(uuid, 'R'),
  transactions: field(listOf(PaymentTransaction), 'R'),
  paymentAttempts: field(listOf(PaymentAttempt), 'R', { nullable: true }),
};

export const Payment = model('Payment', { ...paymentFields, auditLogs });

export const InvoicePayment = model('InvoicePayment', {
  targetInvoiceId: field(uuid, 'R', { nullable: true }),
  ...paymentFields,
  auditLogs,
});

export function paymentMethodJson(method: PaymentMethodView, audit: AuditByRecord) {
  return {
    paymentMethodId: method.id,
    externalKey: method.externalKey,
    accountId: method.accountId,
    isDefault: method.isDefault,
    pluginName: method.pluginName,
    pluginInfo: method.pluginInfo && {
      externalPaymentMethodId: method.pluginInfo.externalPaymentMethodId,
      isDefaultPaymentMethod: method.pluginInfo.isDefaultPaymentMethod,
      properties: propertiesJson(method.pluginInfo.properties),
    },
    auditLogs: auditLogsJson(audit.get(method.id)),
  };
}

export function auditedIdsOfPayment(payment: PaymentView): readonly Uuid[] {
  const attempts = payment.attempts ?? [];
  return [payment.id, ...payment.transactions.map(({ id }) => id), ...attempts.map(({ id }) => id)];
}

export function paymentJson(payment: PaymentView, audit: AuditByRecord) {
  const { totals } = payment;
  return {
    accountId: payment.accountId,
    paymentId: payment.id,
    paymentNumber: String(payment.paymentNumber),
    paymentExternalKey: payment.externalKey,
    authAmount: totals.authAmount,
    capturedAmount: totals.capturedAmount,
    purchasedAmount: totals.purchasedAmount,
    refundedAmount: totals.refundedAmount,
    creditedAmount: totals.creditedAmount,
    currency: totals.currency,
    paymentMethodId: payment.paymentMethodId,
    transactions: payment.transactions.map((each) => transactionJson(each, payment, audit)),
    paymentAttempts: payment.attempts?.map((each) => attemptJson(each, audit)) ?? null,
    auditLogs: auditLogsJson(audit.get(payment.id)),
  };
}

export function invoicePaymentJson(payment: InvoicePaymentView, audit: AuditByRecord) {
  return { targetInvoiceId: payment.targetInvoiceId, ...paymentJson(payment, audit) };
}

function transactionJson(transaction: PaymentTransactionView, payment: PaymentView, audit: AuditByRecord) {
  const { pluginInfo } = transaction;
  return {
    transactionId: transaction.id,
    transactionExternalKey: transaction.externalKey,
    paymentId: payment.id,
    paymentExternalKey: payment.externalKey,
    transactionType: transaction.transactionType,
    amount: transaction.amount,
    currency: transaction.currency,
    effectiveDate: formatInstant(transaction.effectiveDate),
    processedAmount: transaction.processedAmount,
    processedCurrency: transaction.processedCurrency,
    status: transaction.status,
    gatewayErrorCode: transaction.gatewayErrorCode,
    gatewayErrorMsg: transaction.gatewayErrorMsg,
    firstPaymentReferenceId: pluginInfo?.firstPaymentReferenceId ?? null,
    secondPaymentReferenceId: pluginInfo?.secondPaymentReferenceId ?? null,
    properties: pluginInfo && propertiesJson(pluginInfo.properties),
    auditLogs: auditLogsJson(audit.get(transaction.id)),
  };
}

function attemptJson(attempt: AttemptView, audit: AuditByRecord) {
  // What is only scheduled has not been written yet (payments §8.2).
  const isStored = attempt.stateName !== ShownAttemptState.SCHEDULED;
  return {
    accountId: attempt.accountId,
    paymentMethodId: attempt.paymentMethodId,
    paymentExternalKey: attempt.paymentExternalKey,
    transactionId: attempt.transactionId,
    transactionExternalKey: attempt.transactionExternalKey,
    transactionType: attempt.transactionType,
    effectiveDate: formatInstant(attempt.effectiveDate),
    stateName: attempt.stateName,
    amount: attempt.amount,
    currency: attempt.currency,
    pluginName: attempt.pluginNames.join(','),
    pluginProperties: null,
    auditLogs: auditLogsJson(isStored ? audit.get(attempt.id) : undefined),
  };
}

function propertiesJson(properties: readonly PropertyRecord[]) {
  return properties.map(({ key, value, isUpdatable = false }) => ({ key, value, isUpdatable }));
}
