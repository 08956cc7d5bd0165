import { fakeClock } from '../../../adapters/testing/index.ts';
import { Housekeeping } from '../../../lib/runtime/queue/housekeeping.ts';
import { recordingLogger } from '../../support/system-time.ts';
import { expect, formatInstant, type Instant } from '../../support/unit.ts';

const minute = 60_000;

function handTimers() {
  const timers: { readonly delayMs: number; readonly action: () => void }[] = [];
  return {
    timers,
    systemClock: {
      nowMs: () => 1_000 * minute,
      nextTurn: async () => undefined,
      after: (delayMs: number, action: () => void) => {
        timers.push({ delayMs, action });
        return () => undefined;
      },
    },
  };
}

describe('queue housekeeping (platform §9.3 rules 7 and 9)', () => {
  it('reaps each kind of entry by its own schedule and limits, and purges entries older than the retention period', async () => {
    const done: unknown[] = [];
    const queue = {
      reap: async (request: object) => {
        done.push(['reap', request]);
        return 1;
      },
      purgeHistory: async (before: Instant) => {
        done.push(['purge', formatInstant(before)]);
        throw new Error('the database is away');
      },
    };
    const { timers, systemClock } = handTimers();
    const logger = recordingLogger();
    const clock = fakeClock('2024-03-01T00:00:00Z');
    let wakes = 0;
    const housekeeping = new Housekeeping(
      { storage: { queue }, clock, systemClock, logger },
      {
        reapers: [
          { kind: 'BUS', thresholdMs: 10 * minute, scheduleMs: 3 * minute, maxLapses: 10 },
          { kind: null, thresholdMs: 20 * minute, scheduleMs: 7 * minute, maxLapses: 5 },
        ],
        historyRetentionMs: 2 * 24 * 60 * minute,
        onReaped: () => {
          wakes += 1;
        },
        others: [],
      },
    );
    housekeeping.start();
    expect(timers.map(({ delayMs }) => delayMs)).to.eql([3 * minute, 7 * minute, 3 * minute]);
    for (const { action } of timers.splice(0)) action();
    await new Promise((resolve) => setTimeout(resolve, 1));
    const request = { systemNowMs: 1_000 * minute, businessNow: clock.now(), limit: 100 };
    expect(done).to.eql([
      ['reap', { ...request, claimedBeforeMs: 990 * minute, maxLapses: 10, kind: 'BUS' }],
      ['reap', { ...request, claimedBeforeMs: 980 * minute, maxLapses: 5 }],
      ['purge', '2024-02-28T00:00:00.000Z'],
    ]);
    expect(wakes).to.equal(2);
    // Failed jobs are also scheduled again.
    expect(timers.map(({ delayMs }) => delayMs)).to.have.members([3 * minute, 7 * minute, 3 * minute]);
    expect(logger.lines.map(({ level }) => level)).to.eql(['error', 'error', 'error']);
    await housekeeping.stop();
  });

  it('runs additional work at its own interval, even after a failure', async () => {
    const { timers, systemClock } = handTimers();
    const logger = recordingLogger();
    let runs = 0;
    const housekeeping = new Housekeeping(
      {
        storage: { queue: { reap: async () => 0, purgeHistory: async () => 0 } },
        clock: fakeClock('2024-03-01T00:00:00Z'),
        systemClock,
        logger,
      },
      {
        reapers: [],
        historyRetentionMs: minute,
        onReaped: () => undefined,
        others: [],
        cares: [
          {
            everyMs: 60 * minute,
            run: async () => {
              runs += 1;
              throw new Error('not now');
            },
          },
        ],
      },
    );
    housekeeping.start();
    expect(timers.map(({ delayMs }) => delayMs)).to.eql([3 * minute, 60 * minute]);
    timers.splice(1)[0]?.action();
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(runs).to.equal(1);
    expect(timers.map(({ delayMs }) => delayMs)).to.eql([3 * minute, 60 * minute]);
    expect(logger.lines).to.have.length(1);
    await housekeeping.stop();
  });
});
