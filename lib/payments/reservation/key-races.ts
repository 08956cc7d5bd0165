import { BillingError, ErrorCode } from '../../values/errors/index.ts';

/**
 * Decides once more where a transaction's key was taken between the look and the insert, by another account: the rules of
 * keys say then whose it is and what became of it (§4.1 rule 3, §4.2), where the index only knows that it is in use (§1.7
 * rule 2). Nothing of the first decision is stored, and no gateway has been called.
 */
export async function decidedOnKeys<T>(decide: () => Promise<T>): Promise<T> {
  try {
    return await decide();
  } catch (error) {
    if (isRace(error)) return decide();
    throw error;
  }
}

/** What the rules of keys refuse names the transaction that has the key. */
function isRace(error: unknown): boolean {
  return (
    error instanceof BillingError &&
    error.code === ErrorCode.PAYMENT_ACTIVE_TRANSACTION_KEY_EXISTS &&
    error.facts.transactionId === undefined
  );
}
