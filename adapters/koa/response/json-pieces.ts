import { setImmediate } from 'node:timers/promises';
import { stringifyExactJson } from '../../../lib/money/index.ts';

/** Elements that are written at a time: some 100 KiB, about a millisecond of work. */
const elementsPerPiece = 100;

/** Whether a list is long enough to be written in pieces. */
export function isLong(list: readonly unknown[]): boolean {
  return list.length > elementsPerPiece;
}

/**
 * The JSON text of a list, made as fast as it is read: it is never there as a whole, and other requests have their turn in
 * between.
 */
export async function* jsonListPieces(list: readonly unknown[]): AsyncGenerator<string> {
  for (let from = 0; from < list.length; from += elementsPerPiece) {
    const texts = list.slice(from, from + elementsPerPiece).map((element) => stringifyExactJson(element));
    yield (from === 0 ? '[' : ',') + texts.join(',');
    await setImmediate();
  }
  yield ']';
}
