import { setTimeout } from 'node:timers/promises';
import type { Transaction } from '../sql/connection.ts';
import type { Dialect } from '../sql/dialect.ts';

/** The transaction of a host, as statements are run in it. */
export interface Lent {
  /** The same object for the same connection: those who use it at once find each other by it. */
  readonly transaction: Transaction;
  /** Stays the same as long as it leads to the same database. */
  readonly connection: object;
  /** Whether the transaction is open, where the driver knows; where it does not, the database is asked. */
  readonly isOpen: (() => boolean) | null;
  /** True: the library itself refuses statements outside the transaction and after its end, so nobody asks the database. */
  readonly refusesAfterEnd?: true;
}

/** A handle of a host, with which it lends the transaction that it has begun. */
export interface Lender {
  readonly database: Dialect['kind'];
  /** Why it lends none now, as far as the handle shows; null = it lends one. */
  readonly refusal: string | null;
  lend(): Promise<Lent>;
  /** Calls the listener after the commit of the transaction; null: its end is watched, where the driver knows of it. */
  readonly onCommit: ((listener: () => void) => void) | null;
}

/** Recognises the handles of one library; undefined: it is none. */
export type Recognise = (handle: unknown) => Lender | undefined;

/** Whether a value has these methods. */
export function hasMethods(value: unknown, ...names: readonly string[]): value is object {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return false;
  return names.every((name) => typeof Reflect.get(value, name) === 'function');
}

/** The property of an object, or undefined of anything else. */
export function propertyOf(value: unknown, name: string): unknown {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return undefined;
  return Reflect.get(value, name);
}

/** A value per key, made once and kept as long as the key is. */
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
/** By then the dispatcher's own looks have found what was committed. */
const LAST_LOOK_MS = 60_000;

/**
 * Resolves once the transaction has ended, committed or rolled back; true if it has. The driver tells nobody of it, so its
 * state is looked at, ever less often. `waitMs` is how long a caller waits for it; without, nobody does, and it keeps no process
 * alive.
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
