import {
  AttemptState,
  INVOICE_PAYMENT_CONTROL_PLUGIN,
  type PaymentAttempt,
  type PaymentTransaction,
} from '../../records/index.ts';

/**
 * True of a run that control plugins were asked about and that has reserved nothing: they have stopped it, the payment was
 * with somebody else, or a crash came between. Whatever it was to repeat is still to be repeated (§5.3 rule 2).
 * @param transactions those that the run may have made.
 */
export function hasOnlyBegun(
  { id, stateName, transactionId, pluginNames }: PaymentAttempt,
  transactions: readonly Pick<PaymentTransaction, 'attemptId'>[],
): boolean {
  if (stateName !== AttemptState.INIT && stateName !== AttemptState.ABORTED) return false;
  if (pluginNames.every((name) => name === INVOICE_PAYMENT_CONTROL_PLUGIN)) return false;
  return transactionId === null && !transactions.some(({ attemptId }) => attemptId === id);
}
