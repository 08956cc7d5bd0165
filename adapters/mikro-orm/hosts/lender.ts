import { setTimeout } from 'node:timers/promises';
import type { Transaction } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';

export interface Lent {
  /**
   * The transaction. The same connection always has the same object, so that concurrent calls share the transaction.
   */
  readonly transaction: Transaction;
  /** The connection. The object does not change as long as the connection leads to the same database. */
  readonly connection: object;
  /**
   * Returns true if the transaction is open. The function is null if the driver cannot report this state. In that case,
   * the database must be queried.
   */
  readonly isOpen: (() => boolean) | null;
  /**
   * True if the library itself rejects statements after the end of the transaction. In that case, the database does not
   * need to be queried.
   */
  readonly refusesAfterEnd?: true;
}

/** A host's handle with a transaction that the engine can join. */
export interface Lender {
  readonly database: Dialect['kind'];
  /** The reason why the engine cannot join the transaction now, or null if it can. */
  readonly refusal: string | null;
  lend(): Promise<Lent>;
  /** Calls the listener after the commit. The function is null if the library does not report commits. */
  readonly onCommit: ((listener: () => void) => void) | null;
}

/** Recognizes the handles of one library. Returns undefined for any other handle. */
export type Recognise = (handle: unknown) => Lender | undefined;

export function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

export function propertyOf(value: unknown, name: string): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined;
  return Reflect.get(value, name);
}

/** Caches one value per key for as long as the key object exists. */
export function cacheByKey<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
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
/** Milliseconds after which the dispatchers' own polling has certainly found the committed entries. */
const LAST_LOOK_MS = 60_000;

/**
 * Waits until the transaction has ended and then returns true. Checks the transaction at increasing intervals, because
 * the driver does not report its end. `waitMs` is the maximum wait of a caller. Without `waitMs`, the checks do not
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
