import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { allEnded } from '../../../lib/runtime/wait/bounded-waits.ts';

describe('concurrent work', () => {
  const ended: string[] = [];
  const work = async (name: string, { turns, fails = false }: { turns: number; fails?: boolean }) => {
    for (let left = turns; left > 0; left -= 1) await Promise.resolve();
    ended.push(name);
    if (fails) throw new Error(name);
    return name;
  };
  beforeEach(() => {
    ended.length = 0;
  });

  it('returns each result', async () => {
    const [a, b] = await allEnded([work('a', { turns: 3 }), work('b', { turns: 1 })]);
    expect([a, b]).to.eql(['a', 'b']);
  });

  it('leaves no failure unhandled while other work continues', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => {
      unhandled.push(reason);
    };
    process.on('unhandledRejection', note);
    try {
      const long = setTimeout(20);
      const failure = await allEnded([work('soon', { turns: 1, fails: true }), long]).catch(
        (error: unknown) => error,
      );
      expect(failure).to.be.an('error').with.property('message', 'soon');
    } finally {
      process.off('unhandledRejection', note);
    }
    expect(unhandled).to.eql([]);
  });

  it('fails with the earliest failure, after all work has ended', async () => {
    const failure = await allEnded([
      work('late', { turns: 5, fails: true }),
      work('first', { turns: 1, fails: true }),
      work('last', { turns: 9 }),
    ]).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'first');
    expect(ended).to.eql(['first', 'late', 'last']);
  });
});
