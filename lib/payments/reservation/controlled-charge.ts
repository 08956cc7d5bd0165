import type { New, PaymentAttempt, PluginProperty } from '../../records/index.ts';
import type { Uuid } from '../../values/ids/index.ts';
import type { Currency, Decimal } from '../../values/money/index.ts';

/** A charge that has begun before its reservation, since control plugins were asked about it (§8.1). */
export interface ControlledCharge {
  /** As stored: INIT, without a transaction. */
  readonly attempt: New<PaymentAttempt>;
  /** What was planned before the plugins were asked: its ids are taken. */
  readonly planned: {
    readonly paymentId: Uuid;
    readonly transactionId: Uuid;
    readonly isNewPayment: boolean;
    /** What is to be settled, in the currency of the invoice. */
    readonly amount: Decimal;
  };
  /** As the plugins have left them. */
  readonly amount: Decimal;
  readonly currency: Currency;
  readonly paymentMethodId: Uuid | null;
  readonly properties: readonly PluginProperty[];
}
