import {
  JsonText,
  jsonBits,
  LazyList,
  lazyList,
  piecesOf,
  textOrPieces,
  wholeText,
  windowBits,
} from '../../../adapters/koa/wire/json-pieces.ts';
import { decimal, expect, fc, forRuns, stringifyExactJson } from '../../support/property.ts';

const textOf = (value: unknown): string => [...jsonBits(value)].join('');

async function* inWindows<T>(...windows: readonly (readonly T[])[]): AsyncGenerator<readonly T[]> {
  yield* windows;
}

describe('chunked text of a long JSON value', () => {
  it('equals the text written in one step', () =>
    forRuns(200, [fc.jsonValue()], (value) => {
      const wrapped = { long: Array.from({ length: 101 }, () => value), other: value };
      expect(textOf(wrapped)).to.equal(stringifyExactJson(wrapped));
      expect(textOf(value)).to.equal(stringifyExactJson(value));
    }));

  it('preserves decimals, and omits undefined members', () => {
    const value = { amount: decimal('0.100'), none: undefined, list: lazyList([1, 2], (n) => ({ n })) };
    expect(textOf(value)).to.equal('{"amount":0.1,"list":[{"n":1},{"n":2}]}');
  });

  it('can contain an empty list and an empty object', () => {
    expect(textOf(lazyList([], String))).to.equal('[]');
    expect(textOf({ list: lazyList([], String) })).to.equal('{"list":[]}');
    expect(textOf({ none: undefined, list: undefined })).to.equal('{}');
  });

  it('is built from list elements that are generated on demand', () => {
    const made: number[] = [];
    const list = new LazyList(function* () {
      for (let n = 0; n < 3; n += 1) {
        made.push(n);
        yield new JsonText(String(n));
      }
    });
    const bits = jsonBits(list);
    expect(made).to.eql([]);
    bits.next();
    bits.next();
    expect(made).to.eql([0]);
    expect(JSON.stringify(list)).to.equal('[0,1,2]');
  });

  it('contains one list even if elements arrive in batches', async () => {
    expect(await wholeText(piecesOf(windowBits(inWindows([1, 2], [], [3]))))).to.equal('[1,2,3]');
    expect(await wholeText(piecesOf(windowBits(inWindows())))).to.equal('[]');
  });
});

describe('text chunk sequence', () => {
  /** Returns this many bits of 1,000 characters, and counters of the bits produced so far. */
  function counted(count: number) {
    const made = { bits: 0, inTurn: 0, mostInTurn: 0 };
    const bits = {
      *[Symbol.iterator]() {
        for (let left = count; left > 0; left -= 1) {
          made.bits += 1;
          made.inTurn += 1;
          made.mostInTurn = Math.max(made.mostInTurn, made.inTurn);
          yield 'x'.repeat(1_000);
        }
      },
    };
    return { made, bits };
  }

  it('is generated on demand, with a yield to other work after each chunk', async () => {
    const { made, bits } = counted(10_000);
    let turns = 0;
    const others = setInterval(() => undefined, 0);
    const everyTurn = (): void => {
      turns += 1;
      made.inTurn = 0;
      if (made.bits < 10_000) setImmediate(everyTurn);
    };
    setImmediate(everyTurn);
    let characters = 0;
    for await (const piece of piecesOf([bits])) characters += piece.length;
    clearInterval(others);
    expect(characters).to.equal(10_000_000);
    expect(turns).to.be.greaterThan(100);
    expect(made.mostInTurn).to.be.lessThan(140);
  });

  it('is not generated ahead of its reader', async () => {
    const { made, bits } = counted(10_000);
    const body = await textOrPieces(piecesOf([bits]));
    if (typeof body === 'string') throw new Error('A text this long comes in pieces');
    expect(made.bits).to.be.lessThan(140);
    const reader = body[Symbol.asyncIterator]();
    await reader.next();
    await reader.return?.();
    expect(made.bits).to.be.lessThan(210);
    expect((await reader.next()).done).to.equal(true);
  });

  it('has a single chunk for a short text', async () => {
    expect(await textOrPieces(piecesOf([['a'], ['b', 'c']]))).to.equal('abc');
    expect(await textOrPieces(piecesOf([]))).to.equal('');
  });
});
