import { SharedRead } from '../../../lib/runtime/index.ts';
import { expect } from '../../support/unit.ts';

describe('a shared read', () => {
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  let ends: (() => void)[];
  let read: SharedRead;
  beforeEach(() => {
    ends = [];
    read = new SharedRead({ nextTurn }, () => new Promise((resolve) => ends.push(resolve)));
  });

  async function startedRuns(): Promise<number> {
    await nextTurn();
    await nextTurn();
    return ends.length;
  }

  it('runs once for all calls of one event-loop turn', async () => {
    const calls = [read.run(), read.run(), read.run()];
    expect(await startedRuns()).to.equal(1);
    ends[0]?.();
    await Promise.all(calls);
  });

  it('runs again, after the running read has ended, for a call made during that read', async () => {
    const first = read.run();
    expect(await startedRuns()).to.equal(1);
    const later = read.run();
    expect(await startedRuns()).to.equal(1);
    ends[0]?.();
    await first;
    expect(await startedRuns()).to.equal(2);
    ends[1]?.();
    await later;
  });

  it('reports a failure only to its own callers', async () => {
    const errors = [new Error('lost')];
    const failing = new SharedRead({ nextTurn }, async () => {
      const error = errors.pop();
      if (error !== undefined) throw error;
    });
    const outcomes = await Promise.allSettled([failing.run(), failing.run()]);
    expect(outcomes.map(({ status }) => status)).to.eql(['rejected', 'rejected']);
    await failing.run();
  });
});
