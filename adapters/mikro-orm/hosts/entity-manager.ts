import type { EventManager } from '@mikro-orm/core';
import type { Transaction } from '../sql/connection.ts';
import { hasMethods, kept, type Lender, type Recognise } from './lender.ts';

/** The parts of MikroORM's entity manager that are used: it is inside a transaction that the host has begun. */
interface EntityManager {
  isInTransaction(): boolean;
  // The type differs by driver; at run time it is Kysely's transaction.
  getTransactionContext(): unknown;
  getEventManager(): EventManager;
  getConnection(): object;
}

/** MikroORM's entity manager. */
export const entityManager: Recognise = (handle) => {
  const isOne = hasMethods(
    handle,
    'isInTransaction',
    'getTransactionContext',
    'getEventManager',
    'getConnection',
  );
  return isOne ? lenderOver(handle as EntityManager) : undefined;
};

function lenderOver(em: EntityManager): Lender {
  const transaction = em.isInTransaction() ? em.getTransactionContext() : undefined;
  return {
    database: /sqlite/i.test(em.getConnection().constructor.name) ? 'sqlite' : 'postgresql',
    refusal: hasMethods(transaction, 'executeQuery')
      ? null
      : 'within(em) needs an entity manager with an open transaction: call it inside em.transactional(…) or after em.begin()',
    lend: async () => ({
      transaction: transaction as Transaction,
      connection: em.getConnection(),
      isOpen: () => em.isInTransaction(),
    }),
    onCommit: (listener) => commitsOf(em.getEventManager()).expect(listener),
  };
}

/**
 * The commits of whole transactions of an instance. If several are open, it does not matter which one is told: an extra
 * call only makes somebody look at an empty queue.
 */
const commitsOf = kept((events: EventManager) => {
  const expecting = new Set<() => void>();
  events.registerSubscriber({
    afterTransactionCommit: async ({ transaction }) => {
      const isSavepoint =
        typeof transaction === 'object' && transaction !== null && 'savepointName' in transaction;
      if (isSavepoint) return;
      const told = [...expecting];
      expecting.clear();
      for (const listener of told) listener();
    },
  });
  return { expect: (listener: () => void) => expecting.add(listener) };
});
