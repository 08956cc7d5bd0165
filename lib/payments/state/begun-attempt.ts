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
  if (transactionId !== null || transactions.some(({ attemptId }) => attemptId === id)) return false;
  if (stateName === AttemptState.INIT) return true;
  // Without plugins it is the engine that has ended it, for good.
  const wasAsked = pluginNames.some((name) => name !== INVOICE_PAYMENT_CONTROL_PLUGIN);
  return stateName === AttemptState.ABORTED && wasAsked;
}
