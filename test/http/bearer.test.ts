import type { JSONWebKeySet, JWTPayload } from 'jose';
import { createLocalJWKSet, exportJWK, generateKeyPair, importPKCS8, jwtVerify, SignJWT } from 'jose';
import { createKoaApp, type Listening, listen, TokenAlgorithm } from '../../adapters/koa/index.ts';
import { basic, bearer, documentHeaders, expectStatus, textOf } from '../support/http/index.ts';
import { outcomeOf, type Reply, type Serving, serve, serveOnce } from '../support/http/serving.ts';
import { eachDatabaseByTurns, expect, migrated } from '../support/index.ts';

const auth = '/plugins/catalog-plugin/v1/auth';
const challenge = 'Bearer realm="service", error="invalid_token"';

/** A missing path of the plugin interface, which is answered 404 only after authentication. */
const plugin = '/plugins/catalog-plugin/v1/nothing';
const read = '/1.0/kb/accounts/pagination';

eachDatabaseByTurns.describe('bearer tokens', (open) => {
  const serving = serveOnce(open);
  let token: string;

  before(async () => {
    token = (await bearer(serving, 'admin')).slice('Bearer '.length);
  });

  const get = (path: string, authorization: string | undefined, headers = {}): Promise<Reply> =>
    serving.call('GET', path, { headers: { authorization, ...headers } });

  it('are issued to a user for a name and password, even with missing or wrong tenant headers', async () => {
    for (const apiKey of [undefined, 'nobody']) {
      const headers = { 'x-service-apikey': apiKey, 'x-service-createdby': undefined };
      const reply = expectStatus(await serving.call('POST', auth, { headers }), 200);
      expect(Object.keys(reply.json as object)).to.eql(['token']);
      expect(reply.headers.get('cache-control')).to.equal('no-store');
    }
    for (const authorization of [undefined, basic('admin', 'wrong'), `Bearer ${token}`]) {
      const reply = expectStatus(await serving.call('POST', auth, { headers: { authorization } }), 401);
      expect(reply.headers.get('www-authenticate')).to.equal('Basic realm="service"');
    }
  });

  it('contain the claims of platform §7.1 and can be verified with the published keys', async () => {
    const keys = await serving.call('GET', '/.well-known/jwks.json', { headers: nobody });
    expect(keys.headers.get('cache-control')).to.equal('public, max-age=600');
    const set = createLocalJWKSet(keys.json as JSONWebKeySet);
    const { payload, protectedHeader } = await jwtVerify(token, set, { audience: 'catalog-plugin' });
    const [key] = (keys.json as JSONWebKeySet).keys;
    expect(protectedHeader).to.eql({ alg: 'RS256', typ: 'at+jwt', kid: key?.kid });
    expect(payload).to.include({ iss: serving.url, sub: 'admin', tenants: '*', ver: 1, nbf: payload.iat });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(3_600);
    expect(payload.jti).to.match(/^[0-9a-f-]{36}$/);
    expect(Object.keys(key ?? {})).to.have.members(['kty', 'n', 'e', 'kid', 'use', 'alg']);
  });

  it('include their issuer', async () => {
    const reply = await serving.call('GET', '/.well-known/oauth-authorization-server', { headers: nobody });
    expect(reply.json).to.include({
      issuer: serving.url,
      jwks_uri: `${serving.url}/.well-known/jwks.json`,
      token_endpoint: `${serving.url}/oauth2/token`,
    });
  });

  it('authenticate core routes, and are never replaced by other credentials if they are invalid', async () => {
    expect((await get(read, `Bearer ${token}`)).status).to.equal(200);
    expect((await get(read, `bearer  ${token} `)).status).to.equal(200);
    const refused = await get(read, 'Bearer nonsense', { cookie: 'JSESSIONID=x' });
    expect([refused.status, refused.headers.get('www-authenticate')]).to.eql([401, challenge]);
  });

  it('are the only credentials that plugin endpoints accept, and only with valid tenant headers', async () => {
    expect((await get(plugin, `Bearer ${token}`)).json).to.include({ code: 60008 });
    for (const authorization of [undefined, basic('admin', 'password'), 'Bearer', 'Bearer a b']) {
      const reply = await get(plugin, authorization);
      expect([reply.status, reply.headers.get('www-authenticate')]).to.eql([401, challenge]);
      expect(reply.json).to.include({ code: 60004 });
    }
    const reply = await get(plugin, `Bearer ${token}`, { 'x-service-apisecret': 'wrong' });
    expect([reply.status, reply.json]).to.deep.include(401);
    expect(reply.json).to.include({ code: 60005 });
  });

  it('are rejected if any part is wrong', async () => {
    const { key, kid } = await signingKey(serving);
    const nowSec = Math.floor(Date.now() / 1_000);
    const times = { iat: nowSec, nbf: nowSec, exp: nowSec + 60 };
    const good = { iss: serving.url, sub: 'admin', aud: 'catalog-plugin', ...times, ver: 1 };
    const sign = (claims: JWTPayload, header: object = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid, ...header }).sign(key);
    expect((await get(read, `Bearer ${await sign(good)}`)).status).to.equal(200);
    // Within the tolerance of 60 s.
    for (const claims of [{ exp: nowSec - 50 }, { nbf: nowSec + 50 }, { iat: nowSec + 50 }])
      expect((await get(read, `Bearer ${await sign({ ...good, ...claims })}`)).status).to.equal(200);
    const { exp: _exp, ...endless } = good;
    const other = await generateKeyPair('RS256');
    const symmetric = new TextEncoder().encode(JSON.stringify(await publicKeyOf(serving)));
    const bad: Readonly<Record<string, string>> = {
      expired: await sign({ ...good, exp: nowSec - 120 }),
      'not yet valid': await sign({ ...good, nbf: nowSec + 120 }),
      'of the future': await sign({ ...good, iat: nowSec + 120 }),
      endless: await sign(endless),
      'for another audience': await sign({ ...good, aud: 'other' }),
      'of an old credential': await sign({ ...good, ver: 0 }),
      'of nobody': await sign({ ...good, sub: 'nobody' }),
      'of a client that does not exist': await sign({ ...good, client_id: 'admin' }),
      'of another type': await sign(good, { typ: 'JWT' }),
      'by an unknown key': await sign(good, { kid: 'other' }),
      'with another key': await new SignJWT(good)
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid })
        .sign(other.privateKey),
      'symmetric, with the public key as its secret': await new SignJWT(good)
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid })
        .sign(symmetric),
      unsigned: `${encoded({ alg: 'none', typ: 'at+jwt', kid })}.${encoded(good)}.`,
      changed: token.replace(/\.[^.]+\./, `.${encoded({ ...good, sub: 'eve' })}.`),
      'no JWT': 'a.b.c',
      'too long': 'x'.repeat(8_193),
    };
    for (const [what, text] of Object.entries(bad)) {
      const reply = await get(read, `Bearer ${text}`);
      expect(outcomeOf(reply), what).to.eql([401, 60004]);
      expect(reply.text, what).to.not.include(text);
    }
  });

  it('become invalid when the password for which they were issued changes', async () => {
    const { security } = serving.billing;
    await security.ensureAdministrator('short-lived', 'password');
    const authorization = await bearer(serving, 'short-lived');
    expect((await get(read, authorization)).status).to.equal(200);
    await security.setPassword('short-lived', 'another one');
    expect((await get(read, authorization)).status).to.equal(401);
  });

  it('are checked again only once a minute, without hashing a secret', async () => {
    const authorization = await bearer(serving, 'admin');
    await get(read, authorization);
    const before = serving.hashChecks.length;
    for (let calls = 0; calls < 5; calls += 1) expect((await get(read, authorization)).status).to.equal(200);
    expect(serving.hashChecks.length).to.equal(before);
  });

  it('have the configured issuer and lifetime, and are rejected with any other issuer', async () => {
    const app = createKoaApp({
      billing: serving.billing,
      logger: serving.log,
      tokens: { issuer: 'https://billing.example', lifetimeMs: 5_000 },
    });
    const listening = await listen(app, { port: 0 });
    try {
      const url = `http://127.0.0.1:${listening.port}`;
      const answer = await fetch(url + auth, { method: 'POST', headers: documentHeaders });
      const issued = textOf(await answer.json(), 'token');
      const claims = JSON.parse(Buffer.from(issued.split('.')[1] ?? '', 'base64url').toString());
      expect(claims).to.include({ iss: 'https://billing.example', exp: claims.iat + 5 });
      const call = async (text: string) =>
        (await fetch(url + read, { headers: { ...documentHeaders, authorization: `Bearer ${text}` } }))
          .status;
      expect(await call(issued)).to.equal(200);
      expect(await call(token)).to.equal(401);
    } finally {
      await listening.close();
    }
  });
});

eachDatabaseByTurns.describe('external tokens', (open) => {
  const issuer = 'https://login.example';
  let serving: Serving;
  let listening: Listening;
  let published: JSONWebKeySet;
  let sign: (claims: JWTPayload) => Promise<string>;
  let fetched = 0;

  before(async () => {
    serving = await serve(await open(migrated));
    const pair = await generateKeyPair('ES256');
    published = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] };
    sign = async (claims) => {
      const nowSec = Math.floor(Date.now() / 1_000);
      const payload = { iss: issuer, aud: 'billing', sub: 'alice', exp: nowSec + 60, tid: '*', ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(pair.privateKey);
    };
    const app = createKoaApp({
      billing: serving.billing,
      logger: serving.log,
      tokens: {
        issuers: [
          {
            issuer,
            jwksUri: 'https://login.example/keys',
            audience: 'billing',
            algorithms: [TokenAlgorithm.ES256],
            rolesClaim: 'groups',
            roleMapping: { owners: ['admin'] },
            tenantsClaim: 'tid',
          },
          {
            issuer: 'https://down.example',
            jwksUri: 'https://down.example/keys',
            algorithms: [TokenAlgorithm.ES256],
          },
        ],
        fetch: async (url) => {
          fetched += 1;
          if (url.includes('down')) throw new TypeError('fetch failed');
          return Response.json(published);
        },
      },
    });
    listening = await listen(app, { port: 0 });
  });
  after(async () => {
    await listening.close();
    await serving.close();
  });

  const call = async (token: string, request: { method?: string; path?: string } = {}) => {
    const answer = await fetch(`http://127.0.0.1:${listening.port}${request.path ?? read}`, {
      method: request.method ?? 'GET',
      headers: { ...documentHeaders, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(request.method === 'POST' ? { body: '{}' } : {}),
    });
    return {
      status: answer.status,
      json: (await answer.json().catch(() => null)) as { code?: number } | null,
    };
  };
  const create = { method: 'POST', path: '/1.0/kb/accounts' };

  it('are accepted if their signature, issuer, audience and times are valid, with only one fetch of the keys', async () => {
    expect((await call(await sign({}))).status).to.equal(200);
    expect((await call(await sign({ jti: 'another' }))).status).to.equal(200);
    expect(fetched).to.equal(1);
    const nowSec = Math.floor(Date.now() / 1_000);
    for (const claims of [{ aud: 'catalog-plugin' }, { exp: nowSec - 120 }, { iss: 'https://else.example' }])
      expect((await call(await sign(claims))).status, JSON.stringify(claims)).to.equal(401);
  });

  it('grant the permissions or mapped roles that they contain', async () => {
    expect((await call(await sign({}), create)).json).to.include({ code: 40000 });
    expect((await call(await sign({ permissions: ['account:create'] }), create)).status).to.equal(201);
    expect((await call(await sign({ permissions: 'tag:add account' }), create)).status).to.equal(201);
    expect((await call(await sign({ groups: ['owners', 'guests'] }), create)).status).to.equal(201);
    expect((await call(await sign({ groups: ['guests'] }), create)).status).to.equal(403);
    // A list of permissions, even an empty one, replaces the groups.
    expect((await call(await sign({ groups: ['owners'], permissions: [] }), create)).status).to.equal(403);
    expect((await call(await sign({ permissions: ['a:b:c'] }), create)).status).to.equal(401);
  });

  it('grant access to the tenants that they contain, or to the tenants of the local user with that name', async () => {
    const reply = await serving.get('/tenants?apiKey=bob');
    expect((await call(await sign({ tid: [textOf(reply.json, 'tenantId')] }))).status).to.equal(200);
    expect((await call(await sign({ tid: [] }))).json).to.include({ code: 60005 });
    expect((await call(await sign({ tid: undefined }))).json).to.include({ code: 60005 });
    expect((await call(await sign({ tid: undefined, sub: 'admin' }))).status).to.equal(200);
  });

  it('are rejected and logged while the keys are unavailable, but do not cause a fetch for each request', async () => {
    const before = fetched;
    for (const jti of ['1', '2', '3']) {
      const reply = await call(await sign({ iss: 'https://down.example', aud: 'catalog-plugin', jti }));
      expect([reply.status, reply.json?.code]).to.eql([401, 60004]);
    }
    expect(fetched - before).to.equal(1);
    expect(serving.log.lines.some((line) => line.level === 'warn' && /issuer/.test(line.message))).to.equal(
      true,
    );
  });

  it('require a valid issuer configuration, without which the server does not start', () => {
    const start = (issuers: readonly object[]) => () =>
      createKoaApp({ billing: serving.billing, logger: serving.log, tokens: { issuers: issuers as never } });
    const jwksUri = 'https://a.example/keys';
    expect(start([{ issuer: 'a', jwksUri: 'http://a.example/keys' }])).to.throw('https');
    expect(start([{ issuer: 'a', jwksUri, algorithms: ['HS256'] }])).to.throw('RS256, ES256, EdDSA');
    expect(
      start([
        { issuer: 'a', jwksUri },
        { issuer: 'a', jwksUri },
      ]),
    ).to.throw('twice');
  });
});

const nobody: Readonly<Record<keyof typeof documentHeaders, undefined>> = {
  authorization: undefined,
  'x-service-apikey': undefined,
  'x-service-apisecret': undefined,
  'x-service-createdby': undefined,
};

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

async function signingKey({ billing }: Serving) {
  const { kid, privateKey } = await billing.security.tokenKeys.signer(async () => {
    throw new Error('there is a key');
  });
  return { kid, key: await importPKCS8(privateKey, 'RS256') };
}

async function publicKeyOf(serving: Serving): Promise<unknown> {
  return (await serving.call('GET', '/.well-known/jwks.json', { headers: nobody })).json;
}
