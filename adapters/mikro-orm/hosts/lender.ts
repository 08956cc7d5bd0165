import { setTimeout } from 'node:timers/promises';
import type { Transaction } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';

export interface Lent {
  /** The transaction. It is the same object for the same connection, so that concurrent calls share the transaction. */
  readonly transaction: Transaction;
  /** The connection. The object stays the same as long as the connection leads to the same database. */
  readonly connection: object;
  /**
   * Returns true if the transaction is open. Null if the driver cannot report this, so the database must be queried.
   */
  readonly isOpen: (() => boolean) | null;
  /** True if the library itself rejects statements outside the transaction, so the database is not queried. */
  readonly refusesAfterEnd?: true;
}

/** A host's handle that lends its transaction. */
export interface Lender {
  readonly database: Dialect['kind'];
  /** Reason why the handle cannot lend a transaction now; null if it can. */
  readonly refusal: string | null;
  lend(): Promise<Lent>;
  /** Calls the listener after the commit. Null if the library has no such event. */
  readonly onCommit: ((listener: () => void) => void) | null;
}

/** Recognizes the handles of one library; returns undefined for others. */
export type Recognise = (handle: unknown) => Lender | undefined;

export function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

export function propertyOf(value: unknown, name: string): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined;
  return Reflect.get(value, name);
}

/** Caches one value per key for as long as the key exists. */
export function kept<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>();
  return (key) => {
    const known = values.get(key);
    if (known !== undefined) return known;
    const made = make(key);
    values.set(key, made);
    return made;
  };
}

const FIRST_LOOK_MS = 1;
const LONGEST_PAUSE_MS = 250;
/** Milliseconds after which the dispatchers' own polls have found the committed entries. */
const LAST_LOOK_MS = 60_000;

/**
 * Polls at growing intervals until the transaction has ended, because the driver has no event for the end. Returns
 * true once the transaction has ended. `waitMs` is the longest wait of a caller. Without `waitMs`, polling does not
 * keep the process alive.
 */
export async function endOf(isOpen: () => boolean, waitMs?: number): Promise<boolean> {
  const longestMs = waitMs ?? LAST_LOOK_MS;
  const lastAt = performance.now() + longestMs;
  for (let pauseMs = FIRST_LOOK_MS; isOpen(); pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    if (performance.now() >= lastAt) return false;
    await setTimeout(pauseMs, undefined, { ref: waitMs !== undefined });
  }
  return true;
}
