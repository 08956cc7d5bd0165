import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import sinon from 'sinon';
import { type TokenIssuer, tokenIssuers } from '../../../adapters/koa/auth/token-issuers.ts';
import { recordingLogger } from '../../support/system-time.ts';
import { BillingError, expect } from '../../support/unit.ts';

const issuer = 'https://login.example';
const minuteMs = 60_000;
const startMs = Date.UTC(2026, 0, 1);
const nowSec = startMs / 1_000;

describe('external token issuer keys (platform §7.2 rule 4)', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;
  let fetches: number;
  let issuers: ReturnType<typeof tokenIssuers>;
  let log: ReturnType<typeof recordingLogger>;
  let time: sinon.SinonFakeTimers;
  let k1: Signing;
  let k2: Signing;

  before(async () => {
    [k1, k2] = [await signing('k1'), await signing('k2')];
    server = createServer((_request, response) => {
      fetches += 1;
      answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    time = sinon.useFakeTimers({ now: startMs, toFake: ['Date'] });
    [fetches, log] = [0, recordingLogger()];
    issuers = issuersWith({});
    publish(k1);
  });
  afterEach(() => sinon.restore());

  function issuersWith(more: Partial<TokenIssuer>): ReturnType<typeof tokenIssuers> {
    const { port } = server.address() as AddressInfo;
    const given = { issuer, jwksUri: `${issuer}/keys`, algorithms: ['ES256'], ...more } as TokenIssuer;
    return tokenIssuers([given], {
      nowMs: () => Date.now(),
      logger: log,
      // The test server has no certificate. Otherwise this equals the runtime's own fetch.
      fetch: (_url, init) => fetch(`http://127.0.0.1:${port}/keys`, init),
    });
  }

  function publish(...keys: readonly Pick<Signing, 'jwk'>[]): void {
    const text = JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
    answer = (response) => response.end(text);
  }

  /** Returns `taken`, or the reason for the rejection of the token. */
  async function verdict(token: Promise<string> | string): Promise<string> {
    try {
      return (await issuers.get(issuer)?.(await token))?.name === 'alice' ? 'taken' : 'somebody else';
    } catch (error) {
      if (!(error instanceof BillingError) || error.code !== 60004) throw error;
      return error.message.replace('The bearer token was rejected: ', '');
    }
  }

  const unknownKey = 'it is not signed with a key of its issuer';
  const unreachable = 'the keys of its issuer are currently unavailable';

  it('are fetched once per ten minutes', async () => {
    const verdicts: string[] = [];
    for (const ms of [0, minuteMs, 8 * minuteMs]) {
      time.tick(ms);
      verdicts.push(await verdict(k1.token()));
    }
    expect([verdicts, fetches]).to.eql([['taken', 'taken', 'taken'], 1]);
    time.tick(minuteMs);
    expect([await verdict(k1.token()), fetches]).to.eql(['taken', 2]);
  });

  it('are fetched once for many concurrent tokens', async () => {
    const verdicts = await Promise.all([k1, k1, k2].map((key) => verdict(key.token())));
    expect([verdicts, fetches]).to.eql([['taken', 'taken', unknownKey], 1]);
  });

  it('are fetched again for an unknown key at most once a minute, and each fetch drops removed keys', async () => {
    expect(await verdict(k1.token())).to.equal('taken');
    publish(k2);
    time.tick(minuteMs - 1_000);
    expect([await verdict(k2.token()), fetches]).to.eql([unknownKey, 1]);
    time.tick(2_000);
    expect([await verdict(k2.token()), fetches]).to.eql(['taken', 2]);
    const strangers = Array.from({ length: 20 }, (_, index) => verdict(k1.token({}, { kid: `x${index}` })));
    expect([new Set(await Promise.all(strangers)), fetches]).to.eql([new Set([unknownKey]), 2]);
    expect([await verdict(k1.token()), fetches]).to.eql([unknownKey, 2]);
  });

  it('stay valid while the fetch of a new key fails and is retried once a minute', async () => {
    expect(await verdict(k1.token())).to.equal('taken');
    answer = (response) => response.writeHead(500).end();
    time.tick(minuteMs + 1_000);
    for (const ms of [0, 0, 30_000]) {
      time.tick(ms);
      expect(await verdict(k2.token())).to.equal(unreachable);
      expect(await verdict(k1.token())).to.equal('taken');
    }
    expect([fetches, log.lines.length]).to.eql([2, 1]);
    publish(k2);
    time.tick(31_000);
    expect([await verdict(k2.token()), fetches]).to.eql(['taken', 3]);
  });

  for (const [what, head] of [
    ['an error', 503],
    ['an endless key set', 200],
  ] as const)
    it(`are not accepted from an issuer that keeps sending ${what}, and the connection is closed`, async () => {
      const closed = Promise.withResolvers<string>();
      answer = (response) => {
        response.writeHead(head);
        const drip = setInterval(() => response.write('x'.repeat(50_000)), 5);
        response.once('close', () => {
          clearInterval(drip);
          closed.resolve('closed');
        });
      };
      expect(await verdict(k1.token())).to.equal(unreachable);
      expect(await Promise.race([closed.promise, setTimeout(2_000, 'open')])).to.equal('closed');
    });

  const failures: Readonly<Record<string, (response: ServerResponse) => void>> = {
    'an error': (response) => response.writeHead(503).end(),
    'an empty answer': (response) => response.writeHead(204).end(),
    'a redirect': (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
    'an answer that is not JSON': (response) => response.end('<html>'),
    'an answer without a key set': (response) => response.end('{"keys":"none"}'),
    'an answer above the size limit': (response) => response.end(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`),
    'a broken connection': (response) => response.destroy(),
    silence: () => undefined,
  };
  for (const [what, failing] of Object.entries(failures))
    it(`are requested at most once per ten seconds after ${what}, with one log line`, async () => {
      const timeout = sinon.stub(AbortSignal, 'timeout');
      // Only the silent server gets a short time limit, because a slow machine may delay responses.
      timeout.callsFake((ms) =>
        timeout.wrappedMethod.call(AbortSignal, answer === failures.silence ? 20 : ms),
      );
      answer = failing;
      const together = [1, 2].map(() => verdict(k1.token()));
      for (const each of [...together, verdict(k1.token())]) expect(await each).to.equal(unreachable);
      expect(await verdict(k1.token())).to.equal(unreachable);
      expect([fetches, log.lines.length, timeout.firstCall.args]).to.eql([1, 1, [5_000]]);
      // Responses may take longer from now on.
      timeout.restore();
      publish(k1);
      time.tick(10_000);
      expect([await verdict(k1.token()), fetches]).to.eql(['taken', 2]);
    });

  const claimed = (name: string) => `its claim "${name}" is invalid`;
  const tokens: Readonly<Record<string, readonly [token: () => Promise<string> | string, why: string]>> = {
    'that has expired': [() => k1.token({ exp: nowSec - 61 }), 'it has expired'],
    'that is not valid yet': [() => k1.token({ nbf: nowSec + 61 }), claimed('nbf')],
    'that was issued in the future': [() => k1.token({ iat: nowSec + 61 }), claimed('iat')],
    'that never ends': [() => k1.token({ exp: undefined }), claimed('exp')],
    'for a different audience': [() => k1.token({ aud: 'other' }), claimed('aud')],
    'from another issuer': [() => k1.token({ iss: 'https://else.example' }), claimed('iss')],
    'without a subject': [() => k1.token({ sub: undefined }), 'its claim "sub" does not contain a user name'],
    'with a forbidden algorithm': [() => rsaToken(), 'its algorithm is not allowed'],
    'with the public key as its secret': [
      () => k1.token({}, { alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(k1.jwk))),
      'its algorithm is not allowed',
    ],
    'without a signature': [
      async () => `${encoded({ alg: 'none' })}.${(await k1.token()).split('.')[1]}.`,
      'its algorithm is not allowed',
    ],
    'with the signature of another token': [
      async () => (await k1.token()).replace(/[^.]+$/, (await k2.token({ jti: '2' })).split('.')[2] ?? ''),
      'its signature is wrong',
    ],
    'that is not a signed JWT': [() => 'a.b.c', 'it is not a signed JWT'],
  };
  for (const [what, [token, why]] of Object.entries(tokens))
    it(`do not validate a token ${what}`, async () => expect(await verdict(token())).to.equal(why));

  it('validate tokens despite a clock difference of one minute', async () => {
    for (const claims of [{ exp: nowSec - 59 }, { nbf: nowSec + 59 }, { iat: nowSec + 59 }])
      expect(await verdict(k1.token(claims)), JSON.stringify(claims)).to.equal('taken');
  });

  it('are ignored and reported in the log when they are too weak', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    issuers = issuersWith({ algorithms: ['RS256'] });
    publish({ jwk: { ...publicKey.export({ format: 'jwk' }), kid: 'k1' } });
    const signed = `${encoded({ alg: 'RS256', kid: 'k1' })}.${encoded({ iss: issuer, exp: nowSec + 60 })}`;
    const signature = sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url');
    expect(await verdict(`${signed}.${signature}`)).to.equal('the key of its issuer cannot be used');
    expect(log.lines.map(({ message }) => message)).to.eql(['a key of a token issuer cannot be used']);
  });

  it('need not be specified in a token when the issuer has only one key', async () => {
    expect(await verdict(k1.token({}, { kid: undefined }))).to.equal('taken');
    issuers = issuersWith({});
    publish(k1, k2);
    expect(await verdict(k1.token({}, { kid: undefined }))).to.equal(
      'it does not identify the key of its issuer that signed it',
    );
  });
});

interface Signing {
  readonly jwk: object;
  token(claims?: object, header?: object, key?: Uint8Array): Promise<string>;
}

async function signing(kid: string): Promise<Signing> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  return {
    jwk: { ...(await exportJWK(publicKey)), kid },
    token: async (claims = {}, header = {}, key) => {
      const payload = { iss: issuer, aud: 'catalog-plugin', sub: 'alice', exp: nowSec + 86_400, ...claims };
      return new SignJWT(payload)
        .setProtectedHeader({ alg: 'ES256', kid, ...header })
        .sign(key ?? privateKey);
    },
  };
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function rsaToken(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256');
  const payload = { iss: issuer, aud: 'catalog-plugin', sub: 'alice', exp: nowSec + 60 };
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'k1' }).sign(privateKey);
}
