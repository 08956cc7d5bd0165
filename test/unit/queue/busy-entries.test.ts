import { expect } from 'chai';
import type { ClaimedEntry } from '../../../lib/ports/storage/index.ts';
import { BusyEntries, busyPauseMs, lastBusyPauseMs } from '../../../lib/runtime/queue/entry-runner.ts';
import { MAX_BUSY_ENTRIES_COUNTED } from '../../../lib/values/limits.ts';

describe('queue entries of busy accounts (platform §15 rule 2)', () => {
  const cases = [
    ['first as a call waits', 300, [30_000, 60_000], [100, 100, 100, 30_000, 60_000, null, null]],
    ['at once by the intervals', 0, [30_000, 60_000], [30_000, 60_000, null]],
    ['a part of a step is one', 50, [30_000], [100, 30_000, null]],
    ['as calls do and no more where there are no intervals', 200, [], [100, 100, null]],
  ] as const;
  for (const [name, waitMs, intervalsMs, expected] of cases)
    it(`busy entries come again: ${name}`, () => {
      const pauses = expected.map((_, index) => busyPauseMs(index + 1, { waitMs, intervalsMs }));
      expect(pauses).to.deep.equal(expected);
    });

  it('the queue entries of busy accounts come again after the last pause where they have to be done all the same', () => {
    const lasts = [[30_000, 60_000], []].map((intervalsMs) => lastBusyPauseMs({ waitMs: 0, intervalsMs }));
    expect(lasts).to.deep.equal([60_000, 100]);
  });

  const entry = (recordId: number) => ({ recordId }) as ClaimedEntry;

  it('the queue entries of busy accounts are counted one by one, and from the start when one has been done', () => {
    const busy = new BusyEntries();
    expect([1, 2, 1, 1].map((id) => busy.add(entry(id)))).to.deep.equal([1, 1, 2, 3]);
    busy.forget(entry(1));
    expect([1, 2].map((id) => busy.add(entry(id)))).to.deep.equal([1, 2]);
  });

  it('the queue entries of busy accounts are counted up to a limit; the one not seen for longest is forgotten', () => {
    const busy = new BusyEntries();
    busy.add(entry(1));
    busy.add(entry(2));
    busy.add(entry(1));
    for (let id = 3; id <= MAX_BUSY_ENTRIES_COUNTED + 1; id += 1) busy.add(entry(id));
    expect(busy.add(entry(1))).to.equal(3);
    expect(busy.add(entry(2))).to.equal(1);
  });
});
