import type { EventManager } from '@mikro-orm/core';
import type { Transaction } from './connection.ts';

/** The host's entity manager, as far as it is used: inside a transaction that the host has begun. */
export interface HostEntityManager {
  isInTransaction(): boolean;
  // The type differs by driver; at run time it is Kysely's transaction.
  getTransactionContext(): unknown;
  getEventManager(): EventManager;
}

/** Finds the host's open transaction and tells when it has been committed. */
export class HostTransactions {
  readonly #onCommit: () => void;
  readonly #watched = new WeakSet<EventManager>();
  #expected = 0;

  constructor(onCommit: () => void) {
    this.#onCommit = onCommit;
  }

  transactionOf(host: HostEntityManager): Transaction {
    const transaction = host.isInTransaction() ? host.getTransactionContext() : undefined;
    if (!isTransaction(transaction)) {
      throw new Error(
        'within(em) needs an entity manager with an open transaction: call it inside em.transactional(…) or after em.begin()',
      );
    }
    return transaction;
  }

  /**
   * Calls the listener after the next commit of a whole transaction of this host. Which of several open ones it is does
   * not matter: a call too many only makes somebody look at an empty queue.
   */
  expectCommit(host: HostEntityManager): void {
    this.#expected += 1;
    const events = host.getEventManager();
    if (this.#watched.has(events)) return;
    this.#watched.add(events);
    events.registerSubscriber({
      afterTransactionCommit: async ({ transaction }) => {
        const isSavepoint =
          typeof transaction === 'object' && transaction !== null && 'savepointName' in transaction;
        if (isSavepoint || this.#expected === 0) return;
        this.#expected = 0;
        this.#onCommit();
      },
    });
  }
}

function isTransaction(value: unknown): value is Transaction {
  return (
    typeof value === 'object' &&
    value !== null &&
    'executeQuery' in value &&
    typeof value.executeQuery === 'function'
  );
}
