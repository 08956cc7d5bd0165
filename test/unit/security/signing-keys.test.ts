import { expect } from 'chai';
import { publishedKeysAt, signingKeyAt } from '../../../lib/security/token-keys.ts';

const dayMs = 86_400_000;
const graceMs = 3_660_000;
const key = (day: number) => ({ createdMs: day * dayMs });

describe('token signing keys', () => {
  it('can sign tokens for 90 days, with priority for the newest key', () => {
    const keys = [key(0), key(90)];
    expect(signingKeyAt([], 0)).to.equal(null);
    expect(signingKeyAt([key(0)], 90 * dayMs - 1)).to.eql(key(0));
    expect(signingKeyAt([key(0)], 90 * dayMs)).to.equal(null);
    expect(signingKeyAt(keys, 91 * dayMs)).to.eql(key(90));
  });

  it('are published until the last token signed with them has expired', () => {
    const keys = [key(0), key(90)];
    expect(publishedKeysAt(keys, { nowMs: 90 * dayMs + graceMs - 1, graceMs })).to.eql(keys);
    expect(publishedKeysAt(keys, { nowMs: 90 * dayMs + graceMs, graceMs })).to.eql([key(90)]);
    // A key for another server key expires when a new one replaces it.
    expect(publishedKeysAt([key(0), key(10)], { nowMs: 10 * dayMs + graceMs, graceMs })).to.eql([key(10)]);
    expect(publishedKeysAt([key(0)], { nowMs: 90 * dayMs + graceMs, graceMs })).to.eql([]);
  });
});
