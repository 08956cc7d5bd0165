import type { SharedTestClock, TestClockSetting, TestClockStore } from '../../../adapters/node/index.ts';
import { sharedTestClock, systemClock } from '../../../adapters/node/index.ts';
import { fakeClock } from '../../../adapters/testing/index.ts';
import { formatInstant, type Instant, instant, parseWireInstant } from '../../../lib/values/time/index.ts';
import { BillingError, expect } from '../../support/unit.ts';

/** A row in memory that the nodes of a deployment share. */
function sharedRow(): TestClockStore {
  let row: TestClockSetting | null = null;
  return {
    readTestClock: async () => row,
    writeTestClock: async (value) => {
      row = value;
    },
  };
}

function at(text: string): Instant {
  const parsed = parseWireInstant(text);
  if (parsed === undefined) throw new Error(`${text} is not an instant`);
  return parsed;
}

describe('node clock', () => {
  describe('the test clock', () => {
    let systemNowMs: number;
    let store: TestClockStore;
    const system = { ...systemClock(), nowMs: () => systemNowMs };

    beforeEach(() => {
      systemNowMs = Date.UTC(2026, 0, 1, 12, 0, 0, 400);
      store = sharedRow();
    });

    const shown = (clock: SharedTestClock): string => formatInstant(clock.now());

    it('returns the time left until an instant to the millisecond, although now() hides milliseconds', async () => {
      const clock = sharedTestClock(store, system);
      expect(clock.msUntil?.(at('2026-01-01T12:00:01'))).to.equal(600);
      await clock.set(at('2025-01-31T10:00:00'));
      systemNowMs += 250;
      expect(clock.msUntil?.(at('2025-01-31T10:00:01'))).to.equal(750);
      expect(clock.msUntil?.(at('2025-01-31T10:00:00'))).to.equal(-250);
    });

    it('can be set to a date and moved by units of time (platform P1 "Clock")', async () => {
      const clock = sharedTestClock(store, system);
      await clock.set(at('2025-01-31T10:00:30.750'));
      expect(shown(clock)).to.equal('2025-01-31T10:00:30.000Z');
      systemNowMs += 2_000;
      expect(shown(clock)).to.equal('2025-01-31T10:00:32.000Z');
      await clock.set(at('2025-01-31T10:00:30.750'));
      await clock.move({ months: 1 });
      expect(shown(clock)).to.equal('2025-02-28T10:00:30.000Z');
      await clock.move({ months: 1 });
      expect(shown(clock)).to.equal('2025-03-28T10:00:30.000Z');
      await clock.move({ weeks: 1, days: 3 });
      expect(shown(clock)).to.equal('2025-03-31T10:00:30.000Z');
      await clock.move({ days: -3 });
      expect(shown(clock)).to.equal('2025-03-28T10:00:30.000Z');
      await clock.set(null);
      expect(shown(clock)).to.equal('2026-01-01T12:00:02.000Z');
    });

    it('advances by only the first unit present, in the order days, weeks, months, years', async () => {
      const clock = sharedTestClock(store, system);
      await clock.set(at('2024-02-29'));
      await clock.move({ weeks: 1, months: 5 });
      expect(shown(clock)).to.equal('2024-03-07T00:00:00.000Z');
      await clock.set(at('2024-02-29'));
      await clock.move({ months: 1, years: 5 });
      expect(shown(clock)).to.equal('2024-03-29T00:00:00.000Z');
      await clock.set(at('2024-02-29'));
      await clock.move({ years: 1 });
      expect(shown(clock)).to.equal('2025-02-28T00:00:00.000Z');
      await clock.move({});
      expect(shown(clock)).to.equal('2025-02-28T00:00:00.000Z');
    });

    it('shows all nodes the same time', async () => {
      const here = sharedTestClock(store, system);
      const there = sharedTestClock(store, system);
      await here.set(at('2030-05-05'));
      expect(shown(there)).to.equal('2026-01-01T12:00:00.000Z');
      await there.refresh();
      expect(shown(there)).to.equal('2030-05-05T00:00:00.000Z');
    });

    it('continues from the instant that another node set', async () => {
      const here = sharedTestClock(store, system);
      const there = sharedTestClock(store, system);
      await here.set(at('2030-05-05'));
      await there.move({ days: 1 });
      expect(shown(there)).to.equal('2030-05-06T00:00:00.000Z');
    });

    it('notifies its listeners of moves, including moves by other nodes, until they unsubscribe', async () => {
      const here = sharedTestClock(store, system);
      const there = sharedTestClock(store, system);
      let moves = 0;
      const leave = there.onMove(() => {
        moves += 1;
      });
      await here.set(at('2030-05-05'));
      await there.refresh();
      await there.refresh();
      expect(moves).to.equal(1);
      leave();
      await there.set(null);
      expect(moves).to.equal(1);
    });

    it('does not move when the target is outside the calendar', async () => {
      const clock = sharedTestClock(store, system);
      await clock.set(at('2024-02-29'));
      const failure = await clock.move({ years: 9_000 }).catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(BillingError).with.property('code', 60002);
      expect(shown(clock)).to.equal('2024-02-29T00:00:00.000Z');
    });

    it('runs from 1970-01-02 to 8999-12-31, so that billing can look ahead (R44)', async () => {
      const clock = sharedTestClock(store, system);
      for (const inReach of ['1970-01-02', '8999-12-31T23:59:59']) {
        await clock.set(at(inReach));
        expect(clock.now()).to.equal(at(inReach));
      }
      for (const beyond of ['0001-01-01', '1970-01-01T23:59:59', '9000-01-01', '9999-12-31T23:59:59Z']) {
        const failure = await clock.set(at(beyond)).catch((error: unknown) => error);
        expect(failure, beyond).to.be.instanceOf(BillingError).with.property('code', 60002);
      }
      const moved = await clock.move({ days: 1 }).catch((error: unknown) => error);
      expect(moved).to.be.instanceOf(BillingError).with.property('code', 60002);
      expect(shown(clock)).to.equal('8999-12-31T23:59:59.000Z');
    });
  });

  describe('billwright/testing clock', () => {
    it('keeps its time and rejects a move to a time outside its range', () => {
      expect(() => fakeClock('9999-12-31'))
        .to.throw(BillingError)
        .with.property('code', 60002);
      const clock = fakeClock('2024-02-29');
      for (const move of [
        () => clock.set('9999-12-31'),
        () => clock.advance({ years: 7_000 }),
        () => clock.advance({ years: -60 }),
        () => clock.advance({ days: Number.MAX_SAFE_INTEGER }),
      ])
        expect(move).to.throw(BillingError).with.property('code', 60002);
      expect(clock.toString()).to.equal('2024-02-29T00:00:00.000Z');
    });
  });

  describe('the system clock', () => {
    it('returns business time in whole seconds', () => {
      const clock = systemClock();
      const before = clock.nowMs();
      const now = clock.now();
      expect(now % 1_000).to.equal(0);
      expect(before - now).to.be.lessThan(1_000);
      expect(instant(now)).to.equal(now);
    });

    it('runs a timer later, and never after it is canceled', async () => {
      const clock = systemClock();
      const called: string[] = [];
      clock.after(0, () => called.push('cancelled'))();
      await new Promise<void>((resolve) => {
        clock.after(1, () => {
          called.push('kept');
          resolve();
        });
        // The clock's timers do not keep the process alive, but this timer does during the test.
        setTimeout(resolve, 5_000).unref();
      });
      expect(called).to.eql(['kept']);
    });
  });
});
