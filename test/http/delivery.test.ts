import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { createKoaApp, type KoaOptions, type Listening, listen } from '../../adapters/koa/index.ts';
import { createdId, expect } from '../support/http/index.ts';
import { documentHeaders, exampleCatalog, freshSqlite, serveOnce, xmlType } from '../support/http/serving.ts';

interface Heard {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const accounts = '/1.0/kb/accounts';

describe('response delivery', () => {
  const serving = serveOnce(freshSqlite);
  let account: string;
  const listenings: Listening[] = [];

  before(async () => {
    await serving.post('/catalog', await exampleCatalog(), xmlType);
    account = `${accounts}/${createdId(await serving.call('POST', accounts, { body: { name: 'Ada' } }))}`;
  });
  after(async () => {
    for (const listening of listenings) await listening.close();
  });

  async function listenWith(settings: Partial<KoaOptions>): Promise<string> {
    const listening = await listen(
      createKoaApp({ billing: serving.billing, logger: serving.log, ...settings }),
      { port: 0 },
    );
    listenings.push(listening);
    return `http://127.0.0.1:${listening.port}`;
  }

  /** Unlike `fetch`, leaves the response compressed. */
  async function send(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Heard> {
    const call = httpRequest(url, {
      method,
      headers: { ...documentHeaders, connection: 'close', ...headers },
    });
    call.end();
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.concat(await Array.fromAsync(answer)),
    };
  }

  describe('caching (http-api §11 rule 1)', () => {
    it('returns 304 without a body until the resource changes, and then returns the full body', async () => {
      const etag = (await serving.call('GET', account)).headers.get('etag') ?? '';
      expect(etag).to.match(/^W\/"[\w-]{27}"$/);
      const same = await serving.call('GET', account, { headers: { 'if-none-match': `"x", ${etag}` } });
      expect([same.status, same.text, same.headers.get('etag')]).to.eql([304, '', etag]);
      await serving.call('PUT', account, { body: { notes: 'changed' } });
      const changed = await serving.call('GET', account, { headers: { 'if-none-match': etag } });
      expect(changed.status).to.equal(200);
      expect(changed.headers.get('etag')).to.not.equal(etag);
    });

    it('includes entity tags for HEAD as for GET, but not for lists, errors or writes', async () => {
      const tagOf = async (method: string, path: string): Promise<string | null> =>
        (await serving.call(method, path, method === 'POST' ? { body: {} } : {})).headers.get('etag');
      expect(await tagOf('HEAD', account)).to.equal(await tagOf('GET', account));
      for (const path of [`${accounts}/pagination`, `${account}/bundles`, `${accounts}/x`])
        expect(await tagOf('GET', path), path).to.equal(null);
      expect(await tagOf('POST', accounts)).to.equal(null);
    });
  });

  describe('encoding (http-api §10 rule 2)', () => {
    const decoders = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };
    for (const [coding, decode] of Object.entries(decoders))
      it(`uses ${coding} if the client accepts it and the body has at least 1 KiB`, async () => {
        const { headers, body } = await send(`${serving.url}/1.0/kb/catalog`, { 'accept-encoding': coding });
        expect(headers).to.include({ 'content-encoding': coding, vary: 'Accept-Encoding' });
        expect(JSON.parse(decode(body).toString())).to.be.an('array');
        expect(Number(headers['content-length'])).to.equal(body.length);
      });

    it('skips compression if the client does not accept it or the body is short', async () => {
      const catalog = `${serving.url}/1.0/kb/catalog`;
      expect((await send(catalog)).headers).to.not.have.property('content-encoding');
      const refused = await send(catalog, { 'accept-encoding': 'gzip;q=0, identity' });
      expect(refused.headers).to.not.have.property('content-encoding');
      const nothing = await send(catalog, { 'accept-encoding': 'identity;q=0, *;q=0' });
      expect([nothing.status, nothing.headers['content-encoding']]).to.eql([200, undefined]);
      const short = await send(`${serving.url}/1.0/ping`, { 'accept-encoding': 'gzip' });
      expect([short.body.toString(), short.headers['content-encoding']]).to.eql(['pong', undefined]);
    });

    it('does not buffer streamed responses', async () => {
      const url = `${serving.url}/1.0/kb/catalog/xml/changeReport`;
      const headers = { ...documentHeaders, ...xmlType, 'accept-encoding': 'gzip', connection: 'close' };
      const call = httpRequest(url, { method: 'POST', headers });
      call.end(await exampleCatalog());
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      const body = Buffer.concat(await Array.fromAsync(answer));
      expect(answer.headers).to.include({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
      expect(JSON.parse(gunzipSync(body).toString())).to.be.an('object');
    });
  });

  describe('cross-origin access (http-api §10 rule 1)', () => {
    const shop = 'https://shop.example.com';
    const corsHeaders = (headers: Heard['headers']) =>
      Object.entries(headers).filter(([name]) => name.startsWith('access-control-'));

    it('sends no cross-origin header by default', async () => {
      for (const method of ['GET', 'OPTIONS']) {
        const { headers } = await send(serving.url + account, { origin: shop }, method);
        expect([corsHeaders(headers), headers.vary]).to.eql([[], undefined]);
      }
    });

    it('allows every origin without credentials if configured', async () => {
      const url = await listenWith({ allowedOrigins: ['*'] });
      const { headers } = await send(url + account, { origin: shop });
      expect(headers['access-control-allow-origin']).to.equal('*');
      expect(headers).to.not.have.property('access-control-allow-credentials');
    });

    it('allows only listed origins, with credentials, even in error responses', async () => {
      const url = await listenWith({ allowedOrigins: [shop, 'https://admin.example.com'] });
      for (const path of [account, '/nothing']) {
        const { headers } = await send(url + path, { origin: shop });
        expect(headers).to.include({ 'access-control-allow-origin': shop });
        expect(headers).to.include({ 'access-control-allow-credentials': 'true' });
        expect(headers['access-control-expose-headers']).to.match(/\bLocation\b.*\bETag\b/);
        expect(headers['access-control-expose-headers']).to.match(/X-Killbill-Pagination-NextPageUri/);
        expect(headers.vary).to.match(/\bOrigin\b/);
      }
      const other = await send(url + account, { origin: 'https://evil.example.com' });
      expect(corsHeaders(other.headers)).to.eql([]);
      expect(other.headers.vary).to.match(/\bOrigin\b/);
    });

    it('lets a page of a listed origin read the response to an OPTIONS request', async () => {
      const url = await listenWith({ allowedOrigins: [shop] });
      const { status, headers } = await send(url + account, { origin: shop }, 'OPTIONS');
      expect([status, headers['access-control-allow-origin']]).to.eql([200, shop]);
      expect(headers.allow).to.match(/^GET, HEAD, PUT, .*OPTIONS$/);
    });

    it('sends cross-origin headers for preflight requests without credentials', async () => {
      const url = await listenWith({ allowedOrigins: [shop] });
      const headers = { origin: shop, 'access-control-request-method': 'PUT', connection: 'close' };
      const call = httpRequest(url + account, { method: 'OPTIONS', headers });
      call.end();
      const [answer] = (await once(call, 'response')) as [IncomingMessage];
      expect(await text(answer)).to.equal('');
      expect(answer.statusCode).to.equal(200);
      expect(answer.headers.allow).to.match(/^GET, HEAD, PUT, .*OPTIONS$/);
      expect(answer.headers['access-control-allow-methods']).to.equal(
        'GET, HEAD, POST, PUT, DELETE, OPTIONS',
      );
      expect(answer.headers['access-control-allow-headers']).to.match(/Idempotency-Key.*X-Service-ApiKey/);
      expect(answer.headers).to.include({
        'access-control-allow-origin': shop,
        'access-control-allow-credentials': 'true',
        'access-control-max-age': '7200',
      });
    });
  });

  describe('deadline (platform §16)', () => {
    /** An engine with slow reads of accounts. */
    function slow(ms: number): KoaOptions['billing'] {
      const getAccount: typeof serving.billing.getAccount = async (...given) => {
        await setTimeout(ms);
        return serving.billing.getAccount(...given);
      };
      return { ...serving.billing, getAccount };
    }

    it('ends a long request with 503 and Retry-After', async () => {
      const url = await listenWith({ billing: slow(200), requestTimeMs: 50 });
      const { status, headers, body } = await send(url + account);
      expect([status, headers['retry-after']]).to.eql([503, '1']);
      expect(JSON.parse(body.toString())).to.include({ code: 60018 });
      await setTimeout(200);
    });

    it('applies the deadline even to routes that do not wait for their effects', async () => {
      const url = await listenWith({ billing: slow(200), requestTimeMs: 50 });
      expect((await send(`${url}${account}?callCompletion=true`)).status).to.equal(503);
      await setTimeout(200);
    });

    it('closes a stream that starts after the timeout response', async () => {
      const ended = Promise.withResolvers<string>();
      const pieces: AsyncIterable<string> = {
        [Symbol.asyncIterator]: () => ({
          next: async () => ({ done: true, value: undefined }),
          return: async () => {
            ended.resolve('ended');
            return { done: true, value: undefined };
          },
        }),
      };
      const exportOfAccount = async (): Promise<AsyncIterable<string>> => {
        await setTimeout(50);
        return pieces;
      };
      const accounts = { ...serving.billing.accounts, export: exportOfAccount };
      const url = await listenWith({ billing: { ...serving.billing, accounts }, requestTimeMs: 10 });
      const path = account.replace('/accounts/', '/export/');
      expect((await send(url + path)).status).to.equal(503);
      expect(await ended.promise).to.equal('ended');
    });

    it('does not change a response that is ready before the deadline', async () => {
      const url = await listenWith({ billing: slow(20), requestTimeMs: 5_000 });
      expect((await send(url + account)).status).to.equal(200);
    });
  });
});
