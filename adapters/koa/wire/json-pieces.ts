import { setImmediate } from 'node:timers/promises';
import { Decimal, stringifyExactJson } from '../../../lib/values/money/index.ts';

/** Number of characters per piece. Writing a piece takes a few milliseconds. */
const PIECE_CHARACTERS = 65_536;

/** Milliseconds after which other requests can run, even if the current piece is still short. */
const TURN_MS = 10;

/** Minimum length of lists that are written element by element, to save memory. */
export const LONG_LIST = 100;

/** Preserialized JSON. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isList(): boolean {
    return this.text.startsWith('[');
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** A list that creates its elements again on each iteration. */
export class LazyList<T> implements Iterable<T> {
  readonly #make: () => Iterable<T>;

  constructor(make: () => Iterable<T>) {
    this.#make = make;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#make()[Symbol.iterator]();
  }

  toJSON(): readonly T[] {
    return [...this];
  }
}

export function lazyList<T, J>(elements: Iterable<T>, show: (element: T) => J): LazyList<J> {
  return new LazyList(function* () {
    for (const element of elements) yield show(element);
  });
}

/** Returns true for a value that contains a long or lazy list. Such values are streamed. */
export function isLong(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || value instanceof Decimal) return false;
  if (value instanceof LazyList) return true;
  if (Array.isArray(value)) return value.length > LONG_LIST || value.some(isLong);
  for (const key in value) if (isLong((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** Yields the text that `stringifyExactJson` would return, in small parts. */
export function* jsonBits(value: unknown): Generator<string, undefined> {
  if (value instanceof JsonText) yield value.text;
  else if (!isLong(value)) yield stringifyExactJson(value);
  else if (isList(value)) yield* listBits(value);
  else yield* objectBits(value as object);
}

function* listBits(list: Iterable<unknown>): Generator<string, undefined> {
  let separator = '[';
  for (const element of list) {
    yield separator;
    separator = ',';
    yield* jsonBits(element === undefined ? null : element);
  }
  yield separator === '[' ? '[]' : ']';
}

function* objectBits(object: object): Generator<string, undefined> {
  let separator = '{';
  for (const [name, member] of Object.entries(object)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    yield* jsonBits(member);
  }
  yield separator === '{' ? '{}' : '}';
}

export function isList(value: unknown): value is Iterable<unknown> {
  return Array.isArray(value) || value instanceof LazyList;
}

/** Yields the text of a list that is read in several windows. */
export async function* windowBits(
  windows: AsyncIterable<Iterable<unknown>>,
): AsyncGenerator<Iterable<string>, undefined> {
  let separator = '[';
  for await (const window of windows) {
    for (const element of window) {
      yield [separator];
      separator = ',';
      yield jsonBits(element);
    }
  }
  yield [separator === '[' ? '[]' : ']'];
}

/**
 * Joins small parts into larger pieces. Other requests can run between two pieces.
 * @param wanted Signal that aborts when the caller disconnects.
 */
export async function* piecesOf(
  bits: AsyncIterable<Iterable<string>> | Iterable<Iterable<string>>,
  wanted?: AbortSignal,
): AsyncGenerator<string, undefined> {
  let piece = '';
  let began = performance.now();
  for await (const some of bits) {
    for (const bit of some) {
      piece += bit;
      const isFull = piece.length >= PIECE_CHARACTERS;
      if (!isFull && performance.now() - began < TURN_MS) continue;
      if (isFull) {
        yield piece;
        piece = '';
      }
      await setImmediate();
      wanted?.throwIfAborted();
      began = performance.now();
    }
  }
  if (piece !== '') yield piece;
}

/** Returns a string if there is only one piece, and a stream otherwise. */
export async function textOrPieces(pieces: AsyncGenerator<string>): Promise<string | AsyncIterable<string>> {
  const first = await pieces.next();
  if (first.done) return '';
  const second = await pieces.next();
  if (second.done) return first.value;
  return resumePieces([first.value, second.value], pieces);
}

/** Returns an iterator that closes its source even if iteration never starts. A generator would not do this. */
function resumePieces(begun: readonly string[], rest: AsyncGenerator<string>): AsyncIterable<string> {
  const waiting = [...begun];
  const iterator: AsyncIterator<string> = {
    next: async () => {
      const value = waiting.shift();
      return value === undefined ? rest.next() : { done: false, value };
    },
    return: async () => {
      waiting.length = 0;
      return rest.return(undefined);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

export async function wholeText(pieces: AsyncIterable<string>): Promise<string> {
  const all: string[] = [];
  for await (const piece of pieces) all.push(piece);
  return all.join('');
}
