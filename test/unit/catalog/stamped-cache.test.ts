import { expect } from 'chai';
import { StampedCache } from '../../../lib/catalog/cache/stamped-cache.ts';

describe('cache of stamped values', () => {
  const load = (value: string) => async (): Promise<string> => value;

  it('loads a value once per stamp, even for concurrent calls', async () => {
    const cache = new StampedCache<string, string>({ maxEntries: 2 });
    let loads = 0;
    const count = async (): Promise<string> => {
      loads += 1;
      return 'v';
    };
    await Promise.all([cache.get('a', 1, count), cache.get('a', 1, count)]);
    await cache.get('a', 1, count);
    expect(loads).to.equal(1);
    await cache.get('a', 2, count);
    expect(loads).to.equal(2);
    expect(cache.peek('a', 1)).to.equal(undefined);
  });

  it('evicts the least recently used values above its size limit', async () => {
    const cache = new StampedCache<string, string>({ maxEntries: 2 });
    for (const key of ['a', 'b', 'a', 'c']) await cache.get(key, 1, load(key));
    expect(['a', 'b', 'c'].map((key) => cache.peek(key, 1) !== undefined)).to.eql([true, false, true]);
  });

  it('evicts values above its weight limit, but always keeps the value in use', async () => {
    const cache = new StampedCache<string, string>({ maxEntries: 9, maxWeight: 10 });
    const isKept = (): readonly boolean[] => ['a', 'b', 'c'].map((key) => cache.peek(key, 1) !== undefined);
    for (const key of ['a', 'b']) {
      await cache.get(key, 1, load(key));
      cache.weigh(key, 1, 5);
    }
    expect(isKept()).to.eql([true, true, false]);
    await cache.get('c', 1, load('c'));
    cache.weigh('c', 1, 1);
    expect(isKept()).to.eql([false, true, true]);
    cache.weigh('c', 1, 50);
    expect(isKept()).to.eql([false, false, true]);
    cache.weigh('c', 2, 99);
    cache.weigh('b', 1, 99);
    expect(isKept()).to.eql([false, false, true]);
  });

  it('does not keep a value that failed to load', async () => {
    const cache = new StampedCache<string, string>({ maxEntries: 2 });
    const failing = cache.get('a', 1, () => Promise.reject(new Error('no')));
    expect(await failing.catch((error: Error) => error.message)).to.equal('no');
    expect(await cache.get('a', 1, load('yes'))).to.equal('yes');
  });
});
