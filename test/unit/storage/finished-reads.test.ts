import { EventEmitter } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { FinishedReads } from '../../../adapters/mikro-orm/postgresql/finished-reads.ts';
import { expect } from '../../support/unit.ts';

describe('finished reads', () => {
  let reads: FinishedReads<EventEmitter>;
  let ended: EventEmitter[];
  const keep = () => {
    const client = new EventEmitter();
    reads.keep(client, () => ended.push(client));
    return client;
  };
  beforeEach(() => {
    reads = new FinishedReads();
    ended = [];
  });

  it('lend their connections to the next transactions, starting with the latest read', async () => {
    const [first, second] = [keep(), keep()];
    expect([reads.take(), reads.take(), reads.take()]).to.eql([second, first, undefined]);
    await setTimeout(50);
    expect(ended).to.eql([]);
  });

  it('end if no transaction takes their connection', async () => {
    const client = keep();
    while (ended.length === 0) await setTimeout(1);
    expect(ended).to.eql([client]);
    expect(reads.take()).to.equal(undefined);
    expect(client.listenerCount('error')).to.equal(0);
  });

  it('end immediately if their connection is lost', () => {
    const [lost, other] = [keep(), keep()];
    lost.emit('error', new Error('lost'));
    expect(ended).to.eql([lost]);
    expect([reads.take(), reads.take()]).to.eql([other, undefined]);
  });
});
