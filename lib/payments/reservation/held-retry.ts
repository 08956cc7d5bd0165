import { AttemptState, type AutoPayHold, type Payment, type PaymentAttempt } from '../../records/index.ts';
import type { ReservationFacts } from './reservation-facts.ts';

/** A retry that the account's tags hold back. */
export interface HeldRetry {
  readonly payment: Payment;
  /** The run that it repeats. */
  readonly origin: PaymentAttempt;
  /** The run that was stored when it was held back. */
  readonly held: PaymentAttempt;
}

/** Returns the retry that the hold stands for; null = the hold stands for the first payment of its invoice (§9.3). */
export function heldRetryOf(
  { attemptId }: Pick<AutoPayHold, 'attemptId'>,
  { attempts, payments }: Pick<ReservationFacts, 'attempts' | 'payments'>,
): HeldRetry | null {
  const held = attempts.find(({ id }) => id === attemptId);
  const payment = payments.find(({ externalKey }) => externalKey === held?.paymentExternalKey);
  const origin = attempts.findLast(
    ({ stateName, paymentExternalKey, transactionExternalKey }) =>
      stateName === AttemptState.RETRIED &&
      paymentExternalKey === held?.paymentExternalKey &&
      transactionExternalKey === held.transactionExternalKey,
  );
  return held && payment && origin ? { payment, origin, held } : null;
}
