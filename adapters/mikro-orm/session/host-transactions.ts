import type { EventManager } from '@mikro-orm/core';
import { BillingError, ErrorCode } from '../../../lib/values/errors/index.ts';
import type { Connection, Transaction } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';
import { Runner } from '../sql/runner.ts';
import { oneByOne } from '../sql/transactions.ts';
import { violationOf } from '../tables/violations.ts';

/** The parts of the host's entity manager that are used: it is inside a transaction that the host has begun. */
export interface HostEntityManager {
  isInTransaction(): boolean;
  // The type differs by driver; at run time it is Kysely's transaction.
  getTransactionContext(): unknown;
  getEventManager(): EventManager;
  getConnection(): object;
}

/** Where the storage keeps its tables. */
interface OwnDatabase {
  readonly connection: Connection;
  readonly hostDialect: Dialect;
}

const databaseNames = { sqlite: 'SQLite', postgresql: 'PostgreSQL' };

/** Finds the host's open transaction, if it is on our database, and signals its commit. */
export class HostTransactions {
  readonly #own: OwnDatabase;
  readonly #onCommit: () => void;
  readonly #watched = new WeakSet<EventManager>();
  /** Whether these connections lead to our database. */
  readonly #leadHere = new WeakMap<object, boolean>();
  #expected = 0;

  constructor(own: OwnDatabase, onCommit: () => void) {
    this.#own = own;
    this.#onCommit = onCommit;
  }

  /**
   * Checks what the host has handed in, as far as that is possible without asking the database.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) for anything but an entity manager with an open transaction.
   */
  check(host: unknown): asserts host is HostEntityManager {
    if (!isEntityManager(host)) {
      throw refused(
        `within(em) joins a transaction of MikroORM and takes its entity manager, as em.transactional(async (em) => …) gives it; it was given ${described(host)}`,
      );
    }
    if (!isTransaction(openTransactionOf(host))) {
      throw refused(
        'within(em) needs an entity manager with an open transaction: call it inside em.transactional(…) or after em.begin()',
      );
    }
  }

  /**
   * The transaction that the host has open now.
   * @throws BillingError MISSING_OR_INVALID_FIELD (60003) when there is none, and when it is one of another database.
   */
  async transactionOf(host: HostEntityManager): Promise<Transaction> {
    this.check(host);
    const transaction = openTransactionOf(host) as Transaction;
    const connection = host.getConnection();
    if (connection === this.#own.connection) return transaction;
    if (connection.constructor.name === this.#own.connection.constructor.name) {
      const leadsHere = this.#leadHere.get(connection) ?? (await this.#leadsHere(transaction));
      this.#leadHere.set(connection, leadsHere);
      if (leadsHere) return transaction;
    }
    const name = databaseNames[this.#own.hostDialect.kind];
    throw refused(
      `within(em) was given an entity manager of another database: the tables of the billing engine are in the ${name} database that its storage was opened with, and only a transaction of that one can hold its changes`,
    );
  }

  async #leadsHere(transaction: Transaction): Promise<boolean> {
    const theirs = await this.#identityIn(transaction);
    return theirs !== null && theirs === (await this.#identityIn(this.#own.connection.getClient()));
  }

  async #identityIn(transaction: Transaction): Promise<unknown> {
    const { hostDialect } = this.#own;
    const [row] = await new Runner({ dialect: hostDialect, violationOf }, oneByOne(transaction)).rows(
      hostDialect.identity,
    );
    return row?.identity ?? null;
  }

  /**
   * Calls the listener after the next commit of a whole transaction of this host. If several are open, it does not matter
   * which one: an extra call only makes somebody look at an empty queue.
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

function isEntityManager(value: unknown): value is HostEntityManager {
  if (typeof value !== 'object' || value === null) return false;
  const methods: readonly (keyof HostEntityManager)[] = [
    'isInTransaction',
    'getTransactionContext',
    'getEventManager',
    'getConnection',
  ];
  return methods.every((name) => name in value && typeof value[name as never] === 'function');
}

function openTransactionOf(host: HostEntityManager): unknown {
  return host.isInTransaction() ? host.getTransactionContext() : undefined;
}

function isTransaction(value: unknown): value is Transaction {
  return (
    typeof value === 'object' &&
    value !== null &&
    'executeQuery' in value &&
    typeof value.executeQuery === 'function'
  );
}

function described(value: unknown): string {
  if (value === null || typeof value !== 'object')
    return `a value of type ${value === null ? 'null' : typeof value}`;
  return `a ${value.constructor?.name ?? 'object without a class'}`;
}

function refused(message: string): BillingError {
  return new BillingError({
    code: ErrorCode.MISSING_OR_INVALID_FIELD,
    message,
    facts: { field: 'host' },
  });
}
