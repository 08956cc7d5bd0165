import { expect } from 'chai';
import { plainHasher } from '../../../adapters/testing/index.ts';

describe('billwright/testing hasher', () => {
  it('verifies the correct secret and rejects a wrong secret', async () => {
    const hasher = plainHasher();
    const stored = await hasher.hash('correct horse');
    expect(stored).to.not.contain('horse');
    expect(await hasher.verify('correct horse', stored)).to.equal(true);
    expect(await hasher.verify('battery staple', stored)).to.equal(false);
    expect(await hasher.verify('correct horse', null)).to.equal(false);
    expect(hasher.isWeaker(stored)).to.equal(false);
  });

  it('is rejected in production with a message that explains the fix', () => {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = ' Production';
    try {
      expect(() => plainHasher()).to.throw('omit the option `hasher`');
    } finally {
      if (before === undefined) delete process.env.NODE_ENV;
      else process.env.NODE_ENV = before;
    }
  });
});
