import { expect } from 'chai';
import { billLoggedCalls } from '../../examples/usage-source.ts';

describe('usage source example', () => {
  it("bills the usage in the host's log, and bills later corrections as differences", async () =>
    expect(await billLoggedCalls()).to.eql([
      'so far 9500 calls',
      'USAGE 5 for january-1',
      'USAGE 0.8, USAGE 0 for january-2',
    ]));
});
