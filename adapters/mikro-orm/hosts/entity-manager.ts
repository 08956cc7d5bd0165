import type { EventManager } from '@mikro-orm/core';
import type { Transaction } from '../sql/connection.ts';
import { cacheByKey, hasMethods, type Lender, propertyOf, type Recognise } from './lender.ts';

interface EntityManager {
  isInTransaction(): boolean;
  // This is Kysely's transaction at run time; the declared type depends on the driver.
  getTransactionContext(): unknown;
  getEventManager(): EventManager;
  getConnection(): { getNativeClient?(): Promise<unknown> };
}

export const entityManager: Recognise = (handle) => {
  const isOne = hasMethods(
    handle,
    'isInTransaction',
    'getTransactionContext',
    'getEventManager',
    'getConnection',
  );
  return isOne ? lenderForPool(handle as EntityManager) : undefined;
};

function lenderForPool(em: EntityManager): Lender {
  const transaction = em.isInTransaction() ? em.getTransactionContext() : undefined;
  const connection = em.getConnection();
  const database = /sqlite/i.test(connection.constructor.name) ? 'sqlite' : 'postgresql';
  return {
    database,
    refusal: refusalOf(transaction),
    lend: async () => {
      const handle = database === 'sqlite' ? await connection.getNativeClient?.() : undefined;
      return {
        transaction: transaction as Transaction,
        connection,
        isOpen: () => !hasEnded(transaction) && propertyOf(handle, 'inTransaction') !== false,
      };
    },
    onCommit: (listener) => commitsOf(em.getEventManager()).expect(listener),
  };
}

function refusalOf(transaction: unknown): string | null {
  if (hasMethods(transaction, 'executeQuery') && !hasEnded(transaction)) return null;
  return 'within(em) needs an entity manager with an open transaction: call it inside em.transactional(…) or after em.begin()';
}

/**
 * Returns true if the transaction has ended. The entity manager of `em.transactional(…)` keeps a reference to its
 * transaction forever, so the state is read from Kysely's transaction.
 */
function hasEnded(transaction: unknown) {
  return propertyOf(transaction, 'isCommitted') === true || propertyOf(transaction, 'isRolledBack') === true;
}

/**
 * Returns an object that reports the commits of an entity manager. A redundant report is harmless, because it only
 * makes a dispatcher check an empty queue.
 */
const commitsOf = cacheByKey((events: EventManager) => {
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
