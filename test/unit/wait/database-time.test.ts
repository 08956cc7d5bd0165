import { DatabaseTime } from '../../../lib/runtime/index.ts';
import { expect, formatInstant, instant } from '../../support/unit.ts';

/** Returns the time of a machine whose clock is at `nowMs` and of a database whose responses are delayed. */
function timeOf(
  machine: { nowMs: number },
  database: { readonly nowMs: number; readonly answerMs?: number },
) {
  const local = { nowMs: () => machine.nowMs, nextTurn: async () => undefined, after: () => () => undefined };
  return new DatabaseTime(local, async () => {
    const { nowMs, answerMs = 0 } = database;
    machine.nowMs += answerMs;
    return nowMs;
  });
}

describe('database time on a node (platform §15 rule 7)', () => {
  for (const [title, machineMs, databaseMs, expected] of [
    ['ahead', 1_300_000, 1_000_000, 1_000_000],
    ['behind', 700_000, 1_000_000, 1_000_000],
    ['right', 1_000_000, 1_000_000, 1_000_000],
  ] as const)
    it(`corrects a machine clock that is ${title}`, async () => {
      const machine = { nowMs: machineMs };
      const time = timeOf(machine, { nowMs: databaseMs });
      expect(time.nowMs()).to.equal(machineMs);
      await time.compare();
      expect(time.nowMs()).to.equal(expected);
      machine.nowMs += 1_500;
      expect(time.nowMs()).to.equal(expected + 1_500);
      expect(formatInstant(time.clock.now())).to.equal(formatInstant(instant(expected + 1_000)));
      expect(time.clock.msUntil?.(instant(expected + 2_000))).to.equal(500);
    });

  it('assumes that the return trip takes half the round-trip time of a slow response', async () => {
    const time = timeOf({ nowMs: 1_300_000 }, { nowMs: 1_000_000, answerMs: 2_000 });
    await time.compare();
    expect(time.nowMs()).to.equal(1_001_000);
  });

  it('ignores a difference within the response time', async () => {
    const machine = { nowMs: 1_000_000 };
    const time = timeOf(machine, { nowMs: 1_000_900, answerMs: 2_000 });
    await time.compare();
    expect(time.nowMs()).to.equal(machine.nowMs);
  });
});
