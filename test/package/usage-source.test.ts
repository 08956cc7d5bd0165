import { expect } from 'chai';
import { billLoggedCalls } from '../../examples/usage-source.ts';

describe('the example of a usage source', () => {
  it('bills what the log of the host tells, and what it tells later as a difference', async () => {
    expect(await billLoggedCalls()).to.eql([
      'so far 9500 calls',
      'USAGE 5 for january-1',
      'USAGE 0.8, USAGE 0 for january-2',
    ]);
  });
});
