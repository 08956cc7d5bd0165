import { field, model, reading } from '../wire/model.ts';
import { text, uuid } from '../wire/scalars.ts';
import { anyValue, listOf } from '../wire/wire-type.ts';
import { Account } from './account.ts';
import { auditLogsOf } from './audit-log.ts';
import { PaymentMethod, PaymentTransactionInput, PluginProperty } from './payment.ts';

export const HostedPaymentPageFields = model('HostedPaymentPageFields', {
  formFields: field(listOf(PluginProperty), 'I', { nullable: true }),
});

/** An account that is named by its id or key, or made. */
const ComboAccount = reading(Account, { ...Account.fields, accountId: field(uuid, 'I') });

/** A payment method that is named by its id or key, or made; without the name of a plugin it is none. */
const ComboPaymentMethod = reading(PaymentMethod, {
  ...PaymentMethod.fields,
  paymentMethodId: field(uuid, 'I'),
  pluginName: field(text(), 'C'),
});

/** Account and payment method of a combined request (payments §11). */
export const comboFields = {
  account: field(ComboAccount, 'I', { required: true }),
  paymentMethod: field(ComboPaymentMethod, 'I'),
  paymentMethodPluginProperties: field(listOf(PluginProperty), 'I', { nullable: true }),
} as const;

export const ComboHostedPaymentPage = model('ComboHostedPaymentPage', {
  ...comboFields,
  hostedPaymentPageFields: field(HostedPaymentPageFields, 'I'),
});

/** A payment with its account and method (payments §11). */
export const ComboPaymentTransaction = model('ComboPaymentTransaction', {
  ...comboFields,
  transaction: field(PaymentTransactionInput, 'I', { required: true }),
  transactionPluginProperties: field(listOf(PluginProperty), 'I', { nullable: true }),
});

export const HostedPaymentPageFormDescriptor = model('HostedPaymentPageFormDescriptor', {
  kbAccountId: field(uuid, 'R'),
  formMethod: field(text(), 'R', { nullable: true }),
  formUrl: field(text(), 'R', { nullable: true }),
  formFields: field(anyValue, 'R', { nullable: true }),
  properties: field(anyValue, 'R', { nullable: true }),
  auditLogs: auditLogsOf('kbAccountId', () => false),
});
