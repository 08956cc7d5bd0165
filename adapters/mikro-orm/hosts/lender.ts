import { setTimeout } from 'node:timers/promises';
import type { Transaction } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';

export interface Lent {
  /** The same object for the same connection, so that concurrent calls find each other. */
  readonly transaction: Transaction;
  /** The same object as long as it leads to the same database. */
  readonly connection: object;
  /** Whether the transaction is open; null if the driver does not know and the database must be queried. */
  readonly isOpen: (() => boolean) | null;
  /** True if the library itself rejects statements outside the transaction, so that the database is not queried. */
  readonly refusesAfterEnd?: true;
}

/** A host's handle, which lends its transaction. */
export interface Lender {
  readonly database: Dialect['kind'];
  /** Reason why the handle cannot lend a transaction now, if known; null if it can. */
  readonly refusal: string | null;
  lend(): Promise<Lent>;
  /** Calls the listener after the commit; null if the library has no such event. */
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

/** Caches a value per key, as long as the key exists. */
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
/** After this time, the dispatchers' own polls have found the committed entries. */
const LAST_LOOK_MS = 60_000;

/**
 * Polls, less and less often, until the transaction has ended, since the driver has no event for it. Returns true once
 * it has. `waitMs` is the longest wait of a caller; without it, the polling does not keep the process alive.
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
