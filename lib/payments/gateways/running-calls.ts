import type { PaymentGateway } from '../../ports/index.ts';
import type { Uuid } from '../../values/ids/index.ts';

/** Ids of the transactions for which a gateway is being called by this process, given up or not. */
const running = new WeakMap<PaymentGateway, Set<Uuid>>();

/** Makes the call of a transaction, which counts as running until it settles. */
export async function whileRunning<T>(
  gateway: PaymentGateway,
  transactionId: Uuid,
  call: () => Promise<T>,
): Promise<T> {
  const ids = running.get(gateway) ?? new Set();
  running.set(gateway, ids.add(transactionId));
  try {
    return await call();
  } finally {
    ids.delete(transactionId);
  }
}

/** Whether a call of the transaction has not settled yet: what it will have done nobody can know. */
export function isRunning(gateway: PaymentGateway, transactionId: Uuid): boolean {
  return running.get(gateway)?.has(transactionId) === true;
}
