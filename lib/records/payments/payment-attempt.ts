import {
  amount,
  bigint,
  currency,
  enumeration,
  flag,
  id,
  instant,
  json,
  oneOf,
  orNull,
  type RecordOf,
  recordId,
  text,
} from '../../values/fields/index.ts';
import type { PluginProperty } from '../context.ts';
import { TransactionType } from './payment.ts';

/** Stored states of a payment attempt; SCHEDULED is computed on read (payments §1.1). */
export const AttemptState = enumeration('INIT', 'SUCCESS', 'RETRIED', 'ABORTED');
export type AttemptState = keyof typeof AttemptState;

/** Name of the built-in invoice control, the first plugin of an invoice payment's attempt. */
export const INVOICE_PAYMENT_CONTROL_PLUGIN = '__INVOICE_PAYMENT_CONTROL_PLUGIN__';

export const paymentAttemptFields = {
  recordId,
  id: id(),
  accountId: id(),
  accountRecordId: bigint(),
  paymentMethodId: orNull(id()),
  paymentExternalKey: text(),
  transactionId: orNull(id()),
  transactionExternalKey: text(),
  transactionType: oneOf(TransactionType),
  stateName: oneOf(AttemptState),
  amount: orNull(amount()),
  currency: orNull(currency()),
  pluginNames: json<readonly string[]>({ audit: null }),
  /** Plugin properties after the control plugins; null until the run ended (payments §8.1). */
  pluginProperties: orNull(json<readonly PluginProperty[]>({ audit: null })),
  isApiPayment: flag({ audit: null }),
  createdDate: instant(),
};
export interface PaymentAttempt extends RecordOf<typeof paymentAttemptFields> {}

/** An automatic payment held by AUTO_PAY_OFF or MANUAL_PAY (payments §1.6); at most one active per invoice. */
export const autoPayHoldFields = {
  recordId,
  id: id(),
  accountId: id(),
  accountRecordId: bigint(),
  invoiceId: id(),
  /** The ABORTED attempt. */
  attemptId: id(),
  amount: amount(),
  currency: currency(),
  isActive: flag(),
  createdDate: instant(),
};
export interface AutoPayHold extends RecordOf<typeof autoPayHoldFields> {}
