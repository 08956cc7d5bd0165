import { expect } from 'chai';
import type { ClaimedEntry } from '../../../lib/ports/storage/index.ts';
import { BusyEntries, busyPauseMs, lastBusyPauseMs } from '../../../lib/runtime/queue/entry-runner.ts';
import { MAX_BUSY_ENTRIES_COUNTED } from '../../../lib/values/limits.ts';

describe('queue entries of busy accounts (platform §15 rule 2)', () => {
  const cases = [
    [
      'at the pace of a waiting call first, then at the intervals',
      300,
      [30_000, 60_000],
      [100, 100, 100, 30_000, 60_000, null, null],
    ],
    ['only at the intervals without a call wait', 0, [30_000, 60_000], [30_000, 60_000, null]],
    ['once quickly for a partial wait step', 50, [30_000], [100, 30_000, null]],
    ['only at the pace of a waiting call without intervals', 200, [], [100, 100, null]],
  ] as const;
  for (const [name, waitMs, intervalsMs, expected] of cases)
    it(`retry ${name}`, () =>
      expect(expected.map((_, index) => busyPauseMs(index + 1, { waitMs, intervalsMs }))).to.eql(expected));

  it('pause for the last interval if they still need processing after all retries', () => {
    const lasts = [[30_000, 60_000], []].map((intervalsMs) => lastBusyPauseMs({ waitMs: 0, intervalsMs }));
    expect(lasts).to.eql([60_000, 100]);
  });

  const entry = (recordId: number) => ({ recordId }) as ClaimedEntry;

  it('have separate retry counts, which start over when an entry is done', () => {
    const busy = new BusyEntries();
    expect([1, 2, 1, 1].map((id) => busy.add(entry(id)))).to.eql([1, 1, 2, 3]);
    busy.forget(entry(1));
    expect([1, 2].map((id) => busy.add(entry(id)))).to.eql([1, 2]);
  });

  it('have retry counts only for a limited number of the most recently seen entries', () => {
    const busy = new BusyEntries();
    busy.add(entry(1));
    busy.add(entry(2));
    busy.add(entry(1));
    for (let id = 3; id <= MAX_BUSY_ENTRIES_COUNTED + 1; id += 1) busy.add(entry(id));
    expect(busy.add(entry(1))).to.equal(3);
    expect(busy.add(entry(2))).to.equal(1);
  });
});
