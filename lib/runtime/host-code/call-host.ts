import { plainError } from './plain-error.ts';

/** Members of a plugin's answer among which promises are looked for. */
const MAX_SEARCHED_MEMBERS = 200;

/**
 * Runs host code. Whatever it throws, and whatever the promise that it answers is rejected with, leaves as a plain error
 * (`plainError`). A thenable becomes a promise.
 */
export function callHost<T>(call: () => T): T {
  try {
    const answer = call();
    const then = thenOf(answer);
    if (then !== null) return adopted(answer, then) as T;
    awaitMembers(answer);
    return answer;
  } catch (thrown) {
    throw plainError(thrown);
  }
}

/** Runs host code whose answer nobody waits for: `failed` is told what it throws, or its promise is rejected with. */
export function tellHost(call: () => unknown, failed: (error: Error) => void = () => undefined): void {
  try {
    const told = callHost(call);
    if (told instanceof Promise) told.catch(failed);
  } catch (error) {
    failed(plainError(error));
  }
}

/** Waits for an answer of host code. A throw, and a rejection, leave as a plain error. */
export async function hostAnswer<T>(call: () => Promise<T> | T): Promise<T> {
  try {
    const answer = await call();
    awaitMembers(answer);
    return answer;
  } catch (thrown) {
    throw plainError(thrown);
  }
}

type Then = (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => unknown;

/** Read once: a getter may answer otherwise the second time. */
function thenOf(answer: unknown): Then | null {
  if ((typeof answer !== 'object' && typeof answer !== 'function') || answer === null) return null;
  const then: unknown = Reflect.get(answer, 'then');
  return typeof then === 'function' ? (then as Then) : null;
}

function adopted(answer: unknown, then: Then): Promise<unknown> {
  const promise = new Promise((resolve, reject) => {
    Reflect.apply(then, answer, [resolve, reject]);
  }).then(
    (resolved) => {
      awaitMembers(resolved);
      return resolved;
    },
    (thrown: unknown) => {
      throw plainError(thrown);
    },
  );
  // Where the port allows no promise nobody awaits this one, and its rejection would end a Node process.
  promise.catch(() => undefined);
  return promise;
}

/**
 * A plugin that forgets an `await` leaves a promise in its answer. The answer is refused then, and nobody would handle the
 * promise's rejection, which ends a Node process.
 */
function awaitMembers(answer: unknown): void {
  let left = MAX_SEARCHED_MEMBERS;
  const search = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || left <= 0) return;
    left -= 1;
    if (value instanceof Promise) value.catch(() => undefined);
    else if (depth > 0)
      for (const name of namesOf(value, left))
        search(Object.getOwnPropertyDescriptor(value, name)?.value, depth - 1);
  };
  try {
    search(answer, SEARCHED_DEPTH);
  } catch {
    // A proxy that does not want to be looked at has no members that could be found.
  }
}

/** Returns the names of the members to search. Bytes have none: a file of some megabytes would take seconds. */
function namesOf(value: object, most: number): readonly string[] {
  if (ArrayBuffer.isView(value)) return [];
  if (!Array.isArray(value)) return Object.getOwnPropertyNames(value);
  return Array.from({ length: Math.min(value.length, most) }, (_, index) => String(index));
}

const SEARCHED_DEPTH = 3;
