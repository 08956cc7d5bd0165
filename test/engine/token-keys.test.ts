import { SIGNING_KEY_RETENTION_MS } from '../../lib/security/token-keys.ts';
import { SIGNING_KEY_LIFETIME_MS } from '../../lib/values/limits.ts';
import { eachDatabaseByTurns, expect, openEngine, type TestEngine } from '../support/index.ts';

eachDatabaseByTurns('keys that sign tokens', (open) => {
  let engine: TestEngine;

  it('platform 7.1: keys that sign tokens are removed when every token that they have signed is dead', async () => {
    engine = await openEngine(open, { now: '2024-01-01T00:00:00Z', catalog: null });
    const { tokenKeys } = engine.billing.security;
    let made = 0;
    const sign = async () => {
      const kid = `key ${made + 1}`;
      const { kid: used } = await tokenKeys.signer(async () => {
        made += 1;
        return { kid, publicKey: { kty: 'RSA' }, privateKey: kid };
      });
      return used;
    };
    const kids = async () => (await engine.storage.security.listSigningKeys()).map(({ kid }) => kid);
    await tokenKeys.purge();
    await sign();
    engine.systemClock.push(SIGNING_KEY_LIFETIME_MS);
    expect(await sign()).to.equal('key 2');
    engine.systemClock.push(SIGNING_KEY_RETENTION_MS - 60_000);
    await tokenKeys.purge();
    expect(await kids()).to.eql(['key 1', 'key 2']);
    engine.systemClock.push(120_000);
    await tokenKeys.purge();
    expect(await kids()).to.eql(['key 2']);
    expect(await sign()).to.equal('key 2');
  });
});
