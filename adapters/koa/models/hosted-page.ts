import { field, maybe, model, replaceRequestFields } from '../wire/model.ts';
import { text, uuid } from '../wire/scalars.ts';
import { anyValue, listOf } from '../wire/wire-type.ts';
import { Account } from './account.ts';
import { auditLogsOf } from './audit-log.ts';
import { PaymentMethod, PaymentTransactionInput, PluginProperty } from './payment.ts';

export const HostedPaymentPageFields = model('HostedPaymentPageFields', {
  formFields: field(listOf(PluginProperty), 'I', { nullable: true }),
});

/** The account of the request. It is either an existing account, identified by id or key, or a new account. */
const ComboAccount = replaceRequestFields(Account, { ...Account.fields, accountId: field(uuid, 'I') });

/**
 * The payment method of the request. It is either an existing method, identified by id or key, or a new method. Ignored
 * if there is no plugin name.
 */
const ComboPaymentMethod = replaceRequestFields(PaymentMethod, {
  ...PaymentMethod.fields,
  paymentMethodId: field(uuid, 'I'),
  pluginName: field(text(), 'C'),
});

/** See payments §11. */
export const comboFields = {
  account: field(ComboAccount, 'I', { required: true }),
  paymentMethod: field(ComboPaymentMethod, 'I'),
  paymentMethodPluginProperties: field(listOf(PluginProperty), 'I', { nullable: true }),
} as const;

export const ComboHostedPaymentPage = model('ComboHostedPaymentPage', {
  ...comboFields,
  hostedPaymentPageFields: field(HostedPaymentPageFields, 'I'),
});

export const ComboPaymentTransaction = model('ComboPaymentTransaction', {
  ...comboFields,
  transaction: field(PaymentTransactionInput, 'I', { required: true }),
  transactionPluginProperties: field(listOf(PluginProperty), 'I', { nullable: true }),
});

export const HostedPaymentPageFormDescriptor = model('HostedPaymentPageFormDescriptor', {
  kbAccountId: uuid,
  formMethod: maybe(text()),
  formUrl: maybe(text()),
  formFields: maybe(anyValue),
  properties: maybe(anyValue),
  auditLogs: auditLogsOf('kbAccountId', () => false),
});
