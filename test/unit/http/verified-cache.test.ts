import { expect } from 'chai';
import type { CredentialKey, VerifiedCache } from '../../../adapters/koa/auth/verified-cache.ts';
import { verifiedCache } from '../../../adapters/koa/auth/verified-cache.ts';

const key: CredentialKey = { kind: 'user', name: 'ann', secret: 'pw', version: 1 };

describe('verified credential cache', () => {
  let nowMs: number;
  let checks: number;
  let cache: VerifiedCache<string>;
  const verify = async () => {
    checks += 1;
    return 'ann';
  };
  const refuse = async () => {
    checks += 1;
    return null;
  };

  beforeEach(() => {
    nowMs = 0;
    checks = 0;
    cache = verifiedCache({ nowMs: () => nowMs });
  });

  it('skips repeated checks for 60 seconds', async () => {
    expect(await cache(key, verify)).to.equal('ann');
    nowMs = 59_999;
    expect(await cache(key, refuse)).to.equal('ann');
    expect(checks).to.equal(1);
    nowMs = 60_000;
    expect(await cache(key, refuse)).to.equal(null);
    expect(checks).to.equal(2);
  });

  it('does not store failures', async () => {
    expect(await cache(key, refuse)).to.equal(null);
    expect(await cache(key, verify)).to.equal('ann');
    expect(checks).to.equal(2);
  });

  it('distinguishes kind, name, secret and version', async () => {
    await cache(key, verify);
    const others: CredentialKey[] = [
      { ...key, kind: 'tenant' },
      { ...key, name: 'bob' },
      { ...key, secret: 'other' },
      { ...key, version: 2 },
      { ...key, name: 'annp', secret: 'w' },
    ];
    for (const other of others) expect(await cache(other, refuse)).to.equal(null);
    expect(checks).to.equal(1 + others.length);
  });

  it('shares one check among concurrent callers with the same credentials', async () => {
    const answers = await Promise.all([cache(key, verify), cache(key, verify), cache(key, verify)]);
    expect(answers).to.eql(['ann', 'ann', 'ann']);
    expect(checks).to.equal(1);
  });

  it('continues to work after a check that throws', async () => {
    const gone = async () => cache(key, () => Promise.reject(new Error('database gone')));
    expect(await gone().catch((error: unknown) => error)).to.be.instanceOf(Error);
    expect(await cache(key, verify)).to.equal('ann');
  });
});
