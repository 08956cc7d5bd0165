import { clockCheck, queuesCheck } from '../../../lib/health/service.ts';
import { addMilliseconds, expect, instant } from '../../support/unit.ts';

const now = instant(Date.UTC(2024, 2, 1));
const minute = 60_000;

describe('health checks (platform §13)', () => {
  it('fail if there are more than 1000 late entries', () => {
    expect(queuesCheck({ late: 1_000, oldest: now }, now)).to.eql({ healthy: true, message: null });
    expect(queuesCheck({ late: 1_001, oldest: now }, now)).to.eql({
      healthy: false,
      message: 'More than 1000 queue entries are late',
    });
  });

  it('fail if a queue entry is more than 10 minutes late', () => {
    const late = (ms: number) => queuesCheck({ late: 1, oldest: addMilliseconds(now, -ms) }, now);
    expect(late(10 * minute).healthy).to.equal(true);
    expect(late(10 * minute + 1_000)).to.eql({
      healthy: false,
      message: 'The oldest queue entry is 601 s late',
    });
    expect(queuesCheck({ late: 0, oldest: null }, now).healthy).to.equal(true);
    expect(late(-minute).healthy).to.equal(true);
  });

  it('fail when clocks differ by more than 5 s in either direction, not counting the response time', () => {
    const read = (databaseMs: number) =>
      clockCheck({ startedMs: 100_000, databaseMs, answeredMs: 101_000 }).healthy;
    expect([94_999, 95_000, 100_500, 106_000, 106_001].map(read)).to.eql([false, true, true, true, false]);
    expect(clockCheck({ startedMs: 0, databaseMs: 60_000, answeredMs: 0 }).message).to.equal(
      "The clock of this process differs by 60 s from the database's",
    );
  });
});
