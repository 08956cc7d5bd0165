import { enumeration, f, type RecordOf } from '../../values/fields/index.ts';
import type { PluginProperty } from '../context.ts';
import { TransactionType } from './payment.ts';

/** Stored states of a payment attempt. The state SCHEDULED is not stored but computed (payments §1.1). */
export const AttemptState = enumeration('INIT', 'SUCCESS', 'RETRIED', 'ABORTED');
export type AttemptState = keyof typeof AttemptState;

/** Name of the built-in invoice control. It is the first control plugin of each attempt to pay an invoice. */
export const INVOICE_PAYMENT_CONTROL_PLUGIN = '__INVOICE_PAYMENT_CONTROL_PLUGIN__';

export const paymentAttemptFields = {
  recordId: f.recordId,
  id: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  paymentMethodId: f.orNull(f.id()),
  paymentExternalKey: f.text(),
  transactionId: f.orNull(f.id()),
  transactionExternalKey: f.text(),
  transactionType: f.oneOf(TransactionType),
  stateName: f.oneOf(AttemptState),
  amount: f.orNull(f.amount()),
  currency: f.orNull(f.currency()),
  pluginNames: f.json<readonly string[]>({ audit: null }),
  /** Plugin properties after changes by control plugins. The value is null until the run has ended (payments §8.1). */
  pluginProperties: f.orNull(f.json<readonly PluginProperty[]>({ audit: null })),
  isApiPayment: f.flag({ audit: null }),
  createdDate: f.instant(),
};
export interface PaymentAttempt extends RecordOf<typeof paymentAttemptFields> {}

/**
 * An automatic payment that AUTO_PAY_OFF or MANUAL_PAY holds (payments §1.6). An invoice has at most one active hold.
 */
export const autoPayHoldFields = {
  recordId: f.recordId,
  id: f.id(),
  accountId: f.id(),
  accountRecordId: f.bigint(),
  invoiceId: f.id(),
  /** Id of the attempt that became ABORTED. */
  attemptId: f.id(),
  amount: f.amount(),
  currency: f.currency(),
  isActive: f.flag(),
  createdDate: f.instant(),
};
export interface AutoPayHold extends RecordOf<typeof autoPayHoldFields> {}
