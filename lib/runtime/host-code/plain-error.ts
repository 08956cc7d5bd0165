import { GatewayError, RetryLater, retryLaterOf } from '../../ports/index.ts';
import {
  BillingError,
  type BillingErrorInput,
  ErrorCode,
  InvariantError,
  MalformedAnswer,
  type Problem,
} from '../../values/errors/index.ts';

/** Maximum length of a host error's text. */
const MAX_PLAIN_ERROR_CHARACTERS = 10_000;

/** Maximum number of causes. */
const MAX_PLAIN_CAUSES = 8;

/** Maximum number of copied members, and of copied elements per list. */
const MAX_PLAIN_FACTS = 50;

const NO_TEXT = 'an error without a message';

/**
 * Returns a safe copy of a host's error, which may be a proxy, have throwing getters, or not be an error. Keeps the
 * class, name, message, stack, causes and simple members, the code and facts of a `BillingError`, and the delay of a
 * `RetryLater`. Never throws.
 */
export function plainError(thrown: unknown): Error {
  return plain(thrown, MAX_PLAIN_CAUSES);
}

/** Returns the result of `instanceof`, or false for a proxy that throws. */
export function isInstance<T>(value: unknown, type: abstract new (...given: never[]) => T): value is T {
  return read(() => value instanceof type) === true;
}

function plain(thrown: unknown, causesLeft: number): Error {
  if (!isInstance(thrown, Error)) return new Error(textOf(thrown));
  const cause = memberOf(thrown, 'cause');
  const isCopied = cause !== undefined && causesLeft > 0;
  const copy = copyOf(thrown, isCopied ? plain(cause, causesLeft - 1) : undefined);
  const name = memberOf(thrown, 'name');
  if (typeof name === 'string' && name !== copy.name) setHidden(copy, 'name', cut(name));
  const stack = memberOf(thrown, 'stack');
  if (typeof stack === 'string') setHidden(copy, 'stack', cut(stack));
  const own = copy as Error & Record<string, unknown>;
  for (const [member, value] of simpleMembersOf(thrown)) if (!(member in copy)) own[member] = value;
  return copy;
}

function copyOf(thrown: Error, cause: Error | undefined): Error {
  const text = memberOf(thrown, 'message');
  const message = typeof text === 'string' ? cut(text) : textOf(text);
  if (isInstance(thrown, BillingError)) return new BillingError({ ...factsOf(thrown), message, cause });
  if (isInstance(thrown, InvariantError))
    return withCause(new InvariantError(message, simpleFactsOf(thrown)), cause);
  if (isInstance(thrown, RetryLater)) {
    const delayMs = read(() => retryLaterOf(thrown)?.delayMs);
    return withCause(new RetryLater(typeof delayMs === 'number' ? delayMs : 0, message), cause);
  }
  const options = cause === undefined ? undefined : { cause };
  if (isInstance(thrown, GatewayError)) return new GatewayError(message, options);
  if (isInstance(thrown, MalformedAnswer)) return new MalformedAnswer(message, options);
  return new Error(message, options);
}

function factsOf(thrown: BillingError): Omit<BillingErrorInput, 'message' | 'cause'> {
  const code = memberOf(thrown, 'code');
  const problems = read(() => thrown.problems?.map(plainProblem));
  return {
    code: (Object.values<unknown>(ErrorCode).includes(code) ? code : ErrorCode.UNEXPECTED) as ErrorCode,
    facts: simpleFactsOf(thrown),
    ...(problems === undefined ? {} : { problems }),
  };
}

function plainProblem({ message, line, column, path }: Problem): Problem {
  return {
    message: cut(String(message)),
    ...(typeof line === 'number' && { line }),
    ...(typeof column === 'number' && { column }),
    ...(typeof path === 'string' && { path: cut(path) }),
  };
}

function simpleFactsOf(thrown: Error): Readonly<Record<string, unknown>> {
  const facts = memberOf(thrown, 'facts');
  return typeof facts === 'object' && facts !== null ? Object.fromEntries(simpleMembersOf(facts)) : {};
}

/** Returns the object's own members that are simple values or lists of simple values. Does not call getters. */
function simpleMembersOf(object: object): readonly (readonly [name: string, value: unknown])[] {
  const found = read(() =>
    Object.entries(Object.getOwnPropertyDescriptors(object))
      .filter(([, { enumerable }]) => enumerable === true)
      .slice(0, MAX_PLAIN_FACTS)
      .flatMap(([name, { value }]) => {
        const simple = simpleOf(value);
        return simple === undefined ? [] : [[name, simple] as const];
      }),
  );
  return found ?? [];
}

function simpleOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_PLAIN_FACTS).flatMap((each) => simpleOf(each) ?? []);
  if (typeof value === 'string') return cut(value);
  return value === null || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

function memberOf(thrown: Error, name: 'name' | 'message' | 'stack' | 'cause' | 'code' | 'facts'): unknown {
  return read((): unknown => Reflect.get(thrown, name));
}

function withCause<E extends Error>(error: E, cause: Error | undefined): E {
  if (cause !== undefined) setHidden(error, 'cause', cause);
  return error;
}

/** Sets a member that is not enumerable, so that logs do not show it twice. */
function setHidden(error: Error, name: 'name' | 'stack' | 'cause', value: unknown): void {
  Object.defineProperty(error, name, { value, configurable: true, writable: true });
}

/** Returns the text of a thrown value that is not an Error. */
function textOf(value: unknown): string {
  if (value === undefined || value === null || typeof value === 'function') return NO_TEXT;
  const text = read(() => String(value));
  return typeof text === 'string' ? cut(text) : NO_TEXT;
}

function cut(text: string): string {
  return text.slice(0, MAX_PLAIN_ERROR_CHARACTERS);
}

/** Returns the result of a read, or undefined if it throws. */
function read<T>(reading: () => T): T | undefined {
  try {
    return reading();
  } catch {
    return undefined;
  }
}
