import { expect } from 'chai';
import { parseUuid, type Uuid } from '../../../lib/ids/index.ts';
import { MAX_SHARED_READS } from '../../../lib/limits.ts';
import { SharedReads } from '../../../lib/wait/shared-reads.ts';
import { pushableSystemClock } from '../../support/system-time.ts';

const idOf = (index: number): Uuid =>
  parseUuid(`00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`);

describe('reads that are shared by the calls of one turn', () => {
  let asked: (readonly Uuid[])[];
  let reads: SharedReads<string>;

  const load = async (ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, string>> => {
    asked.push(ids);
    return new Map(ids.map((id) => [id, `record ${id}`]));
  };

  beforeEach(() => {
    asked = [];
    reads = new SharedReads(pushableSystemClock());
  });

  it('reads once for all calls of a turn, each id once, and again for the next turn', async () => {
    const ids = [idOf(1), idOf(2), idOf(1)];
    const found = await Promise.all(ids.map((id) => reads.get('tenant', id, load)));
    expect(found).to.deep.equal(ids.map((id) => `record ${id}`));
    expect(asked).to.deep.equal([[idOf(1), idOf(2)]]);
    await reads.get('tenant', idOf(1), load);
    expect(asked).to.deep.equal([[idOf(1), idOf(2)], [idOf(1)]]);
  });

  it('begins the read after every call that it serves', async () => {
    const first = reads.get('tenant', idOf(1), load);
    await Promise.resolve();
    expect(asked).to.deep.equal([]);
    const second = reads.get('tenant', idOf(2), load);
    await Promise.all([first, second]);
    expect(asked).to.deep.equal([[idOf(1), idOf(2)]]);
  });

  it('serves calls that are not alike by reads of their own', async () => {
    await Promise.all([reads.get('one', idOf(1), load), reads.get('other', idOf(1), load)]);
    expect(asked).to.deep.equal([[idOf(1)], [idOf(1)]]);
  });

  it('gives undefined for what there is not', async () => {
    const none = async () => new Map<Uuid, string>();
    expect(await reads.get('tenant', idOf(1), none)).to.equal(undefined);
  });

  it('bounds the ids of one read', async () => {
    const ids = Array.from({ length: MAX_SHARED_READS + 1 }, (_, index) => idOf(index));
    await Promise.all(ids.map((id) => reads.get('tenant', id, load)));
    expect(asked.map((each) => each.length)).to.deep.equal([MAX_SHARED_READS, 1]);
  });

  it('fails only the call whose own record cannot be read', async () => {
    const failing = async (ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, string>> => {
      if (ids.includes(idOf(2))) throw new Error('unreadable');
      return load(ids);
    };
    const [first, second] = await Promise.allSettled(
      [idOf(1), idOf(2)].map((id) => reads.get('tenant', id, failing)),
    );
    expect(first).to.deep.equal({ status: 'fulfilled', value: `record ${idOf(1)}` });
    expect(second?.status).to.equal('rejected');
  });

  it('makes a read that fails for one call alone no second time', async () => {
    let attempts = 0;
    const failing = async (): Promise<ReadonlyMap<Uuid, string>> => {
      attempts += 1;
      throw new Error('no database');
    };
    const [result] = await Promise.allSettled([reads.get('tenant', idOf(1), failing)]);
    expect([result?.status, attempts]).to.deep.equal(['rejected', 1]);
  });
});
