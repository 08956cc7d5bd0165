import { expect } from 'chai';
import { atOnce, eachStep, oneStep, timeSlices } from '../../../lib/runtime/wait/turns.ts';

describe('time slices', () => {
  /** Returns a clock that advances with every read, and the times at which turns were requested. */
  function slowClock(msPerLook: number) {
    let now = 1_000;
    const turns: number[] = [];
    return {
      turns,
      nowMs: () => {
        now += msPerLook;
        return now;
      },
      nextTurn: async () => {
        turns.push(now);
      },
    };
  }

  it('yield to other work every 20 ms and return the final result', async () => {
    const clock = slowClock(5);
    const doubled = await timeSlices({ systemClock: clock })(
      eachStep([1, 2, 3, 4, 5, 6, 7, 8, 9], (each) => each * 2),
    );
    expect(doubled).to.eql([2, 4, 6, 8, 10, 12, 14, 16, 18]);
    expect(clock.turns.map((at, index) => at - (clock.turns[index - 1] ?? at))).to.eql([0, 25, 25]);
  });

  it('count the time of consecutive short computations in one operation', async () => {
    const clock = slowClock(5);
    const slices = timeSlices({ systemClock: clock });
    for (let call = 0; call < 8; call += 1) await slices(oneStep(() => call));
    expect(clock.turns.length).to.be.greaterThan(2);
  });

  it('throw the error of a step', async () => {
    const slices = timeSlices({ systemClock: slowClock(5) });
    const failing = slices(
      oneStep(() => {
        throw new Error('a step');
      }),
    );
    expect(String(await failing.catch((error: unknown) => error))).to.equal('Error: a step');
  });

  it('are skipped if no other work is waiting', () =>
    expect(atOnce(eachStep(['a', 'b'], (each) => each.toUpperCase()))).to.eql(['A', 'B']));
});
