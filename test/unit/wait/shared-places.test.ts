import { expect } from 'chai';
import { SharedPlaces } from '../../../lib/runtime/wait/shared-calls.ts';
import { FairTurns } from '../../../lib/runtime/wait/turns.ts';

describe('SharedPlaces', () => {
  it('limits each owner to its share, and gives each place to one owner', () => {
    const places = new SharedPlaces({ all: 5, each: 2 });
    const taken = ['a', 'a', 'a', 'b', 'b', 'c', 'd'].map((owner) => places.take(owner));
    expect(taken).to.eql([true, true, false, true, true, true, false]);
    places.leave('a');
    expect([places.take('d'), places.take('a')]).to.eql([true, false]);
    for (const owner of ['a', 'b', 'b', 'c', 'd']) places.leave(owner);
    expect([places.take('a'), places.take('a'), places.take('a')]).to.eql([true, true, false]);
  });
});

describe('FairTurns', () => {
  it('serves the owners in turn, regardless of their queue lengths', async () => {
    const turns = new FairTurns(1);
    const order: string[] = [];
    const work = (owner: string) => turns.run(owner, 1, async () => void order.push(owner));
    await Promise.all(['a', 'a', 'a', 'a', 'b', 'c', 'b'].map(work));
    expect(order.join('')).to.equal('aabcaba');
  });

  it('runs as much work as fits in parallel, and oversized work alone', async () => {
    const turns = new FairTurns(10);
    const running: number[] = [];
    const seen: string[] = [];
    const work = (size: number) =>
      turns.run('a', size, async () => {
        running.push(size);
        seen.push(running.join('+'));
        await new Promise((resolve) => setImmediate(resolve));
        running.splice(running.indexOf(size), 1);
      });
    await Promise.all([4, 6, 25, 3, 3].map(work));
    expect(seen).to.eql(['4', '4+6', '25', '3', '3+3']);
  });

  it('continues after failed work', async () => {
    const turns = new FairTurns(2);
    let [running, most] = [0, 0];
    const work = async (index: number): Promise<void> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (index % 2 === 0) throw new Error('failed');
    };
    const ends = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) => turns.run('a', 1, () => work(index))),
    );
    expect(ends.map(({ status }) => status).filter((status) => status === 'rejected')).to.have.length(5);
    expect([running, most]).to.eql([0, 2]);
  });
});
