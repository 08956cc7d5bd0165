import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createKoaApp, Dialect, type KoaOptions, type Listening, listen } from '../../adapters/koa/index.ts';
import { documentHeaders, expect, freshDatabase, migrated } from '../support/http/index.ts';
import { eve, expectStatus, jsonType, type Serving, serve, xmlType } from '../support/http/serving.ts';

interface Heard {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

describe('server settings', () => {
  let serving: Serving;
  const listenings: Listening[] = [];

  before(async () => {
    serving = await serve(await freshDatabase('sqlite', migrated), {
      configuration: { 'org.killbill.server.pagination.countThreshold': '4' },
    });
  });
  after(async () => {
    for (const listening of listenings) await listening.close();
    await serving.close();
  });

  async function listenWith(settings: Partial<KoaOptions>, maxHeaderBytes?: number): Promise<number> {
    const app = createKoaApp({ billing: serving.billing, logger: serving.log, ...settings });
    const listening = await listen(app, { port: 0, maxHeaderBytes });
    listenings.push(listening);
    return listening.port;
  }

  /** Unlike `fetch`, lets the caller set the host. */
  async function send(
    port: number,
    input: { path?: string; method?: string; headers?: Record<string, string>; body?: string },
  ): Promise<Heard> {
    const { path = '/1.0/kb/accounts', method = 'POST', body = '{}' } = input;
    const headers = { ...documentHeaders, ...jsonType, connection: 'close', ...input.headers };
    const call = httpRequest({ port, path, method, headers });
    call.end(method === 'GET' ? undefined : body);
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  }

  const forwarded = {
    host: '10.0.0.5:8080',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'billing.example.com',
  };

  it('determine whether Location contains the forwarded URL or only a path (http-api 15.2 "Behind a proxy")', async () => {
    const trusting = await send(await listenWith({ trustedProxies: ['127.0.0.0/8'] }), {
      headers: forwarded,
    });
    expect(trusting.status).to.equal(201);
    expect(trusting.headers.location).to.match(
      /^https:\/\/billing\.example\.com\/1\.0\/kb\/accounts\/[0-9a-f-]{36}$/,
    );
    const pathOnly = { trustedProxies: ['127.0.0.0/8'], locationFullUrl: false };
    const short = await send(await listenWith(pathOnly), { headers: forwarded });
    expect(short.headers.location).to.match(/^\/1\.0\/kb\/accounts\/[0-9a-f-]{36}$/);
    const stranger = await send(await listenWith({ trustedProxies: ['10.0.0.0/8'] }), { headers: forwarded });
    expect(stranger.headers.location).to.match(/^http:\/\/10\.0\.0\.5:8080\/1\.0\/kb\/accounts\//);
  });

  it('prefix every path and Location with the base path', async () => {
    const port = await listenWith({ basePath: '/billing/', locationHost: 'api.example.com' });
    const made = expectStatus(await send(port, { path: '/billing/1.0/kb/accounts' }), 201);
    expect(made.headers.location).to.match(/^http:\/\/api\.example\.com\/billing\/1\.0\/kb\/accounts\//);
    expect((await send(port, {})).status).to.equal(404);
  });

  it('define the dialect of calls without the headers of either dialect', async () => {
    const { authorization } = documentHeaders;
    const messages: string[] = [];
    for (const defaultDialect of [Dialect.D, Dialect.K]) {
      const port = await listenWith({ defaultDialect });
      const call = httpRequest({ port, path: '/1.0/kb/accounts/pagination', headers: { authorization } });
      call.end();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      messages.push((JSON.parse(await text(answer)) as { message: string }).message);
    }
    expect(messages[0]).to.match(/X-Service-ApiKey/);
    expect(messages[1]).to.match(/X-Killbill-ApiKey/);
  });

  it('limit the sizes of bodies, URLs and headers', async () => {
    const port = await listenWith({ limits: { json: 20, text: 10, url: 100 } }, 1_000);
    expect((await send(port, { body: '{"name":"short"}' })).status).to.equal(201);
    expect((await send(port, { body: '{"name":"rather too long"}' })).status).to.equal(413);
    const xml = { path: '/1.0/kb/catalog', headers: xmlType };
    expect((await send(port, { ...xml, body: '<catalog/>' })).status).to.equal(400);
    expect((await send(port, { ...xml, body: '<catalog />' })).status).to.equal(413);
    const path = `/1.0/kb/accounts?externalKey=${'k'.repeat(80)}`;
    expect((await send(port, { path, method: 'GET' })).status).to.equal(414);
    const large = expectStatus(await send(port, { headers: { 'x-large': 'y'.repeat(1_000) } }), 413);
    expect(large.text).to.match(/1000 bytes/);
  });

  it('limit the elements in a list and the records on a page', async () => {
    const port = await listenWith({ limits: { list: 2, page: 3 } });
    const accounts = await Promise.all(Array.from({ length: 5 }, () => send(port, {})));
    const path = `${accounts[0]?.headers.location?.replace(/^.*\/1\.0/, '/1.0')}/customFields`;
    const fields = (count: number) =>
      JSON.stringify(Array.from({ length: count }, (_, n) => ({ name: `n${n}`, value: 'v' })));
    const long = expectStatus(await send(port, { path, body: fields(3) }), 400);
    expect(JSON.parse(long.text)).to.include({ code: 60003 });
    expect(JSON.parse((await send(port, { path, method: 'GET' })).text)).to.eql([]);
    expect((await send(port, { path, body: fields(2) })).status).to.equal(201);
    for (const [limit, records] of [
      [1_000, 3],
      [-1_000, 3],
      [2, 2],
    ] as const) {
      const page = await send(port, { path: `/1.0/kb/accounts/pagination?limit=${limit}`, method: 'GET' });
      expect(JSON.parse(page.text)).to.have.length(records);
      expect(page.headers['x-service-pagination-nextoffset']).to.equal(String(records));
    }
  });

  it('define the maximum size of a list that includes totals', async () => {
    const port = await listenWith({});
    const totals = async () => {
      const path = '/1.0/kb/accounts/pagination?limit=1';
      const { headers } = await send(port, { path, method: 'GET', headers: eve });
      return ['totalnbrecords', 'maxnbrecords', 'nextoffset'].map(
        (name) => headers[`x-service-pagination-${name}`] ?? null,
      );
    };
    for (let made = 1; made <= 4; made++) await send(port, { headers: eve });
    expect(await totals()).to.eql(['4', '4', '1']);
    await send(port, { headers: eve });
    expect(await totals()).to.eql([null, null, '1']);
  });

  it('define the header prefixes that work like X-Service-', async () => {
    const port = await listenWith({ aliasPrefixes: ['X-Acme-'], allowedOrigins: ['*'] });
    const { authorization } = documentHeaders;
    const call = async (prefix: string) => {
      const keys = { [`${prefix}apikey`]: 'bob', [`${prefix}apisecret`]: 'lazar' };
      const headers = { authorization, ...keys, 'x-request-id': 'r-1' };
      const request = httpRequest({ port, path: '/1.0/kb/accounts/pagination?limit=0', headers });
      request.end();
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.resume();
      return answer;
    };
    const known = await call('X-Acme-');
    expect(known.statusCode).to.equal(200);
    expect(Object.keys(known.headers).filter((name) => name.endsWith('pagination-currentoffset'))).to.eql([
      'x-service-pagination-currentoffset',
      'x-acme-pagination-currentoffset',
    ]);
    expect(known.headers['access-control-expose-headers'])
      .to.include('X-Acme-CreatedBy')
      .and.to.not.include('Killbill');
    expect((await call('X-Killbill-')).statusCode).to.equal(401);
    expect((await call('X-Service-')).statusCode).to.equal(200);
  });

  describe('request rates', () => {
    const read = { path: '/1.0/kb/accounts/pagination?limit=1', method: 'GET' };
    let nowMs: number;
    const systemClock = { nowMs: () => nowMs };

    beforeEach(() => {
      nowMs = 0;
    });

    async function statuses(port: number, count: number, headers = {}): Promise<readonly unknown[]> {
      const found: unknown[] = [];
      for (let n = 0; n < count; n++) found.push((await send(port, { ...read, headers })).status);
      return found;
    }

    it('limit the requests of one tenant with 429 and Retry-After, without storing rejected requests or limiting other tenants', async () => {
      const port = await listenWith({ systemClock, rates: { tenant: 1 } });
      expect(await statuses(port, 3)).to.eql([200, 200, 429]);
      const refused = expectStatus(await send(port, { body: '{"externalKey":"too-fast"}' }), 429);
      expect(refused.headers['retry-after']).to.equal('1');
      expect(JSON.parse(refused.text)).to.include({ code: 60015 });
      expect(await statuses(port, 1, eve)).to.eql([200]);
      nowMs += 2_000;
      const sought = { path: '/1.0/kb/accounts?externalKey=too-fast', method: 'GET' };
      expect((await send(port, sought)).status).to.equal(404);
      expect(await statuses(port, 2)).to.eql([200, 429]);
    });

    it('limit the requests of a caller across tenants and paths', async () => {
      const port = await listenWith({ systemClock, rates: { principal: 2 } });
      expect(await statuses(port, 2)).to.eql([200, 200]);
      expect(await statuses(port, 1, eve)).to.eql([200]);
      expect((await send(port, { path: '/1.0/kb/nowhere', method: 'GET' })).status).to.equal(404);
      expect(await statuses(port, 1, eve)).to.eql([429]);
      expect((await send(port, { path: '/1.0/kb/nowhere', method: 'GET' })).status).to.equal(429);
      expect((await send(port, { path: '/1.0/healthcheck', method: 'GET' })).status).to.equal(200);
      nowMs += 500;
      expect(await statuses(port, 2)).to.eql([200, 429]);
    });

    it('do not limit requests by default, and do not count calls with a wrong password', async () => {
      expect(new Set(await statuses(await listenWith({ systemClock }), 30))).to.eql(new Set([200]));
      const port = await listenWith({ systemClock, rates: { principal: 1, tenant: 1 } });
      const wrong = { authorization: `Basic ${Buffer.from('admin:wrong').toString('base64')}` };
      expect(await statuses(port, 3, wrong)).to.eql([401, 401, 401]);
      expect(await statuses(port, 3)).to.eql([200, 200, 429]);
    });
  });
});
