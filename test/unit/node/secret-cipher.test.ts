import { expect } from 'chai';
import { secretCipher, unencrypted } from '../../../adapters/node/index.ts';

const serverKey = 'a server key of thirty-two letters';

describe('secret cipher', () => {
  it('decrypts its own ciphertexts, and creates a different ciphertext each time', async () => {
    const cipher = secretCipher(serverKey);
    const [one, other] = [await cipher.encrypt('Grüße'), await cipher.encrypt('Grüße')];
    expect(one).to.match(/^\$aes256gcm\$/);
    expect(one).to.not.equal(other);
    expect(await secretCipher(serverKey).decrypt(one)).to.equal('Grüße');
  });

  it('rejects altered ciphertexts and ciphertexts encrypted with another key', async () => {
    const cipher = secretCipher(serverKey);
    const stored = await cipher.encrypt('secret');
    expect(await secretCipher(`${serverKey}.`).decrypt(stored)).to.equal(null);
    expect(await cipher.decrypt(`${stored.slice(0, -4)}AAAA`)).to.equal(null);
    expect(await cipher.decrypt('$aes256gcm$AAAA')).to.equal(null);
    expect(await cipher.decrypt('something else')).to.equal(null);
  });

  it('reads plain values that were stored without a key, but reads no ciphertext without a key', async () => {
    const stored = await unencrypted().encrypt('secret');
    expect(await secretCipher(serverKey).decrypt(stored)).to.equal('secret');
    expect(await unencrypted().decrypt(await secretCipher(serverKey).encrypt('secret'))).to.equal(null);
  });

  it('rejects a guessable key', () =>
    expect(() => secretCipher('short')).to.throw(RangeError, '32 characters'));

  it('decrypts values encrypted with former keys and encrypts with the current key', async () => {
    const former = 'f'.repeat(32);
    const cipher = secretCipher(serverKey, [former]);
    expect(await cipher.decrypt(await secretCipher(former).encrypt('secret'))).to.equal('secret');
    const stored = await cipher.encrypt('secret');
    expect(await secretCipher(serverKey).decrypt(stored)).to.equal('secret');
    expect(await secretCipher(former).decrypt(stored)).to.equal(null);
  });
});
