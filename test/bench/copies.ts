/** Numbers copies of numbered records: after `last`, the copies of one record follow those of the previous one. */
export class Span {
  /** The highest number after all copies. */
  readonly end: number;
  readonly #last: number;
  readonly #copies: number;
  readonly #places: ReadonlyMap<number, number>;

  constructor(last: number, originals: readonly number[], copies: number) {
    this.#last = last;
    this.#copies = copies;
    this.#places = new Map(originals.map((original, index) => [original, index]));
    this.end = last + originals.length * copies;
  }

  /** Returns the number of a copy, counted from 1. Records that are not copied keep their number. */
  of(original: number, copy: number): number {
    const place = this.#places.get(original);
    return place === undefined ? original : this.#last + place * this.#copies + copy;
  }
}

/** Odd, so that no two copies get the same product modulo 2^48. */
const spread = 0x9e37_79b9_7f4bn;
const lowBits = 48;
const lowRange = 2 ** lowBits;
const lowDigits = lowBits / 4;
const offsets: number[] = [];

/**
 * Returns ids for copies of the record: same UUIDv7 time, different random part, so that copies stay together in an
 * index.
 */
export function v7Copies(id: string): (copy: number) => string {
  const head = id.slice(0, -lowDigits);
  const low = Number.parseInt(id.slice(-lowDigits), 16);
  return (copy) => {
    offsets[copy] ??= Number(BigInt.asUintN(lowBits, BigInt(copy) * spread));
    return head + ((low + offsets[copy]) % lowRange).toString(16).padStart(lowDigits, '0');
  };
}

export interface Replacement {
  /** Must have the flag `g`. */
  readonly pattern: RegExp;
  copyOf(found: string): (copy: number) => string;
}

/** Returns a function that builds copies of a text, which is split only once. */
export function textCopies(text: string, replacements: readonly Replacement[]): (copy: number) => string {
  const found = replacements
    .flatMap(({ pattern, copyOf }) =>
      [...text.matchAll(pattern)].map(({ 0: match, index }) => ({
        from: index,
        to: index + match.length,
        make: copyOf(match),
      })),
    )
    .sort((first, second) => first.from - second.from);
  if (found.length === 0) return () => text;
  const heads = found.map(({ from }, index) => text.slice(found[index - 1]?.to ?? 0, from));
  const tail = text.slice(found.at(-1)?.to);
  return (copy) => found.map(({ make }, index) => (heads[index] ?? '') + make(copy)).join('') + tail;
}
