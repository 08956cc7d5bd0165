import { expect } from 'chai';
import { sha256 } from '../../../adapters/node/index.ts';

describe('SHA-256 of a string', () => {
  for (const [text, digest] of [
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    // FIPS 180-4, its example
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ] as const)
    it(`is ${digest.slice(0, 8)}… for "${text}"`, () => expect(sha256(text)).to.equal(digest));

  it('uses the UTF-8 bytes of the string, like WebCrypto', async () => {
    for (const text of ['5 € für Ünï', '\u{1f600}', 'half a pair: \ud800']) {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
      expect(sha256(text), text).to.equal(Buffer.from(digest).toString('hex'));
    }
  });
});
