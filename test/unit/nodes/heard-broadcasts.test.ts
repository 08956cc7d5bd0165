import { HeardBroadcasts } from '../../../lib/nodes/broadcasts.ts';
import type { Broadcast } from '../../../lib/records/index.ts';
import { newId } from '../../support/storage/stored-records.ts';
import { expect, instant } from '../../support/unit.ts';

const numbered = (...recordIds: readonly number[]): readonly Broadcast[] =>
  recordIds.map((recordId) => ({
    recordId,
    id: newId(),
    service: 's',
    type: 't',
    payload: {},
    createdBy: 'ops',
    createdDate: instant(0),
  }));

describe('node broadcast log', () => {
  it('delivers each broadcast once, including a broadcast that becomes visible after a higher number', () => {
    const heard = new HeardBroadcasts();
    const hear = (nowMs: number, ...recordIds: readonly number[]) =>
      heard.hear(numbered(...recordIds), nowMs).map(({ recordId }) => recordId);
    expect(hear(0, 1, 3)).to.eql([1, 3]);
    expect(hear(5_000, 1, 2, 3)).to.eql([2]);
    expect(heard.after).to.equal(0);
    // After a minute, 1 is past; 3 waits for 2, which was received later.
    expect(hear(60_000, 1, 2, 3, 4)).to.eql([4]);
    expect(heard.after).to.equal(1);
    expect(hear(65_000, 2, 3, 4)).to.eql([]);
    expect(heard.after).to.equal(3);
  });

  it('can skip broadcasts up to a number, but never goes back to an earlier number', () => {
    const heard = new HeardBroadcasts();
    heard.passOver(-5);
    expect(heard.after).to.equal(0);
    heard.passOver(7);
    heard.passOver(3);
    expect(heard.after).to.equal(7);
  });
});
