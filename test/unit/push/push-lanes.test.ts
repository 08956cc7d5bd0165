import { Lanes, type Ordered } from '../../../lib/push/tenant-stream.ts';
import { expect, fc } from '../../support/property.ts';

const first = (recordId: number, accountRecordId: number | null): Ordered => ({
  recordId,
  accountRecordId,
  dueOrder: 0,
});
const retry = (recordId: number, accountRecordId: number): Ordered => ({
  recordId,
  accountRecordId,
  dueOrder: 1_000,
});
const idsOf = (some: readonly Ordered[]): readonly number[] => some.map(({ recordId }) => recordId);

describe('push lanes (platform §10.2 rule 6)', () => {
  it('start the first push of each account, and the next push only when the previous push has ended', () => {
    const lanes = new Lanes();
    lanes.add([first(1, 7), first(2, 7), first(3, 8), first(4, null), first(5, null)]);
    expect(idsOf(lanes.start(10))).to.eql([1, 3, 4]);
    expect(idsOf(lanes.start(10))).to.eql([]);
    lanes.end([1, 4]);
    expect(idsOf(lanes.start(10))).to.eql([2, 5]);
    lanes.end([3, 2, 5]);
    expect([lanes.underWay, lanes.startable, lanes.held]).to.eql([0, 0, []]);
  });

  it('start first attempts and retries of the same account together', () => {
    const lanes = new Lanes();
    lanes.add([retry(1, 7), retry(2, 7), first(3, 7)]);
    expect(idsOf(lanes.start(10)).toSorted()).to.eql([1, 2, 3]);
  });

  it('store each push once, and list the accounts with at least a given number of pushes', () => {
    const lanes = new Lanes();
    lanes.add([first(1, 7), first(2, 7), first(3, 8)]);
    lanes.add([first(2, 7), first(3, 8)]);
    expect(lanes.held).to.eql([1, 2, 3]);
    expect(lanes.lanesWith(2)).to.eql([7]);
    expect([lanes.startable, idsOf(lanes.start(1)), lanes.startable]).to.eql([2, [1], 1]);
  });

  it('deliver all pushes of an account in order and one at a time, regardless of their duration', () => {
    const some = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(some, fc.array(fc.nat(9)), fc.integer({ min: 1, max: 5 }), (accounts, picks, atOnce) => {
        const lanes = new Lanes<Ordered>();
        const all = accounts.map((account, index) => first(index + 1, account === 0 ? null : account));
        lanes.add(all);
        const started: Ordered[] = [];
        const underWay: Ordered[] = [];
        for (let step = 0; started.length < all.length || underWay.length > 0; step += 1) {
          const next = lanes.start(atOnce - underWay.length);
          started.push(...next);
          underWay.push(...next);
          const lanesUnderWay = underWay.map(({ accountRecordId }) => accountRecordId);
          expect(new Set(lanesUnderWay).size).to.equal(lanesUnderWay.length);
          const [ended] = underWay.splice((picks[step] ?? 0) % underWay.length, 1);
          if (ended !== undefined) lanes.end([ended.recordId]);
        }
        for (const lane of new Set(all.map(({ accountRecordId }) => accountRecordId)))
          expect(idsOf(started.filter(({ accountRecordId }) => accountRecordId === lane))).to.eql(
            idsOf(all.filter(({ accountRecordId }) => accountRecordId === lane)),
          );
      }),
    );
  });
});
