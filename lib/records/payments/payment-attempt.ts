import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';
import type { Instant } from '../../values/time/index.ts';
import type { PluginProperty } from '../context.ts';
import type { TransactionType } from './payment.ts';

/** Stored states of a payment attempt; SCHEDULED is computed on read (payments §1.1). */
export const AttemptState = {
  INIT: 'INIT',
  SUCCESS: 'SUCCESS',
  RETRIED: 'RETRIED',
  ABORTED: 'ABORTED',
} as const;
export type AttemptState = (typeof AttemptState)[keyof typeof AttemptState];

/** Wire name of the built-in invoice control, first in the plugin list of an invoice payment's attempt. */
export const INVOICE_PAYMENT_CONTROL_PLUGIN = '__INVOICE_PAYMENT_CONTROL_PLUGIN__';

export interface PaymentAttempt {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly paymentMethodId: Uuid | null;
  readonly paymentExternalKey: string;
  readonly transactionId: Uuid | null;
  readonly transactionExternalKey: string;
  readonly transactionType: TransactionType;
  readonly stateName: AttemptState;
  readonly amount: Decimal | null;
  readonly currency: Currency | null;
  readonly pluginNames: readonly string[];
  /** Plugin properties of the run, as the control plugins left them; null until it has ended (payments §8.1). */
  readonly pluginProperties: readonly PluginProperty[] | null;
  readonly isApiPayment: boolean;
  readonly createdDate: Instant;
}

/** An automatic payment held back by AUTO_PAY_OFF or MANUAL_PAY (payments §1.6); an invoice has at most one active. */
export interface AutoPayHold {
  readonly recordId: number;
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly accountRecordId: number;
  readonly invoiceId: Uuid;
  /** The attempt that ended as ABORTED. */
  readonly attemptId: Uuid;
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly isActive: boolean;
  readonly createdDate: Instant;
}
